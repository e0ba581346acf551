/// The waiters for numbers that have not been reached, in the order of their numbers: a plain value.
struct OrderedWaiters<Waiter> {
    private var waiting: [(number: UInt64, identity: UInt64, waiter: Waiter)] = []
    private var identities: UInt64 = 0

    /// Returns an identity for a new waiter.
    mutating func makeIdentity() -> UInt64 {
        identities += 1
        return identities
    }

    /// Adds a waiter for a number.
    mutating func add(_ waiter: Waiter, for number: UInt64, _ identity: UInt64) {
        // Later waiters mostly wait for later numbers.
        let index = waiting.lastIndex { $0.number <= number }.map { $0 + 1 } ?? 0
        waiting.insert((number, identity, waiter), at: index)
    }

    /// Removes a waiter and returns it; nil if it is not waiting.
    mutating func remove(_ identity: UInt64) -> Waiter? {
        guard let index = waiting.firstIndex(where: { $0.identity == identity }) else { return nil }
        return waiting.remove(at: index).waiter
    }

    /// The highest number that a waiter waits for.
    var last: UInt64? { waiting.last?.number }

    /// Removes and returns the waiters for a number within a range.
    mutating func take(within range: ClosedRange<UInt64>) -> [Waiter] {
        let taken = waiting.filter { range.contains($0.number) }
        if !taken.isEmpty { waiting.removeAll { range.contains($0.number) } }
        return taken.map(\.waiter)
    }

    /// Removes and returns the waiters for this number or a lower one.
    mutating func take(through number: UInt64) -> [Waiter] {
        let end = waiting.firstIndex { $0.number > number } ?? waiting.endIndex
        defer { waiting.removeFirst(end) }
        return waiting[..<end].map(\.waiter)
    }
}
