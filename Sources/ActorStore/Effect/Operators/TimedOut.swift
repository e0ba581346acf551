/// Work did not end before its deadline.
public struct TimedOut: Error, Sendable, Hashable, CustomStringConvertible {
    /// How long it had.
    public let duration: Duration

    /// Creates the error.
    public init(after duration: Duration) {
        self.duration = duration
    }

    /// Says what happened.
    public var description: String { "The work did not end within \(duration)." }
}
