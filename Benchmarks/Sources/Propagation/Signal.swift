/// A signal to other processes that measures when it arrives.
public struct Signal: Codable, Sendable, Equatable {
    /// The difference from others sent at the same moment.
    public let number: Int
    /// The moment from which its latency counts, by the monotonic clock, which all processes of a machine share.
    public let sent: Int

    /// - Parameters:
    ///   - number: The difference from others sent at the same moment.
    ///   - sent: The moment from which its latency counts.
    public init(number: Int, sent: Int) {
        self.number = number
        self.sent = sent
    }
}
