/// The behaviour of an object when one process uses it at a time.
public protocol SequentialSpecification<Operation, Response>: Sendable {
    /// The operations of the object.
    associatedtype Operation: Sendable
    /// The answers to operations.
    associatedtype Response: Equatable & Sendable
    /// The state that the object keeps between operations.
    associatedtype State: Hashable & Sendable

    /// The state before the first operation.
    var initialState: State { get }

    /// Applies an operation to the state.
    ///
    /// - Returns: The only right answer.
    func apply(_ operation: Operation, to state: inout State) -> Response

    /// Returns the independent part that an operation concerns, such as the key of an entry.
    ///
    /// Parts are checked separately, which is much faster, unless an operation concerns the whole state.
    ///
    /// Source: Horn and Kroening, "Faster linearizability checking via P-compositionality", FORTE 2015.
    ///
    /// - Returns: The part, or nil if the operation concerns the whole state.
    func part(of operation: Operation) -> AnyHashable?
}

extension SequentialSpecification {
    /// Returns nil: every operation concerns the whole state.
    public func part(of operation: Operation) -> AnyHashable? { nil }
}
