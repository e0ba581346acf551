import Synchronization

extension TreeRoot {
    /// Ends stores that are shut down and of whose effects there are none left. In the turn.
    ///
    /// - Parameters:
    ///   - node: The store of which an effect has ended.
    ///   - effect: The effect; nil if it was an action that the store's reducer had asked to be sent.
    final func resumeEffectWaiters(of node: TreeNode, after effect: EffectJob?) {
        node.withPath { resume($0.effectWaiters.waiters) }
        if shutdownsByEffects.isEmpty { return }
        // What has begun after it may be in a queue behind who shuts down another store.
        if let effect { shutdownsByEffects.unsettle(watching: effect) }
        resumeShutdownsByEffects(afterEnd: true)
    }

    /// Ends a store that is shut down when none of its effects are left, which may be at once. In the turn.
    final func add(_ waiter: EffectWaiter) {
        // A deadline can have ended it before its turn came.
        if waiter.isOver { return }
        if waiter.endsRun && waiter.node.hasEnded {
            waiter.isOver = true
            return deferAnswer(.other { waiter.promise.settle(true) })
        }
        waiter.hasBegun = true
        note(waiter)
        if waiter.exception == nil { return resume([waiter]) }
        shutdownsByEffects.unsettle(waiter)
        resumeShutdownsByEffects(afterEnd: false)
    }

    /// Records who asks for the shutdown of a store of a group, which begins when all stores of the group know this. In
    /// the turn.
    final func announce(_ waiter: EffectWaiter) {
        if !waiter.isOver { note(waiter) }
    }

    /// Records that effects of the tree, which has ended, wait for the end of a group that the tree is no longer one
    /// of. In the turn.
    ///
    /// - Parameter waiter: It never begins, because there is nothing to end.
    final func announceIfEnded(_ waiter: EffectWaiter) {
        guard hasEnded, let effect = waiter.exception else { return }
        announce(waiter)
        resumeShutdowns(awaitedBy: [effect])
    }

    /// Has errors released by a background task: who shuts a tree down may hold locks.
    private func letGo(of failures: [StoreFailure]) { if !failures.isEmpty { deferred.abandon(failures) } }

    /// Ends what was shut down, which no longer waits. In the turn.
    final func finish(_ waiter: EffectWaiter) {
        // As long as it is in its list, its caller is not cancelled. A deadline can end it before its turn came.
        note(waiter)
        end(waiter.node)
        // An action that a failure holds may keep the tree alive. A tree that ends because it was released has none.
        if waiter.node.isRoot { letGo(of: failures.removeActions()) }
        waiter.isOver = true
        if !waiter.running.isEmpty {
            retire(waiter.running)
            waiter.running = []
        }
        // An effect that shuts a group down waits for the ends of other stores, too.
        if waiter.group == nil || waiter.exception == nil { remove(waiter) }
    }

    /// Forgets a shutdown whose caller goes on. In the turn.
    final func remove(_ waiter: EffectWaiter) {
        forget(waiter)
        // They may wait for the caller from now on.
        if !shutdownsByEffects.isEmpty { resumeShutdownsByEffects(afterEnd: true) }
    }

    private func note(_ waiter: EffectWaiter) {
        if waiter.isNoted { return }
        waiter.isNoted = true
        if let exception = waiter.exception {
            exception.beginAwaitingOthers()
            for effect in exception.andAwaiters { shutdownsByEffects.unsettle(watching: effect) }
            waiter.node.ownShutdownsByEffects.append(waiter)
            shutdownsByEffects.insert(askedForBy: exception)
        } else {
            waiter.node.effectWaiters.append(waiter)
        }
        guard let caller = waiter.caller, !runs(caller, in: waiter.node) else { return }
        waiter.callerElsewhere = caller
        caller.tracker.beginAwaiting(waiter, in: self, by: caller)
    }

    private func forget(_ waiter: EffectWaiter) {
        guard waiter.isNoted else { return }
        waiter.isNoted = false
        if let exception = waiter.exception {
            waiter.node.ownShutdownsByEffects.noteDeparture()
            shutdownsByEffects.remove(waiter, askedForBy: exception)
            exception.endAwaitingOthers()
        } else {
            waiter.node.effectWaiters.noteDeparture()
        }
        if let caller = waiter.callerElsewhere { caller.tracker.endAwaiting(waiter, by: caller) }
    }

    /// The effects that have asked for the end of a store, also as of one store of a group, and those that wait for
    /// their ends as for parts of their own. In the turn.
    final func callersOfShutdowns(of node: TreeNode) -> [EffectJob] {
        var shutdowns: [EffectWaiter] = []
        node.withPath { shutdowns += $0.ownShutdownsByEffects.waiters }
        var groups: Set<ObjectIdentifier> = []
        let callersOfGroups = shutdowns.compactMap(\.group).filter { groups.insert(ObjectIdentifier($0)).inserted }
            .flatMap(\.callers).filter { !$0.isOver }
        return (callersOfGroups + callers(of: shutdowns)).flatMap(\.andAwaiters)
    }

    /// Looks again at what waits because of an effect of another tree, or of a store outside the branch, which is over.
    /// In the turn.
    final func resumeAfterCaller(_ waiter: EffectWaiter) {
        // One that has only been announced ends nothing.
        guard waiter.hasBegun else { return }
        if waiter.exception == nil { return resume([waiter]) }
        shutdownsByEffects.unsettle(waiter)
        resumeShutdownsByEffects(afterEnd: true)
    }

    /// Forgets shutdowns that were to let `run()` return, of a store that has ended in another way. In the turn.
    final func endRuns(of node: TreeNode) {
        let ended = node.ownShutdownsByEffects.waiters.filter(\.endsRun)
        if ended.isEmpty { return }
        for waiter in ended {
            forget(waiter)
            waiter.isOver = true
            deferAnswer(.other { waiter.promise.settle(true) })
        }
        inTurn { [self] in resumeShutdownsByEffects(afterEnd: true) }
    }

    /// Ends stores that effects have shut down, because effects have come to wait for the end of others, or have given
    /// that up. In the turn.
    final func resumeShutdowns(awaitedBy effects: [EffectJob]) {
        if shutdownsByEffects.isEmpty { return }
        for effect in effects { shutdownsByEffects.unsettle(watching: effect) }
        resumeShutdownsByEffects(afterEnd: true)
    }

    /// - Parameter isAfterEnd: Whether some effects may no longer wait for others.
    private func resumeShutdownsByEffects(afterEnd isAfterEnd: Bool) {
        if isAfterEnd { shutdownsByEffects.unsettleSparing() }
        var known: KnownExceptions?
        for waiter in shutdownsByEffects.takeUnsettled() where !waiter.isOver && waiter.confirmedRevision == nil {
            if cancelEffectsAwaitedMeanwhile(by: waiter) { known = nil }
            if waiter.watched != nil {
                shutdownsByEffects.noteSpared(by: waiter)
            } else if !waits(waiter, knowing: &known) {
                confirm(waiter)
            }
        }
    }

    /// - Parameter waiters: Some of the same store, each of which waits for all effects.
    private func resume(_ waiters: [EffectWaiter]) {
        var haveEnded = true
        for waiter in waiters where !waiter.isOver && waiter.confirmedRevision == nil {
            cancelEffectsAwaitedMeanwhile(by: waiter)
            // What one waits for all do.
            haveEnded = haveEnded && !waits(waiter)
            if haveEnded { confirm(waiter) }
        }
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
        if waits(waiter) { return }
        // A root that is shut down accepts actions of its effects only, and each that was reduced meanwhile may have
        // sent others. A tree that goes on accepts actions without end, so that this would be repeated without end.
        let isRepeated = waiter.node.isRoot && !lifecycle.cancelsEffects
        if isRepeated && confirmed != revision.loadRelaxed() { return confirm(waiter) }
        finish(waiter)
        deferAnswer(.other { waiter.promise.settle(true) })
    }
}

// MARK: What they wait for

/// For which effects the shutdown does not wait that was looked at before, as long as nothing has changed.
private struct KnownExceptions {
    let waiter: EffectWaiter
    let exceptions: HeldUpEffects
}

/// What a shutdown waits for.
private enum AwaitedWork {
    /// An effect that it waits for until that ends, or comes to wait for others.
    case effect(EffectJob)
    /// What may no longer be awaited after any change.
    case other
}

extension TreeRoot {
    /// Whether there are effects for which a shutdown of the tree waits that an effect asks for. In the turn.
    final func hasEffects(besides caller: EffectJob?) -> Bool {
        var known: KnownExceptions?
        return awaitedWork(of: EffectWaiter(node: self, caller: caller), knowing: &known) != nil
    }

    /// Whether there is still something to wait for, after whose end it will be looked at again.
    private func waits(_ waiter: EffectWaiter) -> Bool {
        var known: KnownExceptions?
        return waits(waiter, knowing: &known)
    }

    private func waits(_ waiter: EffectWaiter, knowing known: inout KnownExceptions?) -> Bool {
        guard let work = awaitedWork(of: waiter, knowing: &known) else { return false }
        // The others are looked at whenever an effect of theirs ends, which takes no time.
        if waiter.exception == nil { return true }
        if case .effect(let effect) = work {
            shutdownsByEffects.settle(waiter, on: effect)
        } else {
            shutdownsByEffects.unsettle(waiter)
        }
        return true
    }

    private func awaitedWork(of waiter: EffectWaiter, knowing known: inout KnownExceptions?) -> AwaitedWork? {
        lazy var exceptions = exceptions(of: waiter, knowing: &known)
        func awaitedWork(in node: TreeNode) -> AwaitedWork? {
            // It is no exception, whatever the others wait for. The caller itself is none as long as it is not noted.
            if waiter.isNoted, waiter.exception != nil, let effect = node.effectRuntime?.machine.registry.independent {
                return .effect(effect)
            }
            return node.effectRuntime.hasEffects(except: exceptions) ? .other : nil
        }
        func nextAwaitedWork() -> AwaitedWork? {
            while let node = waiter.running.last {
                if let work = awaitedWork(in: node) { return work }
                retire(waiter.running.removeLast())
            }
            return nil
        }
        if let work = nextAwaitedWork() { return work }
        waiter.running = waiter.node.subtree.filter { $0.effectRuntime.hasEffects(except: .none) }
        return nextAwaitedWork()
    }

    /// The same as ``exceptions(of:)``, which need not be found out again for effects of one store that shut it down,
    /// nor for effects of the stores of one group that shut that down.
    private func exceptions(of waiter: EffectWaiter, knowing known: inout KnownExceptions?) -> HeldUpEffects {
        if let known, let exception = waiter.exception, known.exceptions.contains(exception),
            waiter.node === known.waiter.node,
            isAskedForWithin(waiter) && isAskedForWithin(known.waiter)
                || waiter.group === known.waiter.group && isAskedForWithinGroup(waiter)
                    && isAskedForWithinGroup(known.waiter)
        {
            return known.exceptions
        }
        let exceptions = exceptions(of: waiter)
        known = KnownExceptions(waiter: waiter, exceptions: exceptions)
        return exceptions
    }

    /// Whether an effect of a store of a group has asked for the shutdown of the group. Each of several that have is an
    /// exception of the others, and so are all that it holds up.
    private func isAskedForWithinGroup(_ waiter: EffectWaiter) -> Bool {
        guard let exception = waiter.exception, let group = waiter.group else { return false }
        return !exception.isOver && group.includesStore(of: exception)
    }

    /// Whether nobody but an effect of the store, or of one below it, has asked for its shutdown. Of several that have
    /// each holds up the others.
    private func isAskedForWithin(_ waiter: EffectWaiter) -> Bool {
        guard let exception = waiter.exception, waiter.group == nil else { return false }
        return exception.awaiter == nil && !exception.isOver && runs(exception, in: waiter.node)
    }

    /// The effects for which a shutdown does not wait: the one that asked for it, and those that cannot end before it
    /// does, also because they have asked for shutdowns of stores with such effects, or of their group. Once the store
    /// has ended together with that of the caller, or as one of its group, those are added that go on after the end
    /// because they have asked for it. A shutdown that no effect asked for waits for all; and so does one whose effect
    /// is over, because a task that it has started holds nothing up.
    ///
    /// - Complexity: O(*n* + *m*) with *n* of these and of the shutdowns of the stores that they run in, and *m*
    ///   effects that are on hand in stores where one of them is in a queue. If the store has ended, and of its effects
    ///   some go on, O(*n*) with all of these in addition.
    final func exceptions(of waiter: EffectWaiter) -> HeldUpEffects {
        guard let exception = waiter.exception, !exception.isOver else { return .none }
        let callers = Array(exception.andAwaiters)
        var pending = [exception]
        if waiter.node.hasEnded,
            callers.contains(where: hasEndedStore) || waiter.group?.includesStores(of: callers) == true
        {
            pending += waiter.node.effectJobs.filter(\.isSpared)
        }
        var groups = groupShutdowns()
        var exceptions = HeldUpEffects()
        repeat {
            while let effect = pending.popLast() {
                for effect in effect.andAwaiters where exceptions.insert(effect) {
                    pending += effectsHeldUp(by: effect, &exceptions)
                    // As a rule the group ends only when this one has ended.
                    while let index = groups.firstIndex(where: { $0.group.includesStore(of: effect) }) {
                        pending += self.callers(of: groups.remove(at: index).shutdowns)
                    }
                }
            }
            pending = exceptions.queuedEffects()
        } while !pending.isEmpty
        return exceptions
    }

    /// Those that cannot end before an effect does, because they wait for it themselves.
    ///
    /// - Parameter exceptions: All that are known so far, with this one.
    private func effectsHeldUp(by effect: EffectJob, _ exceptions: inout HeldUpEffects) -> [EffectJob] {
        var effects = effect.tracker.effectsAwaitingEnd
        // Those of other trees can end at any time, which would have values of users released here.
        let foreign = effects.filter { self.host(of: $0) == nil }
        if !foreign.isEmpty { deferred.abandon(foreign) }
        guard let host = host(of: effect) else { return effects }
        if effect.isInQueue { exceptions.noteQueues(of: host) }
        host.withPath { node in
            guard exceptions.insertStore(node) else { return }
            effects += callers(of: node.ownShutdownsByEffects.waiters.filter(\.hasBegun))
        }
        return effects
    }

    private func callers(of shutdowns: [EffectWaiter]) -> [EffectJob] {
        shutdowns.compactMap(\.exception).filter { !$0.isOver }
    }

    /// The groups that effects shut down and that the tree is one of, with their shutdowns of it.
    private func groupShutdowns() -> [(group: GroupShutdown, shutdowns: [EffectWaiter])] {
        var groups: [(group: GroupShutdown, shutdowns: [EffectWaiter])] = []
        // The stores of a group are roots. There are few groups.
        for shutdown in ownShutdownsByEffects.waiters {
            guard let group = shutdown.group else { continue }
            if let index = groups.firstIndex(where: { $0.group === group }) {
                groups[index].shutdowns.append(shutdown)
            } else {
                groups.append((group, [shutdown]))
            }
        }
        return groups
    }

    /// Whether an effect is one of a store of the tree that has ended.
    private func hasEndedStore(of effect: EffectJob) -> Bool {
        host(of: effect)?.hasEnded == true
    }
}
