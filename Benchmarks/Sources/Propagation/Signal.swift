/// What is sent to other processes to find out when it gets there.
public struct Signal: Codable, Sendable, Equatable {
    /// Tells it from others that are sent at the same moment.
    public let number: Int
    /// The moment from which its latency counts, by the monotonic clock, which all processes of a machine have in common.
    public let sent: Int

    /// - Parameters:
    ///   - number: Tells it from others that are sent at the same moment.
    ///   - sent: The moment from which its latency counts.
    public init(number: Int, sent: Int) {
        self.number = number
        self.sent = sent
    }
}
