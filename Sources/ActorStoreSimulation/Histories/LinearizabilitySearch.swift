/// Looks for an order of operations in which each one is answered rightly, and in which none comes before one that had
/// been answered when it was asked for, or that its own process had asked for before.
///
/// Source: Wing and Gong, "Testing and verifying concurrent objects", Journal of Parallel and Distributed Computing 17,
/// 1993, with the memory of what has been tried by Lowe, "Testing for linearizability", Concurrency and Computation:
/// Practice and Experience 29(4), 2017: a set of operations together with the state that they led to need not be tried
/// twice, in whatever order they were.
struct LinearizabilitySearch<Specification: SequentialSpecification> {
    typealias Record = RecordedOperation<Specification.Operation, Specification.Response>

    /// What was found.
    enum Verdict {
        /// The operations in such an order; of those without an answer only the ones that are needed.
        case linearizable([Int])
        /// The longest order that could be made, the state after it, and the operation whose answer is wrong then.
        case stuck(prefix: [Int], state: Specification.State, operation: Int)
        case undecided
    }

    private struct Configuration: Hashable {
        let done: OrderedOperations.Contents
        let state: Specification.State
    }

    private let specification: Specification
    private let records: [Record]
    /// The operations of the same process that come before, unless their answers say so already.
    private let predecessors: [[Int]]
    private var events: EventList
    private var done: OrderedOperations
    private var state: Specification.State
    private var order: [(operation: Int, stateBefore: Specification.State)] = []
    private var tried: Set<Configuration> = []
    /// The longest order that could be made, and what ended after that.
    private var longest: [Int] = []
    private var misfit: (state: Specification.State, operation: Int)?
    /// How many of the first operations of the longest order have been in the order ever since.
    private var common = 0

    /// - Parameter records: In the order in which they were asked for.
    init(_ records: [Record], _ specification: Specification) {
        self.specification = specification
        self.records = records
        events = EventList(records)
        done = OrderedOperations(of: records)
        state = specification.initialState
        var unanswered = UnansweredOperations<Int>()
        predecessors = records.enumerated().map { index, record in unanswered.predecessors(of: record, index) }
    }

    /// - Parameter limit: How many configurations may be tried.
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

    /// Puts an operation next, if it may be, is answered rightly then, and leads to something new.
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

    /// An operation ended that could not be put anywhere before its end.
    private mutating func noteEnd(of operation: Int) {
        guard misfit == nil || order.count > longest.count else { return }
        // If it only waits for others of its process, the first of these is what does not fit.
        var operation = operation
        while let predecessor = predecessors[operation].first(where: { !done.contains($0) }) { operation = predecessor }
        longest.removeSubrange(common...)
        longest += order[common...].lazy.map(\.operation)
        common = order.count
        misfit = (state, operation)
    }
}
