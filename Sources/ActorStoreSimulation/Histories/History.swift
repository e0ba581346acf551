import ActorStore

/// What several processes did with something, and what they were answered.
///
/// The operations of one process count in the order in which it asked for them, also where it did not wait for an
/// answer, unless a record says otherwise.
public struct History<Operation: Sendable, Response: Sendable>: Sendable {
    /// The operations, in the order in which they were asked for.
    public let operations: [RecordedOperation<Operation, Response>]

    /// Creates a history of operations in any order.
    public init(_ operations: [RecordedOperation<Operation, Response>]) {
        self.operations = operations.sorted { $0.invokedAt < $1.invokedAt }
    }
}

extension History: CustomStringConvertible {
    /// A line for each operation.
    public var description: String { operations.map(\.description).joined(separator: "\n") }
}

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

/// What each process has asked for, and has not been answered when it asks again: the order of one process, as far as
/// it is not that of time.
struct UnansweredOperations<Element> {
    private var elements: [Int: [(element: Element, answeredAt: UInt64?)]] = [:]

    /// Takes note of an operation; they come in the order in which they were asked for.
    ///
    /// - Parameter element: What stands for it when others follow it.
    /// - Returns: Those that it comes after, and that had no answer when it was asked for; without those that one of
    ///   them comes after. None if it does not follow its own process.
    mutating func predecessors<Operation, Response>(
        of record: RecordedOperation<Operation, Response>,
        _ element: Element
    ) -> [Element] {
        var open = elements[record.process, default: []]
        open.removeAll { before in before.answeredAt.map { $0 < record.invokedAt } ?? false }
        let predecessors = record.followsOwn ? open.map(\.element) : []
        // What follows this follows those, too.
        if record.followsOwn { open = [] }
        open.append((element, record.response == nil ? nil : record.respondedAt))
        elements[record.process] = open
        return predecessors
    }
}
