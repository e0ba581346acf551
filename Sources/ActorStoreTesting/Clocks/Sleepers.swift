/// The tasks that sleep on a ``TestClock`` or a ``SimulatedClock``, with their deadlines. A plain value.
package struct Sleepers<Waiter> {
    /// The result of a request to sleep.
    package enum Admission {
        case sleeps
        case isDue
        case wasCancelled
    }

    /// The order of wake-ups: by deadline, and with equal deadlines in the order of arrival.
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
    /// The first turn is that of a sleeping waiter. Among the others there can be turns of cancelled waiters.
    private var turns = BinaryHeap<Turn>()
    private var lastOrder: UInt64 = 0
    /// The waiters that were cancelled before they slept.
    private var cancelled: Set<UInt64> = []
    private var lastNumber: UInt64 = 0

    package init() {}

    package var count: Int { waiters.count }

    /// The deadline of the next wake-up; nil if no waiter sleeps.
    package var nextDeadline: Duration? { turns.first?.deadline }

    /// Returns a number for a waiter that is about to sleep.
    package mutating func announce() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    /// Registers a waiter until its deadline.
    ///
    /// - Complexity: O(log n), where n is the number of sleeping waiters.
    package mutating func admit(_ number: UInt64, until deadline: Duration, _ waiter: Waiter) -> Admission {
        if cancelled.remove(number) != nil { return .wasCancelled }
        if deadline <= now { return .isDue }
        lastOrder += 1
        waiters[number] = waiter
        turns.insert(Turn(deadline: deadline, order: lastOrder, number: number))
        return .sleeps
    }

    /// Wakes a waiter before its deadline, or keeps it from falling asleep.
    ///
    /// - Complexity: O(log n) on average, where n is the number of sleeping waiters.
    package mutating func cancel(_ number: UInt64) -> Waiter? {
        guard let waiter = waiters.removeValue(forKey: number) else {
            cancelled.insert(number)
            return nil
        }
        // Bounds the storage of cancelled turns by that of sleeping waiters.
        if turns.elements.count > 2 * waiters.count {
            turns = BinaryHeap(turns.elements.filter { waiters[$0.number] != nil })
        }
        dropCancelledTurns()
        return waiter
    }

    /// Forgets a cancellation that came after the end of its sleep.
    package mutating func forget(_ number: UInt64) { cancelled.remove(number) }

    /// Moves the time to the next deadline if that is not later than `end`, otherwise to `end`.
    ///
    /// - Returns: The waiters that are due then; empty when the time is `end` and no further waiter is due.
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

    /// Removes and returns all waiters, in the order of their wake-ups.
    ///
    /// - Complexity: O(n log n)
    package mutating func cancelAll() -> [Waiter] {
        defer { (waiters, turns) = ([:], BinaryHeap()) }
        return turns.elements.sorted().compactMap { waiters[$0.number] }
    }

    private mutating func dropCancelledTurns() {
        while let first = turns.first, waiters[first.number] == nil { turns.removeFirst() }
    }
}
