/// The shutdowns of a tree that do not wait for the effects that requested them, by what they wait for. A plain value,
/// used within the turn.
///
/// Which effects such a shutdown does not wait for depends on what all others wait for, and costs more to find out than
/// an effect does. But an effect that waits for no other is awaited, whatever the others do. So each shutdown watches
/// one such effect, if there is one, and is checked again when that effect ends or begins to wait, as a solver watches
/// literals of each clause (M. Moskewicz et al., "Chaff: Engineering an Efficient SAT Solver", 2001). The few other
/// shutdowns are checked whenever anything has changed.
struct ShutdownsByEffects {
    /// The number of shutdowns that each effect has requested.
    private var callers: [ObjectIdentifier: Int] = [:]
    /// The shutdowns that watch an effect, by the identity of the effect.
    private var watching: [ObjectIdentifier: [EffectWaiter]] = [:]
    /// The shutdowns that watch an effect and have spared effects, which they cancel if they come to wait for them.
    private var sparing: [EffectWaiter] = []
    /// The shutdowns that have to be checked, in the order in which that was found out.
    private var unsettled: [EffectWaiter] = []

    var isEmpty: Bool { callers.isEmpty }

    /// The number of shutdowns.
    ///
    /// - Complexity: O(*n*), where *n* is the number of effects that have requested one.
    var count: Int { callers.values.reduce(0, +) }

    /// Returns whether an effect has requested one of the shutdowns.
    func areAskedFor(by effect: EffectJob) -> Bool { callers[ObjectIdentifier(effect)] != nil }

    /// Counts a shutdown that an effect has requested. It is checked once it has begun.
    mutating func insert(askedForBy caller: EffectJob) { callers[ObjectIdentifier(caller), default: 0] += 1 }

    mutating func remove(_ waiter: EffectWaiter, askedForBy caller: EffectJob) {
        callers[ObjectIdentifier(caller), default: 0] -= 1
        if callers[ObjectIdentifier(caller)] == 0 { callers[ObjectIdentifier(caller)] = nil }
        // They are no longer checked, and those that a deadline has ended refer to their tree.
        defer { if callers.isEmpty { self = ShutdownsByEffects() } }
        // Usually the shutdown was given up. Otherwise the watched effect has ended.
        guard let effect = waiter.watched else { return }
        waiter.watched = nil
        watching[effect]?.removeAll { $0 === waiter }
        if watching[effect]?.isEmpty == true { watching[effect] = nil }
    }

    /// Makes a shutdown watch an effect, which it waits for until the effect ends or begins to wait for others.
    mutating func settle(_ waiter: EffectWaiter, on effect: EffectJob) {
        let effect = ObjectIdentifier(effect)
        waiter.watched = effect
        watching[effect, default: []].append(waiter)
        noteSpared(by: waiter)
    }

    /// Records that a shutdown may have spared effects.
    mutating func noteSpared(by waiter: EffectWaiter) {
        // The others are checked anyway.
        if waiter.watched != nil, !waiter.sparedAndRunning.isEmpty { sparing.append(waiter) }
    }

    /// Marks the shutdowns that have spared effects for a check, because some effects no longer wait for others.
    mutating func unsettleSparing() {
        if sparing.isEmpty { return }
        sparing.forEach { unsettle($0) }
        sparing = []
    }

    /// Marks a shutdown for a check.
    mutating func unsettle(_ waiter: EffectWaiter) {
        if waiter.isUnsettled { return }
        waiter.isUnsettled = true
        unsettled.append(waiter)
    }

    /// Marks the shutdowns that watch an effect for a check, because the effect has ended or has begun to wait for
    /// others.
    mutating func unsettle(watching effect: EffectJob) {
        guard let waiters = watching.removeValue(forKey: ObjectIdentifier(effect)) else { return }
        for waiter in waiters {
            waiter.watched = nil
            unsettle(waiter)
        }
    }

    /// Removes and returns the shutdowns that have to be checked. Some of them may still watch an effect.
    mutating func takeUnsettled() -> [EffectWaiter] {
        if unsettled.isEmpty { return [] }
        for waiter in unsettled { waiter.isUnsettled = false }
        defer { unsettled = [] }
        return unsettled
    }
}
