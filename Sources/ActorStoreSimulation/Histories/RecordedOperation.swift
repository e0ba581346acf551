import ActorStore

/// An operation on something that several processes use at the same time: what was asked, what was answered, and when.
public struct RecordedOperation<Operation: Sendable, Response: Sendable>: Sendable {
    /// Who asked. A process does one thing after the other.
    public let process: Int
    /// What was asked.
    public let operation: Operation
    /// Whether it takes effect after all that the process asked for before, and not only after what had been answered.
    public let followsOwn: Bool
    /// What was answered; nil if there was no answer yet, or none is ever given. Then the operation may have taken
    /// effect at any time since it was asked for, or not at all.
    public internal(set) var response: Response?
    /// When it was asked, in a logical time that all processes share, and in which no two things happen at once.
    public let invokedAt: UInt64
    /// When it was answered.
    public internal(set) var respondedAt: UInt64?

    /// Creates a record, for a history that was made elsewhere.
    public init(
        process: Int,
        _ operation: Operation,
        _ response: Response?,
        invokedAt: UInt64,
        respondedAt: UInt64?,
        followsOwn: Bool = true
    ) {
        self.process = process
        self.followsOwn = followsOwn
        self.operation = operation
        self.response = response
        self.invokedAt = invokedAt
        self.respondedAt = respondedAt
    }
}

extension RecordedOperation: CustomStringConvertible {
    /// The process, its operation, and the response to it. `Redactable` values in them are not shown.
    public var description: String {
        "process \(process): \(ValueDescription(of: operation)) -> "
            + (response.map { "\(ValueDescription(of: $0))" } ?? "no answer")
    }
}
