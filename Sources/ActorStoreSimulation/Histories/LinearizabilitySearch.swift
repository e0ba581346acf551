/// Searches for an order of operations in which each has the right answer, and in which none precedes an operation that
/// had been answered when it was invoked, or that its own process had invoked before.
///
/// Source: Wing and Gong, "Testing and verifying concurrent objects", Journal of Parallel and Distributed Computing 17,
/// 1993, with the memory of tried configurations by Lowe, "Testing for linearizability", Concurrency and Computation:
/// Practice and Experience 29(4), 2017: a set of operations together with the resulting state need not be tried twice,
/// whatever the order of the operations.
struct LinearizabilitySearch<Specification: SequentialSpecification> {
    typealias Record = RecordedOperation<Specification.Operation, Specification.Response>

    /// The result of a search.
    enum Verdict {
        /// The operations in such an order, with only those unanswered operations that are needed.
        case linearizable([Int])
        /// The longest order that was found, the state after it, and the operation whose answer is wrong then.
        case stuck(prefix: [Int], state: Specification.State, operation: Int)
        case undecided
    }

    private struct Configuration: Hashable {
        let done: OrderedOperations.Contents
        let state: Specification.State
    }

    private let specification: Specification
    private let records: [Record]
    /// The earlier operations of the same process, unless the times of their answers already imply the order.
    private let predecessors: [[Int]]
    private var events: EventList
    private var done: OrderedOperations
    private var state: Specification.State
    private var order: [(operation: Int, stateBefore: Specification.State)] = []
    private var tried: Set<Configuration> = []
    /// The longest order that was found, and the operation that ended after it.
    private var longest: [Int] = []
    private var misfit: (state: Specification.State, operation: Int)?
    /// The number of leading operations of the longest order that have been in the order ever since.
    private var common = 0

    /// - Parameter records: The operations in the order of their invocation.
    init(_ records: [Record], _ specification: Specification) {
        self.specification = specification
        self.records = records
        events = EventList(records)
        done = OrderedOperations(of: records)
        state = specification.initialState
        var unanswered = UnansweredOperations<Int>()
        predecessors = records.enumerated().map { index, record in unanswered.predecessors(of: record, index) }
    }

    /// Runs the search.
    ///
    /// - Parameter limit: The number of configurations that may be tried.
    mutating func run(limit: Int) -> Verdict {
        var place = events.first
        while events.endCount > 0 {
            let event = events[place]
            if event.isEnd {
                noteEnd(of: event.operation)
                guard let (operation, stateBefore) = order.popLast() else { return stuck }
                common = min(common, order.count)
                state = stateBefore
                done.remove(operation)
                events.putBack(operation)
                place = events.place(after: events.beginning(of: operation))
            } else if take(event.operation) {
                if tried.count > limit { return .undecided }
                place = events.first
            } else {
                place = events.place(after: place)
            }
        }
        return .linearizable(order.map(\.operation))
    }

    private var stuck: Verdict {
        guard let misfit else { return .undecided }
        return .stuck(prefix: longest, state: misfit.state, operation: misfit.operation)
    }

    /// Appends an operation to the order, if it may come next, has the right answer then, and leads to a new
    /// configuration.
    private mutating func take(_ operation: Int) -> Bool {
        guard predecessors[operation].allSatisfy({ done.contains($0) }) else { return false }
        var next = state
        let answer = specification.apply(records[operation].operation, to: &next)
        if let response = records[operation].response, response != answer { return false }
        done.insert(operation)
        guard tried.insert(Configuration(done: done.contents, state: next)).inserted else {
            done.remove(operation)
            return false
        }
        order.append((operation, state))
        state = next
        events.remove(operation)
        return true
    }

    /// Records an operation that could not be placed before its end.
    private mutating func noteEnd(of operation: Int) {
        guard misfit == nil || order.count > longest.count else { return }
        // If it only waits for other operations of its process, the first of these is the misfit.
        var operation = operation
        while let predecessor = predecessors[operation].first(where: { !done.contains($0) }) { operation = predecessor }
        longest.removeSubrange(common...)
        longest += order[common...].lazy.map(\.operation)
        common = order.count
        misfit = (state, operation)
    }
}
