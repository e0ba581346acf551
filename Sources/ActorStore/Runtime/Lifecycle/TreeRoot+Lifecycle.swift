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

extension TreeRoot {
    /// Ends the life of a store, within a time, whatever its effects do; see
    /// ``Store/shutdown(drain:within:reserving:clock:isolation:)``.
    final func shutdown<C: Clock<Duration>>(
        of node: TreeNode,
        drain: ShutdownDrain,
        within limit: Duration,
        reserving reserve: Duration?,
        clock: C,
        isolation: isolated (any Actor)? = #isolation
    ) async -> ShutdownReport {
        let start = clock.now
        let waiter = beginAwaitedShutdown(of: node, drain)
        return await wait(for: waiter, drain, since: start, within: limit, reserving: reserve, clock: clock)
    }

    /// Waits for the end of what is being shut down, until there is no more time, for the effect that calls this if one
    /// does.
    ///
    /// - Parameters:
    ///   - start: When it was shut down.
    ///   - limit: How much time there is from then on.
    final func wait<C: Clock<Duration>>(
        for waiter: EffectWaiter,
        _ drain: ShutdownDrain,
        since start: C.Instant,
        within limit: Duration,
        reserving reserve: Duration?,
        clock: C,
        isolation: isolated (any Actor)? = #isolation
    ) async -> ShutdownReport {
        let limit = limit.boundedWait
        if drain == .cancelEffects || waiter.wasCancelled { inNextTurn { [self] in cancelAllEffects(of: waiter) } }
        // Not a child task: a clock that takes its time to be cancelled must not hold this up. It goes on when the
        // calling task is cancelled, because the deadline counts all the more then.
        let alarm = Task(executorPreference: configuration.executor) { [self] in
            if drain == .finishEffects {
                let patience = limit - min(max(reserve?.boundedWait ?? limit / 10, .zero), limit)
                try? await clock.sleep(until: start.advanced(by: patience), tolerance: nil)
                if Task.isCancelled { return }
                cancelLoading(of: waiter.node)
                inNextTurn { [self] in cancelAllEffects(of: waiter) }
            }
            try? await clock.sleep(until: start.advanced(by: limit), tolerance: nil)
            if !Task.isCancelled { waiter.promise.settle(false) }
        }
        defer { alarm.cancelInBackground(on: configuration.executor) }
        let isInTime = await withTaskCancellationHandler {
            await waiter.promise.wait()
        } onCancel: {
            if waiter.wasCancelled { return }
            cancelLoading(of: waiter.node)
            inNextTurn { [self] in cancelAllEffects(of: waiter) }
        }
        if !isInTime, !waiter.node.isRoot, loading?.isAwaited == true {
            // The loading has the turn, and nobody knows for how long: the rest of the tree goes on waiting for it.
            inTurn { [self] in finishShutdown(waiter) }
            return ShutdownReport(unfinishedEffects: [], isLoading: true, duration: start.duration(to: clock.now))
        }
        let isLoading = !isInTime && waiter.node.isRoot && abandonLoading()
        // An observer that suspends the tree must not hold this up.
        let finished = Promise<[UnfinishedEffect]>()
        inNextTurn { [self] in
            // What has ended in time has cancelled those only that it did not wait for.
            let unfinished = isInTime ? [] : finishShutdown(waiter)
            deferAnswer(.other { finished.settle(unfinished) })
        }
        let unfinished = await finished.wait()
        return ShutdownReport(
            unfinishedEffects: unfinished,
            isLoading: isLoading,
            duration: start.duration(to: clock.now)
        )
    }

    /// Ends what is being shut down, and reports the effects that still run, unless an earlier shutdown has reported
    /// them. In the turn.
    ///
    /// - Returns: All of them.
    @discardableResult
    private func finishShutdown(_ waiter: EffectWaiter) -> [UnfinishedEffect] {
        let exceptions = exceptions(of: waiter)
        // Without those that wait for others, such as groups: the others are reported.
        let late = waiter.node.effectJobs.filter { !$0.waitsForOthers && !exceptions.contains($0) }
        // At one moment, so that those are the first that have begun first, however long it takes to look.
        let now = ContinuousClock.now
        let unfinished = late.compactMap { job in UnfinishedEffect(job, at: now).map { (job, $0) } }
            .sorted { ($1.1.runningTime, $0.0.number) < ($0.1.runningTime, $1.0.number) }
        // Once, although several shutdowns can find it late: after the first end nobody observes the errors.
        for (job, effect) in unfinished where !job.isReportedAsLate {
            job.isReportedAsLate = true
            report(
                StoreFailure(
                    error: EffectStillRunning(runningTime: effect.runningTime),
                    origin: .effect(id: effect.id, at: effect.source),
                    action: effect.action
                )
            )
        }
        finish(waiter)
        return unfinished.map(\.1)
    }
}

extension TreeRoot {
    /// Waits for the end of a store; see ``Store/run(endingWithin:clock:isolation:)``.
    ///
    /// - Parameter shutDown: Ends it when the calling task is cancelled, by the shutdown that it is given. What it is
    ///   given last lets the caller go on.
    final func run(
        _ node: TreeNode,
        isolation: isolated (any Actor)? = #isolation,
        shutDown: @escaping @Sendable (TreeRoot, EffectWaiter, Promise<Void>) -> Void
    ) async throws {
        if node.phase.loadAcquiring() != .ended, let effect = EffectJob.current, !effect.isOver,
            effect.andAwaiters.contains(where: { runs($0, in: node) })
        {
            throw StoreError.awaitsItself
        }
        let caller = EffectJob.current
        do {
            try await loading?.wait()
        } catch {
            if let error = loading?.error {
                await shutdown(of: node, drain: .cancelEffects)
                throw error
            }
            // The caller was cancelled, or the loading was given up: either way there is an end to wait for.
        }
        let end = Promise<Void>()
        inTurn { [self] in
            if node.hasEnded { return deferAnswer(.other { end.settle(()) }) }
            node.endWaiters.append(end)
        }
        await withTaskCancellationHandler {
            await end.wait()
        } onCancel: {
            shutDown(self, EffectWaiter(node: node, caller: caller, request: .run), end)
        }
    }

    /// Whether an effect is one of a store, or of one below it.
    final func runs(_ effect: EffectJob, in node: TreeNode) -> Bool {
        host(of: effect)?.isAtOrBelow(node) == true
    }

    /// The store of the tree that an effect is one of; nil if it is one of another tree, or has ended.
    final func host(of effect: EffectJob) -> (any StoreNode)? {
        effect.host.flatMap { $0.root === self ? $0 : nil }
    }

    /// Tells those that wait for the end of a store, which has come. In the turn.
    final func tellEnd(of node: TreeNode) {
        let waiters = node.endWaiters
        if !waiters.isEmpty { node.endWaiters = [] }
        for waiter in waiters { deferAnswer(.other { waiter.settle(()) }) }
        if !shutdownsByEffects.isEmpty { endRuns(of: node) }
    }
}
