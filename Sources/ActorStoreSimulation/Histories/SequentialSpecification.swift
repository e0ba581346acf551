/// What something does when it is used by one process at a time.
public protocol SequentialSpecification<Operation, Response>: Sendable {
    /// What can be asked.
    associatedtype Operation: Sendable
    /// What is answered.
    associatedtype Response: Equatable & Sendable
    /// What it remembers from one operation to the next.
    associatedtype State: Hashable & Sendable

    /// The state before the first operation.
    var initialState: State { get }

    /// Does what an operation asks for.
    ///
    /// - Returns: the only right answer.
    func apply(_ operation: Operation, to state: inout State) -> Response

    /// Which of several independent parts an operation concerns, such as the key of an entry; nil if it concerns the
    /// whole. The parts are checked one by one, which is faster by far, unless there is an operation that concerns the
    /// whole.
    ///
    /// Source: Horn and Kroening, "Faster linearizability checking via P-compositionality", FORTE 2015.
    func part(of operation: Operation) -> AnyHashable?
}

extension SequentialSpecification {
    /// Every operation concerns the whole.
    public func part(of operation: Operation) -> AnyHashable? { nil }
}
