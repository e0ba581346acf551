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
