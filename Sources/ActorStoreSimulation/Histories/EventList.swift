/// The beginnings and ends of operations in the order in which they happened. The events of one operation can be
/// removed and restored.
struct EventList {
    /// The position before the first event, and after the last one.
    static let end = 0

    private var next: [Int] = [0]
    private var previous: [Int] = [0]
    /// The event at each position: an operation, and whether it ended.
    private var events: [(operation: Int, isEnd: Bool)] = [(-1, false)]
    private var beginnings: [Int]
    private var ends: [Int?]
    /// The number of ends in the list.
    private(set) var endCount = 0

    init<Operation, Response>(_ operations: [RecordedOperation<Operation, Response>]) {
        var times: [(time: UInt64, operation: Int, isEnd: Bool)] = []
        for (index, operation) in operations.enumerated() {
            times.append((operation.invokedAt, index, false))
            if operation.response != nil, let time = operation.respondedAt { times.append((time, index, true)) }
        }
        times.sort { $0.time < $1.time }
        beginnings = Array(repeating: 0, count: operations.count)
        ends = Array(repeating: nil, count: operations.count)
        for (index, event) in times.enumerated() {
            let place = index + 1
            events.append((event.operation, event.isEnd))
            next.append(0)
            previous.append(index)
            next[index] = place
            if event.isEnd {
                ends[event.operation] = place
                endCount += 1
            } else {
                beginnings[event.operation] = place
            }
        }
        previous[0] = times.count
    }

    var first: Int { next[Self.end] }

    func place(after place: Int) -> Int { next[place] }

    func beginning(of operation: Int) -> Int { beginnings[operation] }

    subscript(place: Int) -> (operation: Int, isEnd: Bool) { events[place] }

    /// Removes the beginning and the end of an operation.
    mutating func remove(_ operation: Int) {
        unlink(beginnings[operation])
        guard let end = ends[operation] else { return }
        unlink(end)
        endCount -= 1
    }

    /// Restores the events that were removed last.
    mutating func putBack(_ operation: Int) {
        if let end = ends[operation] {
            link(end)
            endCount += 1
        }
        link(beginnings[operation])
    }

    private mutating func unlink(_ place: Int) {
        next[previous[place]] = next[place]
        previous[next[place]] = previous[place]
    }

    private mutating func link(_ place: Int) {
        next[previous[place]] = place
        previous[next[place]] = place
    }
}
