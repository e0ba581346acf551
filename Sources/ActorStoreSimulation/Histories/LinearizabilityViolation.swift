import ActorStore

/// A history that nothing can have that does one operation at a time.
public struct LinearizabilityViolation<Operation: Sendable, Response: Sendable>: Error {
    /// The longest order of operations that could be made, in which each is answered rightly.
    public let prefix: [RecordedOperation<Operation, Response>]
    /// The operation that has no place in it, although it was answered before all others were asked for, or those do
    /// not fit either.
    public let misfit: RecordedOperation<Operation, Response>
    /// What the answer should have been right after the prefix.
    public let expected: Response
    /// The state after the prefix, as text without `Redactable` values.
    public let state: String
    /// How many operations the history has, or the part of it that was checked by itself.
    public let count: Int
}

extension LinearizabilityViolation: CustomStringConvertible {
    /// The prefix, a line for each operation, and the operation that does not fit. `Redactable` values are not shown.
    public var description: String {
        """
        No order of these \(count) operations explains all answers. The longest that could be made:
        \(prefix.isEmpty ? "  (none)" : prefix.map { "  \($0)" }.joined(separator: "\n"))
        Then the state is \(state), and this does not fit, nor would it before:
          \(misfit)
        Here the answer would be \(ValueDescription(of: expected)).
        """
    }
}

/// The checker gave up: too many operations overlap.
public struct UndecidedHistory: Error, CustomStringConvertible {
    /// How many configurations were tried.
    public let limit: Int

    /// What can be done about it.
    public var description: String {
        """
        Whether the history is linearizable could not be decided within \(limit) configurations. Record shorter \
        histories, or fewer processes, or tell parts that are independent of each other.
        """
    }
}
