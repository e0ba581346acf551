import Synchronization

extension TreeRoot {
    /// Ends the life of a store, in order; see ``Store/shutdown(drain:within:reserving:clock:isolation:)``.
    final func shutdown(of node: TreeNode, drain: ShutdownDrain, isolation: isolated (any Actor)? = #isolation) async {
        await wait(for: beginAwaitedShutdown(of: node, drain))
    }

    /// Begins to end the life of a store, for the calling task, which waits for that.
    final func beginAwaitedShutdown(of node: TreeNode, _ drain: ShutdownDrain) -> EffectWaiter {
        let request: EffectWaiter.Request = Task.isCancelled ? .awaitedByCancelledTask : .awaited
        let waiter = EffectWaiter(node: node, caller: EffectJob.current, request: request)
        beginShutdown(for: waiter, waiter.wasCancelled ? .cancelEffects : drain)
        return waiter
    }

    /// Waits for the end of what is being shut down. Cancelling the calling task cancels the effects that are still
    /// awaited.
    final func wait(for waiter: EffectWaiter, isolation: isolated (any Actor)? = #isolation) async {
        await withTaskCancellationHandler {
            _ = await waiter.promise.wait()
        } onCancel: {
            if !waiter.wasCancelled { cancelEffects(of: waiter) }
        }
    }

    /// Cancels the effects that a shutdown waits for.
    final func cancelEffects(of waiter: EffectWaiter) {
        cancelLoading(of: waiter.node)
        inTurn { [self] in cancelAllEffects(of: waiter) }
    }

    /// Begins to end the life of a store, which ends when its effects have ended, whether anybody waits for
    /// that or not.
    final func beginShutdown(for waiter: EffectWaiter, _ drain: ShutdownDrain) {
        let node = waiter.node
        if node.isRoot { refuseFurtherActions() } else { refuseFurtherActions(of: node) }
        // After the mailbox was closed, so that nothing more comes for which the state is needed.
        if drain == .cancelEffects || statistics.waitingActions == 0 { cancelLoading(of: node) }
        inTurn { [self] in
            beginRefusing(in: node)
            switch drain {
            case .finishEffects: cancelEffectsOnShutdown(for: waiter)
            case .cancelEffects: cancelAllEffects(of: waiter)
            }
            add(waiter)
        }
    }

    /// Ends the tree's life because the last reference to its root is gone; what it had accepted is reduced before.
    final func close() {
        refuseFurtherActions()
        if let loading, statistics.waitingActions == 0 { loading.cancel() }
        inTurn { [self] in end(self) }
    }

    /// Cancels the loading of the first state, if the whole tree is being shut down: what a child has accepted needs
    /// the state, but so does what others have accepted. Not in the turn, which the loading keeps.
    final func cancelLoading(of node: TreeNode) {
        if node.isRoot { loading?.cancel() }
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

    /// Closes the mailbox to the outside, tells those that wait for room in it, and waits for no observer any more.
    private func refuseFurtherActions() {
        // Before the mailbox is closed: who finds it closed asks why.
        advance(to: .shuttingDown)
        closeMailbox()
        sharedSuspension.load()?.lift()
    }

    private func beginRefusing(in node: TreeNode) {
        if node.isRoot { return beginShutdown() }
        for store in node.subtree { store.beginShutdown() }
    }

    /// Has a child join the tree. In the turn.
    final func add(_ child: TreeNode) {
        // A deadline can have ended it before its turn came.
        guard !child.lifecycle.isEnded, let parent = child.parent else { return }
        if lifecycle.isEnded || !parent.isRoot && !parent.lifecycle.isOpen { return endAlone(child) }
        parent.children[ObjectIdentifier(child)] = child
    }

    /// Ends a store and those below it: cancels what still runs, except effects that have shut it down, and ends all
    /// observations. In the turn, after all that was accepted.
    final func end(_ node: TreeNode) {
        if !node.isRoot { return node.subtree.forEach(endAlone) }
        if lifecycle.isEnded { return }
        endDroppedFeedback()
        node.subtree.forEach(endAlone)
        let (derived, elements) = (derived.all, elements)
        for state in derived { state.finishObservations(in: self) }
        for element in elements.inOrder { element.finishObservations(in: self) }
        deferred.abandon((derived, elements))
        self.derived = DerivedStorages()
        self.elements = ArrivalTable()
        failures.broadcast?.finish()
    }

    /// Ends a store, and not those below it: its effects are cancelled, except those that have shut it down, and its
    /// observers' sequences end. The tree keeps it until its effects have ended.
    private func endAlone(_ node: TreeNode) {
        guard node.endLife() else { return }
        closeEffects(of: node)
        node.finish()
        node.finishObservations(in: self)
        tellEnd(of: node)
        removeIfDone(node)
    }

    /// Has a child leave the tree when it has ended, the last effect has, and the stores below it have left. In the
    /// turn.
    final func removeIfDone(_ node: TreeNode) {
        guard let parent = node.parent, node.lifecycle.isEnded, node.children.isEmpty,
            !node.effectRuntime.hasEffects(except: .none)
        else { return }
        parent.children[ObjectIdentifier(node)] = nil
        removeIfDone(parent)
    }

    /// Has `task` done in a turn, after all that was accepted before, and waits for its result.
    @usableFromInline
    final func perform<Result: Sendable>(
        isolation: isolated (any Actor)? = #isolation,
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
    final func observerRecords() -> [ObserverRecord] {
        let sources = existingObservers?.allSources ?? []
        let states: [ObservableStorage] = subtree + elements.inOrder + derived.all
        let groups = states.flatMap(\.observedGroups) + (failures.broadcast.map { [$0] } ?? [])
        return groups.flatMap { $0.observers(sources) }
    }
}
