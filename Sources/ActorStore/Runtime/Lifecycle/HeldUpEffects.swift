/// Effects that cannot end before one of them does, who has asked for a shutdown: itself, those that wait for the task
/// of an action which has started one of them, and those that are in a queue behind them. A plain value, in the turn.
struct HeldUpEffects {
    /// None at all.
    static let none = HeldUpEffects()

    /// In the order in which they were found.
    private(set) var effects: [EffectJob] = []
    private var identities: Set<ObjectIdentifier> = []
    /// The stores for whose shutdowns it is known who has asked for them.
    private var stores: Set<ObjectIdentifier> = []
    /// Those in whose queues there may be others behind these.
    private var storesWithQueues: [ObjectIdentifier: TreeNode] = [:]

    var isEmpty: Bool { identities.isEmpty }

    func contains(_ job: EffectJob) -> Bool { identities.contains(ObjectIdentifier(job)) }

    /// - Returns: Whether it was not among them before.
    mutating func insert(_ job: EffectJob) -> Bool {
        guard identities.insert(ObjectIdentifier(job)).inserted else { return false }
        effects.append(job)
        return true
    }

    /// Records a store in which one of these runs, or one above that.
    ///
    /// - Returns: Whether it was not known before.
    mutating func insertStore(_ node: TreeNode) -> Bool { stores.insert(ObjectIdentifier(node)).inserted }

    /// Records that one of these has a place in a queue of a store.
    mutating func noteQueues(of node: TreeNode) { storesWithQueues[ObjectIdentifier(node)] = node }

    /// Takes out the effects that are in queues behind these, as far as that was not found out before.
    mutating func queuedEffects() -> [EffectJob] {
        let nodes = storesWithQueues.values
        storesWithQueues = [:]
        return nodes.flatMap { queuedEffects(among: $0.effectRuntime.jobs) }
    }

    /// - Complexity: O(*n*) with *n* effects.
    private func queuedEffects(among jobs: [EffectJob]) -> [EffectJob] {
        let blockedQueues = blockedQueues(among: jobs)
        return jobs.filter { !contains($0) && isBehind($0, blockedQueues) }
    }

    /// How many of these, and of the groups that they are a part of, a store's queues let run.
    private func takenSlots(among jobs: [EffectJob]) -> [EffectQueueKey: Int] {
        var subscribers: [EffectQueueKey: Int] = [:]
        var holders: Set<ObjectIdentifier> = []
        for job in jobs where contains(job) {
            for holder in [job] + job.groups where holder.holdsSlot {
                if holders.insert(ObjectIdentifier(holder)).inserted, let key = EffectQueueKey(of: holder) {
                    subscribers[key, default: 0] += 1
                }
            }
        }
        return subscribers
    }

    /// The queues in which there will be no room before one of these has ended, each from the position on of the first
    /// that waits for that: those behind it wait for it.
    private func blockedQueues(among jobs: [EffectJob]) -> [EffectQueueKey: SuspensionQueue<EffectJob>.Key] {
        let takenSlots = takenSlots(among: jobs)
        var blocked: [EffectQueueKey: SuspensionQueue<EffectJob>.Key] = [:]
        if takenSlots.isEmpty { return blocked }
        for job in jobs {
            // One that is cancelled leaves the queue as soon as its task comes to it.
            guard !job.isCancelled, let position = job.queuePosition, let key = EffectQueueKey(of: job),
                takenSlots[key, default: 0] >= job.options.policy.queueLimit
            else { continue }
            blocked[key] = min(position, blocked[key] ?? position)
        }
        return blocked
    }

    /// Whether it waits in one of these queues.
    private func isBehind(
        _ job: EffectJob,
        _ blockedQueues: [EffectQueueKey: SuspensionQueue<EffectJob>.Key]
    ) -> Bool {
        guard !blockedQueues.isEmpty, let position = job.queuePosition,
            let key = EffectQueueKey(of: job), let first = blockedQueues[key]
        else { return false }
        return position >= first
    }
}

/// Which queue an effect is in: that of its identity, at the place of its child.
private struct EffectQueueKey: Hashable {
    let place: ObjectIdentifier
    let id: EffectID

    init?(of job: EffectJob) {
        guard let place = job.place, let id = job.id else { return nil }
        self.place = ObjectIdentifier(place)
        self.id = id
    }
}

extension UnfinishedEffect {
    /// - Returns: nil for one that has not begun, and so never will.
    init?(_ job: EffectJob, at now: ContinuousClock.Instant) {
        guard let runningTime = job.runningTime(at: now) else { return nil }
        self.init(
            id: job.id ?? job.groups.lazy.compactMap(\.id).first,
            source: job.options.source,
            runningTime: runningTime,
            action: job.tracker.action
        )
    }
}

extension TreeRoot {
    /// Cancels the effects that a shutdown waits for, also those that begin only afterwards. In the turn.
    final func cancelAllEffects(of waiter: EffectWaiter) {
        // `run()` returns with the end of the store, and those that go on afterwards have asked for that.
        if waiter.isOver || waiter.endsRun && waiter.node.hasEnded { return }
        let notAwaited = effectsNotAwaited(by: waiter)
        let spared = notAwaited + cancellers(ofCallerOf: waiter)
        // It may be the last one to hold on to an effect that is over.
        if !waiter.spared.isEmpty { deferred.abandon(waiter.spared) }
        waiter.spared = notAwaited.filter { $0 !== waiter.caller && runs($0, in: waiter.node) }
        if waiter.exception != nil { shutdownsByEffects.noteSpared(by: waiter) }
        waiter.cancelsEffects = true
        extras.insert(.effectCancellation)
        for node in waiter.node.subtree {
            node.lifecycle.cancelsEffects = true
            cancelEffects(node.effectRuntime, sparing: spared)
        }
    }

    /// Cancels the effects that a shutdown does not let finish, also those that begin only afterwards. In the turn.
    final func cancelEffectsOnShutdown(for waiter: EffectWaiter) {
        extras.insert(.effectCancellation)
        lazy var spared = effectsNotAwaited(by: waiter)
        for node in waiter.node.subtree {
            guard let effects = node.effectRuntime, effects.machine.registry.hasWorkCancelledOnShutdown else {
                continue
            }
            // Found out before the machine is changed, because that is what is looked at.
            let spared = spared
            effects.machine.cancelOnShutdown(sparing: spared)
            deferResults(of: effects.machine.takeOutput())
        }
    }

    /// Cancels the effects that a shutdown does not let finish, before there is one. In the turn.
    final func cancelEffectsOnShutdown(sparing spared: [EffectJob]) {
        for node in subtree {
            guard let effects = node.effectRuntime, effects.machine.registry.hasWorkCancelledOnShutdown else {
                continue
            }
            effects.machine.cancelOnShutdown(sparing: spared)
            deferResults(of: effects.machine.takeOutput())
        }
    }

    /// Cancels the effects that a shutdown has spared, and for which it has come to wait since: because they no longer
    /// wait for its caller, or their own shutdowns are over. In the turn.
    ///
    /// - Returns: Whether there were any.
    @discardableResult
    final func cancelEffectsAwaitedMeanwhile(by waiter: EffectWaiter) -> Bool {
        // The store ends only when the caller has ended, which those wait for that were spared.
        if waiter.waitsForCaller, waiter.caller?.isOver == false { return false }
        let goingOn = waiter.sparedAndRunning
        if goingOn.isEmpty { return false }
        let exceptions = exceptions(of: waiter)
        if goingOn.allSatisfy(exceptions.contains) { return false }
        cancelAllEffects(of: waiter)
        return true
    }

    /// The effect that has asked for a shutdown, and those that have asked for others, and for which it does not wait.
    private func effectsNotAwaited(by waiter: EffectWaiter) -> [EffectJob] {
        guard let caller = waiter.caller, !caller.isOver else { return [] }
        let spared = exceptions(of: waiter).effects.filter { shutdownsByEffects.areAskedFor(by: $0) || $0.isSpared }
        return ([caller] + spared).flatMap(\.andAwaiters)
    }

    /// Those that have cancelled the caller of a shutdown by having begun that of their own stores, and are waited for.
    private func cancellers(ofCallerOf waiter: EffectWaiter) -> [EffectJob] {
        guard let caller = waiter.caller, !caller.isOver else { return [] }
        return caller.andAwaiters.flatMap(cancellers)
    }

    /// Those that have begun shutdowns of their own stores by which an effect was cancelled, and that wait for them.
    private func cancellers(of effect: EffectJob) -> [EffectJob] {
        guard let host = host(of: effect) else { return [] }
        var shutdowns: [EffectWaiter] = []
        host.withPath { shutdowns += $0.effectWaiters.waiters }
        return shutdowns.filter(\.cancelsEffects).flatMap { shutdown in
            shutdown.caller.map { Array($0.andAwaiters.drop { !runs($0, in: shutdown.node) }) } ?? []
        }
    }
}

/// The effects that shut a group of stores down, each of which waits for the ends of all stores, and so of the others.
package final class GroupShutdown: @unchecked Sendable {
    // Sound: `effects` and `trees` are touched only under the lock.
    private let lock = Lock()
    private var effects: [EffectJob] = []
    private var trees: Set<ObjectIdentifier> = []

    package init() {}

    var callers: [EffectJob] { lock.withLock { effects } }

    /// Whether one of some effects is one of a store of the group.
    func includesStores(of effects: [EffectJob]) -> Bool { effects.contains(where: includesStore) }

    /// Whether an effect is one of a store of the group.
    func includesStore(of effect: EffectJob) -> Bool {
        guard let host = effect.host else { return false }
        return lock.withLock { trees.contains(ObjectIdentifier(host.root)) }
    }

    /// Counts the effect that calls this, if one does, among the callers while `body` runs. Stores that have ended, and
    /// are no longer of the group, know of it, too, if effects of theirs wait for it: effects of the group may wait for
    /// those.
    ///
    /// - Parameter trees: The stores of the group, with those below them; the group keeps them.
    func perform<Result>(
        with trees: [TreeRoot],
        isolation: isolated (any Actor)? = #isolation,
        _ body: nonisolated(nonsending) () async -> Result
    ) async -> Result {
        guard let caller = EffectJob.current else { return await body() }
        let members = Set(trees.map(ObjectIdentifier.init))
        lock.withLock {
            effects.append(caller)
            self.trees = members
        }
        let others = EffectTracker.stores(ofEffectsHeldUpBy: [caller]).filter { other in
            !members.contains(ObjectIdentifier(other))
        }
        let waiters = others.map { (tree: $0, waiter: EffectWaiter(node: $0, caller: caller, group: self)) }
        for (tree, waiter) in waiters { tree.inTurn { tree.announceIfEnded(waiter) } }
        let result = await body()
        for (tree, waiter) in waiters { tree.inTurn { tree.remove(waiter) } }
        lock.withLock { if let index = effects.firstIndex(where: { $0 === caller }) { effects.remove(at: index) } }
        return result
    }
}
