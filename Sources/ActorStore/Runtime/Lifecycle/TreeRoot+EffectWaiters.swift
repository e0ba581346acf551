import Synchronization

extension TreeRoot {
    /// Ends stores that are shut down and have no effects left. Called within the turn.
    ///
    /// - Parameters:
    ///   - node: The store whose effect has ended.
    ///   - effect: The effect; `nil` if it was an action that the store's reducer asked to send.
    final func resumeEffectWaiters(of node: TreeNode, after effect: EffectJob?) {
        node.withPath { resume($0.effectWaiters.waiters) }
        if shutdownsByEffects.isEmpty { return }
        // Effects that have begun after it may be in a queue behind one that shuts down another store.
        if let effect { shutdownsByEffects.unsettle(watching: effect) }
        resumeShutdownsByEffects(afterEnd: true)
    }

    /// Ends a store that is shut down once it has no effects left, which may be at once. Called within the turn.
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

    /// Announces the shutdown of a store of a group, which begins when it has been announced to all stores of the
    /// group. Called within the turn.
    final func announce(_ waiter: EffectWaiter) {
        if !waiter.isOver { note(waiter) }
    }

    /// Announces that effects of the tree, which has ended, wait for the end of a group that the tree no longer belongs
    /// to. Called within the turn.
    ///
    /// - Parameter waiter: The shutdown of the group. It never begins, because there is nothing to end.
    final func announceIfEnded(_ waiter: EffectWaiter) {
        guard hasEnded, let effect = waiter.exception else { return }
        announce(waiter)
        resumeShutdowns(awaitedBy: [effect])
    }

    /// Releases errors in a background task, because the caller that shuts a tree down may hold locks.
    private func letGo(of failures: [StoreFailure]) { if !failures.isEmpty { deferred.abandon(failures) } }

    /// Ends what was shut down, without waiting any longer. Called within the turn.
    final func finish(_ waiter: EffectWaiter) {
        // While it is in its list, its caller is not cancelled. A deadline can end it before its turn came.
        note(waiter)
        end(waiter.node)
        // An action that a failure retains may keep the tree alive. A tree that ends because it was released has no
        // such action.
        if waiter.node.isRoot { letGo(of: failures.removeActions()) }
        waiter.isOver = true
        if !waiter.running.isEmpty {
            retire(waiter.running)
            waiter.running = []
        }
        // An effect that shuts a group down waits for the ends of other stores, too.
        if waiter.group == nil || waiter.exception == nil { remove(waiter) }
    }

    /// Removes a shutdown whose caller continues. Called within the turn.
    final func remove(_ waiter: EffectWaiter) {
        forget(waiter)
        // The other shutdowns may wait for the caller from now on.
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

    /// Returns the effects that have requested the end of a store, alone or as a store of a group, and those that wait
    /// for their ends as for parts of their own. Called within the turn.
    final func callersOfShutdowns(of node: TreeNode) -> [EffectJob] {
        var shutdowns: [EffectWaiter] = []
        node.withPath { shutdowns += $0.ownShutdownsByEffects.waiters }
        var groups: Set<ObjectIdentifier> = []
        let callersOfGroups = shutdowns.compactMap(\.group).filter { groups.insert(ObjectIdentifier($0)).inserted }
            .flatMap(\.callers).filter { !$0.isOver }
        return (callersOfGroups + callers(of: shutdowns)).flatMap(\.andAwaiters)
    }

    /// Checks a shutdown again after its caller has ended, an effect of another tree or of a store outside the branch.
    /// Called within the turn.
    final func resumeAfterCaller(_ waiter: EffectWaiter) {
        // A shutdown that was only announced ends nothing.
        guard waiter.hasBegun else { return }
        if waiter.exception == nil { return resume([waiter]) }
        shutdownsByEffects.unsettle(waiter)
        resumeShutdownsByEffects(afterEnd: true)
    }

    /// Removes shutdowns that were to let `run()` return, of a store that has ended in another way. Called within the
    /// turn.
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

    /// Ends stores that effects have shut down, because effects have begun to wait for the end of others, or no longer
    /// do. Called within the turn.
    final func resumeShutdowns(awaitedBy effects: [EffectJob]) {
        if shutdownsByEffects.isEmpty { return }
        for effect in effects { shutdownsByEffects.unsettle(watching: effect) }
        resumeShutdownsByEffects(afterEnd: true)
    }

    /// Checks the shutdowns that effects have requested and that are marked for a check.
    ///
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

    /// Checks shutdowns that no effect has requested, or that wait for the effect that has.
    ///
    /// - Parameter waiters: Shutdowns of the same store, each of which waits for all effects.
    private func resume(_ waiters: [EffectWaiter]) {
        var haveEnded = true
        for waiter in waiters where !waiter.isOver && waiter.confirmedRevision == nil {
            cancelEffectsAwaitedMeanwhile(by: waiter)
            // All of them wait for the same effects.
            haveEnded = haveEnded && !waits(waiter)
            if haveEnded { confirm(waiter) }
        }
    }

    /// Checks a shutdown again after everything that waits, because actions that effects have sent may start others.
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
        // sent others. A tree that continues accepts actions without end, so that this would be repeated without end.
        let isRepeated = waiter.node.isRoot && !lifecycle.cancelsEffects
        if isRepeated && confirmed != revision.loadRelaxed() { return confirm(waiter) }
        finish(waiter)
        deferAnswer(.other { waiter.promise.settle(true) })
    }
}

// MARK: Awaited work

/// The effects that the previously checked shutdown does not wait for. Valid as long as nothing has changed.
private struct KnownExceptions {
    let waiter: EffectWaiter
    let exceptions: HeldUpEffects
}

/// What a shutdown waits for.
private enum AwaitedWork {
    /// An effect that is awaited until it ends or begins to wait for others.
    case effect(EffectJob)
    /// Work that may no longer be awaited after any change.
    case other
}

extension TreeRoot {
    /// Returns whether there are effects that a shutdown of the tree would wait for if `caller` requested it. Called
    /// within the turn.
    final func hasEffects(besides caller: EffectJob?) -> Bool {
        var known: KnownExceptions?
        return awaitedWork(of: EffectWaiter(node: self, caller: caller), knowing: &known) != nil
    }

    /// Returns whether there is still something to wait for, whose end leads to another check.
    private func waits(_ waiter: EffectWaiter) -> Bool {
        var known: KnownExceptions?
        return waits(waiter, knowing: &known)
    }

    private func waits(_ waiter: EffectWaiter, knowing known: inout KnownExceptions?) -> Bool {
        guard let work = awaitedWork(of: waiter, knowing: &known) else { return false }
        // The others are checked whenever an effect of theirs ends, which takes no time.
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
            // It is not an exception, whatever the others wait for. The caller itself counts as independent until the
            // shutdown is registered.
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

    /// Returns ``exceptions(of:)``. They are not searched again for effects of one store that shut that store down, or
    /// for effects of the stores of one group that shut that group down.
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

    /// Returns whether an effect of a store of a group has requested the shutdown of the group. Each of several such
    /// effects is an exception for the others, and so are all effects that it holds up.
    private func isAskedForWithinGroup(_ waiter: EffectWaiter) -> Bool {
        guard let exception = waiter.exception, let group = waiter.group else { return false }
        return !exception.isOver && group.includesStore(of: exception)
    }

    /// Returns whether an effect of the store, or of one below it, has requested the shutdown of this store alone, and
    /// no other effect awaits that effect. Each of several such effects holds up the others.
    private func isAskedForWithin(_ waiter: EffectWaiter) -> Bool {
        guard let exception = waiter.exception, waiter.group == nil else { return false }
        return exception.awaiter == nil && !exception.isOver && runs(exception, in: waiter.node)
    }

    /// Returns the effects that a shutdown does not wait for: the one that requested it, and those that cannot end
    /// before it does, also because they have requested shutdowns of stores with such effects, or of their group. After
    /// the store has ended together with that of the caller, or as a store of the caller's group, the effects are added
    /// that continue after the end because they requested it. A shutdown that no effect requested waits for all
    /// effects. So does one whose effect is over, because a task that the effect has started holds nothing up.
    ///
    /// - Complexity: O(*n* + *m*), where *n* is the number of these effects and of the shutdowns of the stores that
    ///   they run in, and *m* is the number of effects in stores where one of them is in a queue. If the store has
    ///   ended, and some of its effects continue, O(*n*) with all of these in addition.
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
                    // Usually the group ends only after this effect has ended.
                    while let index = groups.firstIndex(where: { $0.group.includesStore(of: effect) }) {
                        pending += self.callers(of: groups.remove(at: index).shutdowns)
                    }
                }
            }
            pending = exceptions.queuedEffects()
        } while !pending.isEmpty
        return exceptions
    }

    /// Returns the effects that cannot end before an effect does, because they wait for it themselves.
    ///
    /// - Parameter exceptions: All exceptions that are known so far, including this effect.
    private func effectsHeldUp(by effect: EffectJob, _ exceptions: inout HeldUpEffects) -> [EffectJob] {
        var effects = effect.tracker.effectsAwaitingEnd
        // Effects of other trees can end at any time, which would release user values here.
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

    /// Returns the groups that effects shut down and that the tree belongs to, with their shutdowns of the tree.
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

    /// Returns whether an effect belongs to a store of the tree that has ended.
    private func hasEndedStore(of effect: EffectJob) -> Bool {
        host(of: effect)?.hasEnded == true
    }
}
