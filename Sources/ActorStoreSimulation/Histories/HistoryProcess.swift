/// A process whose operations are recorded: a task or a thread that runs one operation after the other.
public final class HistoryProcess<Operation: Sendable, Response: Sendable>: Sendable {
    /// An operation that has begun.
    public struct Ticket: Sendable {
        fileprivate let place: Int
    }

    /// The number of the process in the history.
    public let number: Int
    private let clock: LogicalClock
    private let records = HistoryList<RecordedOperation<Operation, Response>?>()

    init(number: Int, clock: LogicalClock) {
        self.number = number
        self.clock = clock
    }

    var operations: [RecordedOperation<Operation, Response>] { records.elements.compactMap { $0 } }

    /// Records the beginning of an operation. An operation that is never ended may take effect at any time, but before
    /// later operations of this process.
    ///
    /// - Parameters:
    ///   - operation: The operation.
    ///   - followsOwn: Whether it takes effect after all operations that this process has begun before. If not, it only
    ///     follows those that have ended before: for example, a read that does not wait for actions that the same
    ///     process has sent.
    /// - Returns: A ticket to end or withdraw the operation.
    public func begin(_ operation: Operation, followsOwn: Bool = true) -> Ticket {
        let record = RecordedOperation<Operation, Response>(
            process: number,
            operation,
            nil,
            invokedAt: clock.tick(),
            respondedAt: nil,
            followsOwn: followsOwn
        )
        return Ticket(place: records.append(record))
    }

    /// Records the answer to an operation.
    public func end(_ ticket: Ticket, with response: Response) {
        let time = clock.tick()
        records.change(ticket.place) { record in
            record?.response = response
            record?.respondedAt = time
        }
    }

    /// Removes an operation that is known to have had no effect, such as one that was refused.
    public func withdraw(_ ticket: Ticket) {
        records.change(ticket.place) { $0 = nil }
    }
}
