/// Who sleeps on a ``TestClock`` or a ``SimulatedClock``, and until when. A plain value.
package struct Sleepers<Waiter> {
    /// What becomes of one who wants to sleep.
    package enum Admission {
        case sleeps
        case isDue
        case wasCancelled
    }

    /// When one is woken: by deadline, and those with the same in the order in which they came.
    private struct Turn: Comparable {
        let deadline: Duration
        let order: UInt64
        let number: UInt64

        static func < (left: Turn, right: Turn) -> Bool {
            (left.deadline, left.order) < (right.deadline, right.order)
        }
    }

    package private(set) var now = Duration.zero
    private var waiters: [UInt64: Waiter] = [:]
    /// The first one is that of one who sleeps. Among the others there can be those of some that were cancelled.
    private var turns = BinaryHeap<Turn>()
    private var lastOrder: UInt64 = 0
    /// Those that were cancelled before they slept.
    private var cancelled: Set<UInt64> = []
    private var lastNumber: UInt64 = 0

    package init() {}

    package var count: Int { waiters.count }

    /// When the next one is woken; nil if nobody sleeps.
    package var nextDeadline: Duration? { turns.first?.deadline }

    /// A number for one who is about to sleep.
    package mutating func announce() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    /// - Complexity: O(log n), where n is the number of those who sleep.
    package mutating func admit(_ number: UInt64, until deadline: Duration, _ waiter: Waiter) -> Admission {
        if cancelled.remove(number) != nil { return .wasCancelled }
        if deadline <= now { return .isDue }
        lastOrder += 1
        waiters[number] = waiter
        turns.insert(Turn(deadline: deadline, order: lastOrder, number: number))
        return .sleeps
    }

    /// Wakes one before its time, or keeps it from falling asleep.
    ///
    /// - Complexity: O(log n) on average, where n is the number of those who sleep.
    package mutating func cancel(_ number: UInt64) -> Waiter? {
        guard let waiter = waiters.removeValue(forKey: number) else {
            cancelled.insert(number)
            return nil
        }
        // Those that were cancelled take no more room than those who sleep.
        if turns.elements.count > 2 * waiters.count {
            turns = BinaryHeap(turns.elements.filter { waiters[$0.number] != nil })
        }
        dropCancelledTurns()
        return waiter
    }

    /// Takes note that a sleep is over, so that a cancellation which came too late is forgotten.
    package mutating func forget(_ number: UInt64) { cancelled.remove(number) }

    /// Moves the time on, to the next deadline if that is not later than `end`.
    ///
    /// - Returns: those that are due then; none when the time is `end` and nobody is due any more.
    package mutating func advance(upTo end: Duration) -> [Waiter] {
        guard let next = nextDeadline, next <= end else {
            now = max(now, end)
            return []
        }
        now = max(now, next)
        var due: [Waiter] = []
        while let first = turns.first, first.deadline <= now {
            turns.removeFirst()
            if let waiter = waiters.removeValue(forKey: first.number) { due.append(waiter) }
        }
        dropCancelledTurns()
        return due
    }

    /// Wakes all before their time.
    package mutating func cancelAll() -> [Waiter] {
        defer { (waiters, turns) = ([:], BinaryHeap()) }
        return turns.elements.sorted().compactMap { waiters[$0.number] }
    }

    private mutating func dropCancelledTurns() {
        while let first = turns.first, waiters[first.number] == nil { turns.removeFirst() }
    }
}
