import ActorStore

/// The operations of several processes on an object, with their answers.
///
/// The operations of one process count in the order in which it invoked them, even if it did not wait for an answer,
/// unless a record says otherwise.
public struct History<Operation: Sendable, Response: Sendable>: Sendable {
    /// The operations, in the order of their invocation.
    public let operations: [RecordedOperation<Operation, Response>]

    /// Creates a history of operations in any order.
    ///
    /// - Complexity: O(n log n)
    public init(_ operations: [RecordedOperation<Operation, Response>]) {
        self.operations = operations.sorted { $0.invokedAt < $1.invokedAt }
    }
}

extension History: CustomStringConvertible {
    /// A line for each operation.
    public var description: String { operations.map(\.description).joined(separator: "\n") }
}

/// An operation on an object that several processes use at the same time: the operation, its answer, and their times.
public struct RecordedOperation<Operation: Sendable, Response: Sendable>: Sendable {
    /// The process that invoked the operation. A process runs one operation after the other.
    public let process: Int
    /// The operation.
    public let operation: Operation
    /// Whether it takes effect after all earlier operations of the process, and not only after those that had been
    /// answered.
    public let followsOwn: Bool
    /// The answer; nil if there was no answer yet, or there will never be one. The operation may then have taken effect
    /// at any time since its invocation, or not at all.
    public internal(set) var response: Response?
    /// The time of the invocation, in a logical time that all processes share, and in which no two events are
    /// simultaneous.
    public let invokedAt: UInt64
    /// The time of the answer.
    public internal(set) var respondedAt: UInt64?

    /// Creates a record, for a history that was recorded elsewhere.
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
    /// The process, its operation, and the response to it, without `Redactable` values.
    public var description: String {
        "process \(process): \(ValueDescription(of: operation)) -> "
            + (response.map { "\(ValueDescription(of: $0))" } ?? "no answer")
    }
}

/// The operations of each process without an answer at its next invocation: the order of a process, as far as the order
/// in time does not imply it.
struct UnansweredOperations<Element> {
    private var elements: [Int: [(element: Element, answeredAt: UInt64?)]] = [:]

    /// Records an operation. Operations are recorded in the order of their invocation.
    ///
    /// - Parameter element: The element that represents the operation when others follow it.
    /// - Returns: The elements of the operations that it follows and that had no answer when it was invoked, without
    ///   those that one of them follows. Empty if it does not follow its own process.
    mutating func predecessors<Operation, Response>(
        of record: RecordedOperation<Operation, Response>,
        _ element: Element
    ) -> [Element] {
        var open = elements[record.process, default: []]
        open.removeAll { before in before.answeredAt.map { $0 < record.invokedAt } ?? false }
        let predecessors = record.followsOwn ? open.map(\.element) : []
        // Operations that follow this one also follow those.
        if record.followsOwn { open = [] }
        open.append((element, record.response == nil ? nil : record.respondedAt))
        elements[record.process] = open
        return predecessors
    }
}
