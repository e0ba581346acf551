/// The waiters for numbers that have not been reached, in the order of their numbers: a plain value.
struct OrderedWaiters<Waiter> {
    /// In the order of numbers and identities. A waiter is nil if it was removed.
    private var waiting: [(number: UInt64, identity: UInt64, waiter: Waiter?)] = []
    /// The number of elements whose waiter was removed. The last element has a waiter.
    private var removed = 0
    private var identities: UInt64 = 0

    /// Returns an identity for a new waiter.
    mutating func makeIdentity() -> UInt64 {
        identities += 1
        return identities
    }

    /// Adds a waiter for a number.
    mutating func add(_ waiter: Waiter, for number: UInt64, _ identity: UInt64) {
        // Later waiters mostly wait for later numbers.
        let index = waiting.lastIndex { ($0.number, $0.identity) < (number, identity) }.map { $0 + 1 } ?? 0
        waiting.insert((number, identity, waiter), at: index)
    }

    /// Removes a waiter for a number and returns it; nil if it is not waiting.
    ///
    /// - Complexity: O(log *n*) on average, where *n* is the number of waiters: all of them can be removed at once.
    mutating func remove(_ identity: UInt64, for number: UInt64) -> Waiter? {
        let index = firstIndex { ($0, $1) >= (number, identity) }
        guard index < waiting.endIndex, waiting[index].identity == identity, let waiter = waiting[index].waiter else {
            return nil
        }
        waiting[index].waiter = nil
        removed += 1
        if removed > waiting.count / 2 {
            waiting.removeAll { $0.waiter == nil }
            removed = 0
        }
        dropRemovedAtEnd()
        return waiter
    }

    /// Changes a waiter for a number.
    ///
    /// - Returns: The result of the closure; nil if the waiter is not waiting.
    /// - Complexity: O(log *n*), where *n* is the number of waiters.
    mutating func update<Result>(
        _ identity: UInt64,
        for number: UInt64,
        _ body: (inout Waiter) -> Result
    ) -> Result? {
        let index = firstIndex { ($0, $1) >= (number, identity) }
        guard index < waiting.endIndex, waiting[index].number == number, waiting[index].identity == identity,
            var waiter = waiting[index].waiter
        else { return nil }
        let result = body(&waiter)
        waiting[index].waiter = waiter
        return result
    }

    /// The highest number that a waiter waits for.
    var last: UInt64? { waiting.last?.number }

    /// Removes and returns the waiters for a number within a range.
    mutating func take(within range: ClosedRange<UInt64>) -> [Waiter] {
        take(from: firstIndex { number, _ in number >= range.lowerBound }, through: range.upperBound)
    }

    /// Removes and returns the waiters for this number or a lower one.
    mutating func take(through number: UInt64) -> [Waiter] { take(from: 0, through: number) }

    private mutating func take(from start: Int, through number: UInt64) -> [Waiter] {
        let end = max(start, firstIndex { other, _ in other > number })
        guard start < end else { return [] }
        let taken = waiting[start..<end].compactMap { $0.waiter }
        removed -= end - start - taken.count
        waiting.removeSubrange(start..<end)
        dropRemovedAtEnd()
        return taken
    }

    private mutating func dropRemovedAtEnd() {
        while let last = waiting.last, last.waiter == nil {
            waiting.removeLast()
            removed -= 1
        }
    }

    /// Returns the first index whose number and identity fulfil a condition, as all later ones do.
    private func firstIndex(where isLater: (_ number: UInt64, _ identity: UInt64) -> Bool) -> Int {
        var range = waiting.startIndex..<waiting.endIndex
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            let (number, identity, _) = waiting[middle]
            range = isLater(number, identity) ? range.lowerBound..<middle : middle + 1..<range.upperBound
        }
        return range.lowerBound
    }
}

extension OrderedWaiters: Sendable where Waiter: Sendable {}
