import Synchronization

extension TreeRoot {
    /// Ends the life of the tree, or of a branch, in order; see ``Store/shutdown(drain:)``.
    nonisolated(nonsending) final func shutdown(of branch: TreeNode?, drain: ShutdownDrain) async {
        await wait(for: beginAwaitedShutdown(of: branch, drain))
    }

    /// Begins to end the life of the tree, or of a branch, for the calling task, which waits for that.
    final func beginAwaitedShutdown(of branch: TreeNode?, _ drain: ShutdownDrain) -> EffectWaiter {
        let waiter = EffectWaiter(branch: branch, caller: EffectJob.current, wasCancelled: Task.isCancelled)
        beginShutdown(for: waiter, waiter.wasCancelled ? .cancelEffects : drain)
        return waiter
    }

    /// Waits for the end of what is being shut down. Cancelling the calling task cancels the effects that are still awaited.
    nonisolated(nonsending) final func wait(for waiter: EffectWaiter) async {
        await withTaskCancellationHandler {
            _ = await waiter.settlement.wait()
        } onCancel: {
            if !waiter.wasCancelled { cancelEffects(of: waiter) }
        }
    }

    /// Cancels the effects that a shutdown waits for.
    final func cancelEffects(of waiter: EffectWaiter) {
        cancelLoading(of: waiter.branch)
        inTurn { [self] in cancelAllEffects(of: waiter) }
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
