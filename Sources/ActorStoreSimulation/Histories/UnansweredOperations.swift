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
