import Synchronization

extension TreeRoot {
    /// Ends the life of the tree, or of a branch, in order; see ``Store/shutdown(drain:)``.
    nonisolated(nonsending) final func shutdown(of branch: TreeNode?, drain: ShutdownDrain) async {
        let waiter = beginAwaitedShutdown(of: branch, drain)
        await wait(for: waiter)
        waiter.call?.end()
    }

    /// Begins to end the life of the tree, or of a branch, for the calling task, which waits for that.
    final func beginAwaitedShutdown(of branch: TreeNode?, _ drain: ShutdownDrain) -> EffectWaiter {
        let (caller, wasCancelled) = (EffectHandle.current, Task.isCancelled)
        let waiter = EffectWaiter(
            branch: branch,
            call: caller.map(ShutdownCall.init),
            wasCancelled: wasCancelled,
            passingOn: wasCancelled && drain == .finishEffects
                ? PassedOnCancellation(of: caller, isEarlier: true) : nil
        )
        // Passed on at once, as long as all others who shut the same store down are known.
        beginShutdown(for: waiter, wasCancelled ? .cancelEffects : drain)
        return waiter
    }

    /// Waits for the end of what is being shut down, for the effect that calls this if one does. Cancelling the calling task
    /// cancels the effects that are still awaited.
    nonisolated(nonsending) final func wait(for waiter: EffectWaiter) async {
        await withTaskCancellationHandler {
            _ = await waiter.settlement.wait()
        } onCancel: {
            if waiter.wasCancelled { return }
            cancelEffects(of: waiter, passingOn: PassedOnCancellation(of: waiter.caller, isEarlier: false))
        }
    }

    /// Cancels the effects that a shutdown waits for.
    ///
    /// - Parameter cancellation: What is passed on by this, if it is.
    final func cancelEffects(of waiter: EffectWaiter, passingOn cancellation: PassedOnCancellation? = nil) {
        cancelLoading(of: waiter.branch)
        inTurn { [self] in
            if let cancellation { waiter.cancellation = cancellation }
            cancelAllEffects(of: waiter)
        }
    }

    /// Begins to end the life of the tree, or of a branch, which ends when its effects have ended, whether anybody waits for
    /// that or not.
    final func beginShutdown(for waiter: EffectWaiter, _ drain: ShutdownDrain) {
        let branch = waiter.branch
        if let branch { refuseFurtherActions(of: branch) } else { refuseFurtherActions() }
        // After the mailbox was closed, so that nothing more comes for which the state is needed.
        if drain == .cancelEffects || statistics.waitingActions == 0 { cancelLoading(of: branch) }
        inTurn { [self] in
            beginRefusing(in: branch)
            if drain == .cancelEffects { cancelAllEffects(of: waiter) }
            add(waiter)
        }
    }

    /// Ends the tree's life because the last reference to its root is gone; what it had accepted is reduced before.
    final func close() {
        refuseFurtherActions()
        if let loading, statistics.waitingActions == 0 { loading.cancel() }
        inTurn { [self] in end(nil) }
    }

    /// Cancels the loading of the first state, if the whole tree is being shut down: what a child has accepted needs the
    /// state, but so does what others have accepted. Not in the turn, which the loading keeps.
    final func cancelLoading(of branch: TreeNode?) {
        if branch == nil { loading?.cancel() }
    }

    /// Goes on to a later phase, unless somebody has gone further.
    ///
    /// - Returns: whether it did.
    @discardableResult
    final func advance(to new: PhaseCode) -> Bool { phase.advance(to: new) }

    /// Why nothing is accepted any more.
    @usableFromInline final var refusal: StoreError {
        phase.loadAcquiring() == .failed ? .notReady : .shutDown
    }

    /// Whether the tree has ended, or a branch of it, alone or with one that it is part of. In the turn.
    final func hasEnded(_ branch: TreeNode?) -> Bool {
        var node = branch
        while let current = node {
            if current.isEnded { return true }
            node = current.parent
        }
        return lifecycle.isEnded
    }

    /// Closes the mailbox to the outside, tells those that wait for room in it, and waits for no observer any more.
    private func refuseFurtherActions() {
        // Before the mailbox is closed: who finds it closed asks why.
        advance(to: .shuttingDown)
        closeMailbox()
        sharedSuspension.load()?.lift()
    }

    private func beginRefusing(in branch: TreeNode?) {
        if branch == nil {
            lifecycle.beginShutdown()
            updateFlags()
        } else {
            for node in stores(of: branch) { node.isRefusing = true }
        }
    }

    /// Cancels the effects of what is being shut down, also those that begin only afterwards. In the turn.
    final func cancelAllEffects(of waiter: EffectWaiter) {
        let cause = CancellationCause(
            sparing: effectsSpared(by: waiter),
            calls: (waiter.call.map { [$0] } ?? []) + (waiter.cancellation?.calls ?? [])
        )
        cancelsEffects = true
        if waiter.branch == nil {
            lifecycle.cancelsEffects = true
            cancelEffects(for: cause)
        }
        for node in stores(of: waiter.branch) {
            node.cancelsEffects = true
            node.cancelEffects(for: cause)
        }
    }

    /// The effects whose tasks go on when a shutdown cancels the others: the one that has asked for it; and if that passes its
    /// own cancellation on, those that have asked for that, or are shutting its store down, too.
    private func effectsSpared(by waiter: EffectWaiter) -> [EffectHandle] {
        guard let caller = waiter.caller else { return [] }
        var callers = Array(caller.andAwaiters)
        if let cancellation = waiter.cancellation {
            callers += cancellation.calls.flatMap { $0.caller.andAwaiters }
            callers += (waiter.group?.callers ?? []).flatMap(\.andAwaiters)
            if runs(caller, in: nil) {
                callers += callersOfShutdowns(of: (caller as? EffectJob)?.owner as? TreeNode)
            }
        }
        return callers
    }

    /// Whether an effect that is about to begin is to be cancelled, because its store is being shut down. In the turn.
    final func mustCancelEffects(of host: some EffectOwner) -> Bool {
        cancelsEffects && (lifecycle.cancelsEffects || (host as? TreeNode)?.cancelsEffects == true)
    }

    /// Cancels what still runs, except effects that have shut it down, and ends all observations, of the tree or of a
    /// branch. In the turn, after all that was accepted.
    final func end(_ branch: TreeNode?) {
        if let branch {
            return stores(of: branch).forEach { $0.end() }
        }
        guard lifecycle.end() else { return }
        advance(to: .ended)
        endLateActions()
        finish()
        for node in stores(of: nil) { node.end() }
        let (derived, elements) = (derived, elements)
        for state in derived { state.finishWatchers() }
        for element in elements.values { element.finishWatchers() }
        deferred.abandon((derived, elements))
        self.derived = []
        self.elements = [:]
        failures.broadcast?.finish()
        updateFlags()
        tellEnd(&endWaiters)
    }

    /// Has `task` done in a turn, after all that was accepted before, and waits for its result.
    @usableFromInline
    nonisolated(nonsending) final func perform<Result: Sendable>(
        _ task: @escaping () -> Result
    ) async -> Result {
        await withUnsafeContinuation { waiter in
            inTurn { [self] in
                let result = task()
                deferAnswer(.other { waiter.resume(returning: result) })
            }
        }
    }

    /// Who observes, in the turn.
    final func observerInformation() -> [ObserverInformation] {
        let sources = existingObservers?.allSources ?? []
        let states: [StateSource] = [self] + Array(nodes.values) + Array(elements.values) + derived
        let groups = states.flatMap(\.observedGroups) + (failures.broadcast.map { [$0] } ?? [])
        return groups.flatMap { $0.observers(sources) }
    }
}
