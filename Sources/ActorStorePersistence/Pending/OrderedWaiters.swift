/// Those who wait until a number has been reached, in the order of their numbers: a plain value.
struct OrderedWaiters<Waiter> {
    private var waiting: [(number: UInt64, identity: UInt64, waiter: Waiter)] = []
    private var identities: UInt64 = 0

    /// Names one who is about to wait.
    mutating func makeIdentity() -> UInt64 {
        identities += 1
        return identities
    }

    /// Waits for a number.
    mutating func add(_ waiter: Waiter, for number: UInt64, _ identity: UInt64) {
        // Those who come later mostly wait for later ones.
        let index = waiting.lastIndex { $0.number <= number }.map { $0 + 1 } ?? 0
        waiting.insert((number, identity, waiter), at: index)
    }

    /// Takes back one who waits.
    mutating func remove(_ identity: UInt64) -> Waiter? {
        guard let index = waiting.firstIndex(where: { $0.identity == identity }) else { return nil }
        return waiting.remove(at: index).waiter
    }

    /// The highest number that somebody waits for.
    var last: UInt64? { waiting.last?.number }

    /// Takes out those who wait for a number within a range.
    mutating func take(within range: ClosedRange<UInt64>) -> [Waiter] {
        let taken = waiting.filter { range.contains($0.number) }
        if !taken.isEmpty { waiting.removeAll { range.contains($0.number) } }
        return taken.map(\.waiter)
    }

    /// Takes out those who wait for this number or a lower one.
    mutating func take(through number: UInt64) -> [Waiter] {
        let end = waiting.firstIndex { $0.number > number } ?? waiting.endIndex
        defer { waiting.removeFirst(end) }
        return waiting[..<end].map(\.waiter)
    }
}
