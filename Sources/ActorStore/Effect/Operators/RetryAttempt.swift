/// Which attempt of something that is tried again and again is being made.
public struct RetryAttempt: Sendable {
    /// The number of the attempt; that of the first is 1.
    public let number: Int
    /// How many attempts there are at most.
    public let maxAttempts: Int
    /// Why the attempt before this one failed; nil for the first.
    public let previousError: (any Error)?

    /// Whether nothing has failed yet.
    public var isFirst: Bool { number == 1 }
    /// Whether there is no further attempt when this one fails.
    public var isLast: Bool { number == maxAttempts }

    @TaskLocal static var inForce: RetryAttempt?

    /// That of the innermost retry which this task is part of; nil outside of all.
    ///
    /// It lets the body of ``Effect/retry(_:clock:random:if:)`` know, and whatever it calls, such as a
    /// logger.
    public static var current: RetryAttempt? { inForce }
}
