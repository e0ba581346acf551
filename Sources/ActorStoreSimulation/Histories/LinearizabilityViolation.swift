import ActorStore

/// A history that is impossible for an object that runs one operation at a time.
public struct LinearizabilityViolation<Operation: Sendable, Response: Sendable>: Error {
    /// The longest order of operations that was found in which each has the right answer.
    public let prefix: [RecordedOperation<Operation, Response>]
    /// The operation at which the search failed. It has to be the next one: each remaining operation was invoked after
    /// this one was answered, or does not fit either.
    public let misfit: RecordedOperation<Operation, Response>
    /// The right answer directly after the prefix.
    public let expected: Response
    /// The state after the prefix, as text without `Redactable` values.
    public let state: String
    /// The number of operations in the history, or in the part that was checked separately.
    public let count: Int
}

extension LinearizabilityViolation: CustomStringConvertible {
    /// The prefix, a line for each operation, and the operation that does not fit, without `Redactable` values.
    public var description: String {
        """
        No order of these \(count) operations explains all answers. The longest order found:
        \(prefix.isEmpty ? "  (none)" : prefix.map { "  \($0)" }.joined(separator: "\n"))
        The state is then \(state), and this operation does not fit, neither here nor before:
          \(misfit)
        The right answer here is \(ValueDescription(of: expected)).
        """
    }
}

/// An undecided check: too many operations overlap.
public struct UndecidedHistory: Error, CustomStringConvertible {
    /// The number of configurations that were tried.
    public let limit: Int

    /// The limit, and what to do about it.
    public var description: String {
        """
        Whether the history is linearizable could not be decided within \(limit) configurations. Record shorter \
        histories, or fewer processes, or let the specification name independent parts.
        """
    }
}
