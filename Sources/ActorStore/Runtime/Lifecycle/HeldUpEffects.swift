/// Effects that cannot end before one of them that requested a shutdown: that effect, the effects that wait for the
/// task of an action that started one of these, and the effects in a queue behind them. A plain value, used within the
/// turn.
struct HeldUpEffects {
    /// No effects.
    static let none = HeldUpEffects()

    /// In the order in which they were found.
    private(set) var effects: [EffectJob] = []
    private var identities: Set<ObjectIdentifier> = []
    /// The stores whose shutdowns were searched for their callers.
    private var stores: Set<ObjectIdentifier> = []
    /// The stores in whose queues other effects may wait behind these.
    private var storesWithQueues: [ObjectIdentifier: TreeNode] = [:]

    var isEmpty: Bool { identities.isEmpty }

    func contains(_ job: EffectJob) -> Bool { identities.contains(ObjectIdentifier(job)) }

    /// Adds an effect.
    ///
    /// - Returns: Whether it was not present before.
    mutating func insert(_ job: EffectJob) -> Bool {
        guard identities.insert(ObjectIdentifier(job)).inserted else { return false }
        effects.append(job)
        return true
    }

    /// Records a store in which one of these effects runs, or a store above that.
    ///
    /// - Returns: Whether it was not recorded before.
    mutating func insertStore(_ node: TreeNode) -> Bool { stores.insert(ObjectIdentifier(node)).inserted }

    /// Records that one of these effects has a place in a queue of a store.
    mutating func noteQueues(of node: TreeNode) { storesWithQueues[ObjectIdentifier(node)] = node }

    /// Returns the effects that wait in queues behind these, in the stores that were recorded since the last call.
    mutating func queuedEffects() -> [EffectJob] {
        let nodes = storesWithQueues.values
        storesWithQueues = [:]
        return nodes.flatMap { queuedEffects(among: $0.effectRuntime.jobs) }
    }

    /// Returns the effects that wait in queues behind these.
    ///
    /// - Complexity: O(*n*), where *n* is the number of effects.
    private func queuedEffects(among jobs: [EffectJob]) -> [EffectJob] {
        let blockedQueues = blockedQueues(among: jobs)
        return jobs.filter { !contains($0) && isBehind($0, blockedQueues) }
    }

    /// Returns how many slots of each queue these effects hold, and the groups that they are a part of.
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

    /// Returns the queues in which there is no room before one of these effects has ended, each with the position of
    /// the first effect that waits for that. The effects behind that one wait for it.
    private func blockedQueues(among jobs: [EffectJob]) -> [EffectQueueKey: SuspensionQueue<EffectJob>.Key] {
        let takenSlots = takenSlots(among: jobs)
        var blocked: [EffectQueueKey: SuspensionQueue<EffectJob>.Key] = [:]
        if takenSlots.isEmpty { return blocked }
        for job in jobs {
            // A cancelled effect leaves the queue as soon as its task gets there.
            guard !job.isCancelled, let position = job.queuePosition, let key = EffectQueueKey(of: job),
                takenSlots[key, default: 0] >= job.options.policy.queueLimit
            else { continue }
            blocked[key] = min(position, blocked[key] ?? position)
        }
        return blocked
    }

    /// Returns whether an effect waits in one of these queues.
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

/// Identifies the queue of an effect: that of its identity, at the place of its child.
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
    /// Describes an effect that runs.
    ///
    /// - Returns: `nil` for an effect that has not begun, and so never will.
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
    /// Cancels the effects that a shutdown waits for, including those that begin later. Called within the turn.
    final func cancelAllEffects(of waiter: EffectWaiter) {
        // `run()` returns when the store ends, and the effects that continue after that have requested it.
        if waiter.isOver || waiter.endsRun && waiter.node.hasEnded { return }
        let notAwaited = effectsNotAwaited(by: waiter)
        let spared = notAwaited + cancellers(ofCallerOf: waiter)
        // This may be the last reference to an effect that is over.
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

    /// Cancels the effects that a shutdown does not let finish, including those that begin later. Called within the
    /// turn.
    final func cancelEffectsOnShutdown(for waiter: EffectWaiter) {
        extras.insert(.effectCancellation)
        lazy var spared = effectsNotAwaited(by: waiter)
        for node in waiter.node.subtree {
            guard let effects = node.effectRuntime, effects.machine.registry.hasWorkCancelledOnShutdown else {
                continue
            }
            // Evaluated before the machine is changed, because it depends on the machine.
            let spared = spared
            effects.machine.cancelOnShutdown(sparing: spared)
            deferResults(of: effects.machine.takeOutput())
        }
    }

    /// Cancels the effects that a shutdown does not let finish, before there is a shutdown. Called within the turn.
    final func cancelEffectsOnShutdown(sparing spared: [EffectJob]) {
        for node in subtree {
            guard let effects = node.effectRuntime, effects.machine.registry.hasWorkCancelledOnShutdown else {
                continue
            }
            effects.machine.cancelOnShutdown(sparing: spared)
            deferResults(of: effects.machine.takeOutput())
        }
    }

    /// Cancels the effects that a shutdown has spared, but now waits for, because they no longer wait for its caller,
    /// or because their own shutdowns are over. Called within the turn.
    ///
    /// - Returns: Whether there were any.
    @discardableResult
    final func cancelEffectsAwaitedMeanwhile(by waiter: EffectWaiter) -> Bool {
        // The store ends only after the caller, and the spared effects wait for the caller.
        if waiter.waitsForCaller, waiter.caller?.isOver == false { return false }
        let goingOn = waiter.sparedAndRunning
        if goingOn.isEmpty { return false }
        let exceptions = exceptions(of: waiter)
        if goingOn.allSatisfy(exceptions.contains) { return false }
        cancelAllEffects(of: waiter)
        return true
    }

    /// Returns the effect that requested a shutdown, and those that requested other shutdowns and are not awaited by
    /// this one.
    private func effectsNotAwaited(by waiter: EffectWaiter) -> [EffectJob] {
        guard let caller = waiter.caller, !caller.isOver else { return [] }
        let spared = exceptions(of: waiter).effects.filter { shutdownsByEffects.areAskedFor(by: $0) || $0.isSpared }
        return ([caller] + spared).flatMap(\.andAwaiters)
    }

    /// Returns the effects that began shutdowns of their own stores, and thereby cancelled the caller of this shutdown.
    /// Those shutdowns wait for them.
    private func cancellers(ofCallerOf waiter: EffectWaiter) -> [EffectJob] {
        guard let caller = waiter.caller, !caller.isOver else { return [] }
        return caller.andAwaiters.flatMap(cancellers)
    }

    /// Returns the effects that began shutdowns of their own stores, and thereby cancelled an effect. Those shutdowns
    /// wait for them.
    private func cancellers(of effect: EffectJob) -> [EffectJob] {
        guard let host = host(of: effect) else { return [] }
        var shutdowns: [EffectWaiter] = []
        host.withPath { shutdowns += $0.effectWaiters.waiters }
        return shutdowns.filter(\.cancelsEffects).flatMap { shutdown in
            shutdown.caller.map { Array($0.andAwaiters.drop { !runs($0, in: shutdown.node) }) } ?? []
        }
    }
}

/// The effects that shut down a group of stores. Each of them waits for the ends of all stores, and so for the others.
package final class GroupShutdown: @unchecked Sendable {
    // Sound: `effects` and `trees` are accessed only under the lock.
    private let lock = Lock()
    private var effects: [EffectJob] = []
    private var trees: Set<ObjectIdentifier> = []

    package init() {}

    var callers: [EffectJob] { lock.withLock { effects } }

    /// Returns whether one of some effects belongs to a store of the group.
    func includesStores(of effects: [EffectJob]) -> Bool { effects.contains(where: includesStore) }

    /// Returns whether an effect belongs to a store of the group.
    func includesStore(of effect: EffectJob) -> Bool {
        guard let host = effect.host else { return false }
        return lock.withLock { trees.contains(ObjectIdentifier(host.root)) }
    }

    /// Registers the calling effect, if any, as a caller while `body` runs. Stores that have ended, and no longer
    /// belong to the group, register it as well if effects of theirs wait for it, because effects of the group may wait
    /// for those.
    ///
    /// - Parameters:
    ///   - trees: The stores of the group, with those below them. The group retains them.
    ///   - isolation: The actor on which this runs; by default the caller's.
    ///   - body: Shuts the group down.
    /// - Returns: The result of `body`.
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
