import Synchronization

/// A shutdown, of a whole tree or of a branch, that waits until all effects have ended.
final class EffectWaiter: @unchecked Sendable {
    // Sound: the variables are touched only in the turn; everything else is constant, and `promise` protects itself.

    /// The effect that asked for the shutdown, and that it does not cancel; nil if no effect did.
    let caller: EffectJob?
    let request: Request
    /// The store whose effects these are, and those of the stores below it.
    let node: TreeNode
    /// Who shuts down the group that the store is one of; nil if it is shut down alone.
    let group: GroupShutdown?
    /// Whether it has cancelled the effects for which it waits.
    var cancelsEffects = false
    /// Those effects that it has not cancelled then, but for the caller, because it did not wait for them.
    var spared: [EffectJob] = []
    /// Given true when the effects and the stores have ended, or false by one whose patience has come to its end.
    let promise = Promise<Bool>()
    /// The revision at which there were no effects, while it is found out whether there will be none.
    var confirmedRevision: UInt64?
    /// Stores that had effects when all were looked at last. As long as one of them still has some, the others need not
    /// be looked at, so that the ends of many effects together look at each store once.
    var running: [TreeNode] = []
    /// Whether it waits no longer.
    fileprivate(set) var isOver = false
    /// Whether it is in the list of those that wait.
    fileprivate var isNoted = false
    /// The caller, if it is an effect of another tree, or of a store outside the branch, so that its end has to be
    /// told.
    fileprivate var callerElsewhere: EffectJob?

    init(
        node: TreeNode,
        caller: EffectJob?,
        request: Request = .awaited,
        group: GroupShutdown? = nil
    ) {
        self.node = node
        self.caller = caller
        self.request = request
        self.group = group
    }

    /// How the end of a store was asked for.
    enum Request {
        /// By a task that waits for the end.
        case awaited
        /// By a task that waits for the end, and was cancelled before it asked: so the effects are cancelled at once.
        case awaitedByCancelledTask
        /// By a caller that does not wait: so the store ends only when the effect has ended that asked for it, if one
        /// did.
        case begun
        /// By a cancelled task that waits in ``Store/run(endingWithin:clock:isolation:)`` for the end of the store, and
        /// not for the effects that go on then.
        case run
    }

    /// Whether the store ends only when the effect that asked for that has ended.
    var waitsForCaller: Bool { request == .begun }

    /// Whether it lets ``Store/run(endingWithin:clock:isolation:)`` return.
    var endsRun: Bool { request == .run }

    /// Whether the shutdown has cancelled the effects itself, because the task that waits was cancelled before.
    var wasCancelled: Bool { request == .awaitedByCancelledTask }

    /// The caller, unless the store ends only when that has ended.
    var exception: EffectJob? { waitsForCaller ? nil : caller }
}

extension TreeRoot {
    /// Ends stores that are shut down and of whose effects there are none left. In the turn.
    ///
    /// - Parameter node: The store of which an effect has ended.
    final func resumeEffectWaiters(of node: TreeNode) {
        node.withPath { resume($0.effectWaiters) }
        // What has begun after it may be in a queue behind who shuts down another store.
        if !shutdownsByEffects.isEmpty { resumeShutdownsByEffects() }
    }

    /// Ends a store that is shut down when none of its effects are left, which may be at once. In the turn.
    final func add(_ waiter: EffectWaiter) {
        // A deadline can have ended it before its turn came.
        if waiter.isOver { return }
        if waiter.endsRun && waiter.node.hasEnded {
            waiter.isOver = true
            return deferAnswer(.other { waiter.promise.settle(true) })
        }
        note(waiter)
        if waiter.exception == nil { resume([waiter]) } else { resumeShutdownsByEffects() }
    }

    /// Has errors released by a background task: who shuts a tree down may hold locks.
    private func letGo(of failures: [StoreFailure]) { if !failures.isEmpty { deferred.abandon(failures) } }

    /// Ends what was shut down, which no longer waits. In the turn.
    final func finish(_ waiter: EffectWaiter) {
        // As long as it is in its list, its caller is not cancelled. A deadline can end it before its turn came.
        if !waiter.isNoted { note(waiter) }
        end(waiter.node)
        // The tree may be kept by an action of theirs. Not so if it ends because nobody refers to it any more.
        if waiter.node.isRoot { letGo(of: failures.removeActions()) }
        waiter.isOver = true
        // An effect that shuts a group down waits for the ends of other stores, too.
        if waiter.group == nil || waiter.exception == nil { remove(waiter) }
    }

    /// Forgets a shutdown whose caller goes on. In the turn.
    final func remove(_ waiter: EffectWaiter) {
        forget(waiter)
        // They may wait for the caller from now on.
        if !shutdownsByEffects.isEmpty { resumeShutdownsByEffects() }
    }

    private func note(_ waiter: EffectWaiter) {
        waiter.isNoted = true
        change(listOf: waiter) { $0.append(waiter) }
        guard let caller = waiter.caller, !runs(caller, in: waiter.node) else { return }
        waiter.callerElsewhere = caller
        caller.tracker.beginAwaiting(self, by: caller)
    }

    private func forget(_ waiter: EffectWaiter) {
        guard waiter.isNoted else { return }
        waiter.isNoted = false
        change(listOf: waiter) { $0.removeAll { $0 === waiter } }
        if let caller = waiter.callerElsewhere { caller.tracker.endAwaiting(self, by: caller) }
    }

    /// The effects that have asked for the end of a store, also as of one store of a group, and those that wait for
    /// their ends as for parts of their own. In the turn.
    final func callersOfShutdowns(of node: TreeNode) -> [EffectJob] {
        shutdownsByEffects.filter { node.isAtOrBelow($0.node) }
            .flatMap { ($0.group?.callers ?? []) + ($0.exception.map { [$0] } ?? []) }.filter { !$0.isOver }
            .flatMap(\.andAwaiters)
    }

    /// Looks again at what waits because of an effect of another tree, or of a store outside the branch, which is over.
    /// In the turn.
    final func resumeShutdowns(askedForBy caller: EffectJob) {
        resume(subtree.flatMap(\.effectWaiters).filter { $0.caller === caller })
        resumeShutdownsByEffects()
    }

    /// Forgets shutdowns that were to let `run()` return, of stores that have ended in another way. In the turn.
    final func endRuns() {
        let ended = shutdownsByEffects.filter { $0.endsRun && $0.node.hasEnded }
        if ended.isEmpty { return }
        for waiter in ended {
            forget(waiter)
            waiter.isOver = true
            deferAnswer(.other { waiter.promise.settle(true) })
        }
        inTurn { [self] in resumeShutdownsByEffects() }
    }

    /// Ends stores that effects have shut down, because an effect has come to wait for the end of others. In the turn.
    final func resumeShutdownsByEffects() { resume(shutdownsByEffects) }

    private func resume(_ waiters: [EffectWaiter]) {
        for waiter in waiters where !waiter.isOver && waiter.confirmedRevision == nil {
            cancelEffectsAwaitedMeanwhile(by: waiter)
            if !hasEffects(of: waiter) { confirm(waiter) }
        }
    }

    /// Changes the list that one is in: of those that wait for all effects of the same store, or of those that do not
    /// wait for the effect that has asked for them.
    private func change(listOf waiter: EffectWaiter, _ body: (inout [EffectWaiter]) -> Void) {
        if waiter.exception != nil { return body(&shutdownsByEffects) }
        body(&waiter.node.effectWaiters)
    }

    /// The effects for which a shutdown does not wait: the one that asked for it, and those that cannot end before it
    /// does, also because they have asked for shutdowns of stores with such effects, or of their group. Once the store
    /// has ended together with that of the caller, or as one of its group, those are added that go on after the end
    /// because they have asked for it. A shutdown that no effect asked for waits for all; and so does one whose effect
    /// is over, because a task that it has started holds nothing up.
    final func exceptions(of waiter: EffectWaiter) -> HeldUpEffects {
        guard let exception = waiter.exception, !exception.isOver else { return .none }
        let callers = exception.andAwaiters
        var exceptions = HeldUpEffects()
        exceptions.insert(exception)
        if waiter.node.hasEnded,
            callers.contains(where: hasEndedStore) || waiter.group?.includesStores(of: callers) == true
        {
            for job in waiter.node.effectJobs where job.isSpared { exceptions.insert(job) }
        }
        var hasGrown = true
        while hasGrown {
            hasGrown = false
            for jobs in subtree.map(\.effectRuntime.jobs)
            where exceptions.insertWaiting(among: jobs) { hasGrown = true }
            for other in shutdownsByEffects {
                guard let effect = other.exception, !effect.isOver, !exceptions.contains(effect),
                    other.node.effectJobs.contains(where: exceptions.contains)
                        || other.group?.includesStores(of: callers) == true
                else { continue }
                exceptions.insert(effect)
                hasGrown = true
            }
        }
        return exceptions
    }

    /// Whether an effect is one of a store of the tree that has ended.
    private func hasEndedStore(of effect: EffectJob) -> Bool {
        host(of: effect)?.hasEnded == true
    }

    /// Has it looked at again behind all that waits, because actions that effects have sent may start others.
    private func confirm(_ waiter: EffectWaiter) {
        waiter.confirmedRevision = revision.loadRelaxed()
        inTurn { [self] in endIfConfirmed(waiter) }
    }

    private func endIfConfirmed(_ waiter: EffectWaiter) {
        guard let confirmed = waiter.confirmedRevision, !waiter.isOver else { return }
        waiter.confirmedRevision = nil
        cancelEffectsAwaitedMeanwhile(by: waiter)
        guard !hasEffects(of: waiter) else { return }
        // Nobody else's actions are accepted then, so that any that was reduced may have sent others in its turn. (In a
        // tree that goes on there is no end to actions, and a second look would be followed by a third.)
        let isRepeated = waiter.node.isRoot && !lifecycle.cancelsEffects
        if isRepeated && confirmed != revision.loadRelaxed() { return confirm(waiter) }
        finish(waiter)
        deferAnswer(.other { waiter.promise.settle(true) })
    }

    /// Whether there are effects for which a shutdown of the tree waits that an effect asks for. In the turn.
    final func hasEffects(besides caller: EffectJob?) -> Bool {
        hasEffects(of: EffectWaiter(node: self, caller: caller))
    }

    private func hasEffects(of waiter: EffectWaiter) -> Bool {
        let exceptions = exceptions(of: waiter)
        while let node = waiter.running.last {
            if node.effectRuntime.hasEffects(except: exceptions) { return true }
            retire(waiter.running.removeLast())
        }
        waiter.running = waiter.node.subtree.filter { $0.effectRuntime.hasEffects(except: exceptions) }
        return !waiter.running.isEmpty
    }
}
