/// The shutdowns of a tree that do not wait for the effects that have asked for them, by what they wait for. A plain
/// value, in the turn.
///
/// Which effects such a shutdown does not wait for depends on what all others wait for, and costs more to find out than
/// an effect does. But one that waits for no other is awaited, whatever the others do. So each shutdown watches one of
/// these, if there is one, and is looked at again when that ends, or comes to wait itself, as a solver watches literals
/// of each clause (M. Moskewicz et al., "Chaff: Engineering an Efficient SAT Solver", 2001). The few others are looked
/// at whenever anything has changed.
struct ShutdownsByEffects {
    /// How many each effect has asked for.
    private var callers: [ObjectIdentifier: Int] = [:]
    /// Those that watch an effect, by its identity.
    private var watching: [ObjectIdentifier: [EffectWaiter]] = [:]
    /// Those that watch one, and have spared effects, which they cancel if they come to wait for these.
    private var sparing: [EffectWaiter] = []
    /// Those that have to be looked at, in the order in which that was found out.
    private var unsettled: [EffectWaiter] = []

    var isEmpty: Bool { callers.isEmpty }

    /// - Complexity: O(*n*) with *n* effects that have asked for one.
    var count: Int { callers.values.reduce(0, +) }

    /// Whether an effect has asked for one of them.
    func areAskedFor(by effect: EffectJob) -> Bool { callers[ObjectIdentifier(effect)] != nil }

    /// Counts one that an effect has asked for; it is looked at when it has begun.
    mutating func insert(askedForBy caller: EffectJob) { callers[ObjectIdentifier(caller), default: 0] += 1 }

    mutating func remove(_ waiter: EffectWaiter, askedForBy caller: EffectJob) {
        callers[ObjectIdentifier(caller), default: 0] -= 1
        if callers[ObjectIdentifier(caller)] == 0 { callers[ObjectIdentifier(caller)] = nil }
        // Nobody looks at them any more, and those that a deadline has ended lead to their tree.
        defer { if callers.isEmpty { self = ShutdownsByEffects() } }
        // It has been given up, as a rule: otherwise what it watched has ended.
        guard let effect = waiter.watched else { return }
        waiter.watched = nil
        watching[effect]?.removeAll { $0 === waiter }
        if watching[effect]?.isEmpty == true { watching[effect] = nil }
    }

    /// Has one watch an effect, which it waits for until that ends, or comes to wait for others.
    mutating func settle(_ waiter: EffectWaiter, on effect: EffectJob) {
        let effect = ObjectIdentifier(effect)
        waiter.watched = effect
        watching[effect, default: []].append(waiter)
        noteSpared(by: waiter)
    }

    /// Records that one may have spared effects.
    mutating func noteSpared(by waiter: EffectWaiter) {
        // The others are looked at anyway.
        if waiter.watched != nil, !waiter.sparedAndRunning.isEmpty { sparing.append(waiter) }
    }

    /// Has those looked at that have spared effects, because some no longer wait for others.
    mutating func unsettleSparing() {
        if sparing.isEmpty { return }
        sparing.forEach { unsettle($0) }
        sparing = []
    }

    /// Has one looked at.
    mutating func unsettle(_ waiter: EffectWaiter) {
        if waiter.isUnsettled { return }
        waiter.isUnsettled = true
        unsettled.append(waiter)
    }

    /// Has those looked at that watch an effect, which has ended, or has come to wait for others.
    mutating func unsettle(watching effect: EffectJob) {
        guard let waiters = watching.removeValue(forKey: ObjectIdentifier(effect)) else { return }
        for waiter in waiters {
            waiter.watched = nil
            unsettle(waiter)
        }
    }

    /// Takes out those that have to be looked at; of these some may still watch an effect.
    mutating func takeUnsettled() -> [EffectWaiter] {
        if unsettled.isEmpty { return [] }
        for waiter in unsettled { waiter.isUnsettled = false }
        defer { unsettled = [] }
        return unsettled
    }
}
