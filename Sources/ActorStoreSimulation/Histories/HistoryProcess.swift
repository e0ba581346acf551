/// One of those whose operations are recorded: a task or a thread that does one thing after the other.
public final class HistoryProcess<Operation: Sendable, Response: Sendable>: Sendable {
    /// An operation that has begun.
    public struct Ticket: Sendable {
        fileprivate let place: Int
    }

    /// Its name in the history.
    public let number: Int
    private let clock: LogicalClock
    private let records = HistoryList<RecordedOperation<Operation, Response>?>()

    init(number: Int, clock: LogicalClock) {
        self.number = number
        self.clock = clock
    }

    var operations: [RecordedOperation<Operation, Response>] { records.elements.compactMap { $0 } }

    /// Records that an operation begins. One that is never ended counts as one that may take effect at any time, but
    /// before those that this process begins later.
    ///
    /// - Parameters:
    ///   - operation: What is asked for.
    ///   - followsOwn: Whether it takes effect after all that this process has begun before. If not, it only does after
    ///     what has ended before: a read that does not wait for what the same process has handed in.
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

    /// Takes an operation out of the history that is known not to have taken effect: one that was refused.
    public func withdraw(_ ticket: Ticket) {
        records.change(ticket.place) { $0 = nil }
    }
}
