import Synchronization

extension TreeRoot {
    /// Shuts down a store in order; see ``Store/shutdown(drain:within:reserving:clock:isolation:)``.
    final func shutdown(of node: TreeNode, drain: ShutdownDrain, isolation: isolated (any Actor)? = #isolation) async {
        await wait(for: beginAwaitedShutdown(of: node, drain))
    }

    /// Begins to shut down a store, for the calling task, which waits for the end.
    final func beginAwaitedShutdown(of node: TreeNode, _ drain: ShutdownDrain) -> EffectWaiter {
        let request: EffectWaiter.Request = Task.isCancelled ? .awaitedByCancelledTask : .awaited
        let waiter = EffectWaiter(node: node, caller: EffectJob.current, request: request)
        beginShutdown(for: waiter, waiter.wasCancelled ? .cancelEffects : drain)
        return waiter
    }

    /// Waits for the end of a shutdown. Cancelling the calling task cancels the effects that are still awaited.
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

    /// Begins to shut down a store. It ends when its effects have ended, whether or not a task waits for that.
    final func beginShutdown(for waiter: EffectWaiter, _ drain: ShutdownDrain) {
        let node = waiter.node
        if node.isRoot { refuseFurtherActions() } else { refuseFurtherActions(of: node) }
        // After the mailbox was closed, so that nothing more arrives that needs the state.
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

    /// Ends the tree, because the last reference to its root was released. What it has accepted is reduced before.
    final func close() {
        refuseFurtherActions()
        if let loading, statistics.waitingActions == 0 { loading.cancel() }
        inTurn { [self] in end(self) }
    }

    /// Cancels the loading of the first state, if the whole tree is being shut down: what a child has accepted needs
    /// the state, but so does what other stores have accepted. Not in the turn, which the loading keeps.
    final func cancelLoading(of node: TreeNode) {
        if node.isRoot { loading?.cancel() }
    }

    /// Advances to a later phase, unless the store has already reached it.
    ///
    /// - Returns: Whether the phase has changed.
    @discardableResult
    final func advance(to new: PhaseCode) -> Bool { phase.advance(to: new) }

    /// The reason why nothing more is accepted.
    @usableFromInline final var refusal: StoreError {
        phase.loadAcquiring() == .failed ? .notReady : .shutDown
    }

    /// Closes the mailbox to the outside, refuses what waits for room in it, and no longer waits for observers.
    private func refuseFurtherActions() {
        // Before the mailbox is closed: code that finds it closed reads the reason.
        advance(to: .shuttingDown)
        closeMailbox()
        sharedSuspension.load()?.lift()
    }

    private func beginRefusing(in node: TreeNode) {
        if node.isRoot { return beginShutdown() }
        for store in node.subtree { store.beginShutdown() }
    }

    /// Adds a child to the tree. Called within the turn.
    final func add(_ child: TreeNode) {
        // A deadline can have ended the child before its turn came.
        guard !child.lifecycle.isEnded, let parent = child.parent else { return }
        if lifecycle.isEnded || !parent.isRoot && !parent.lifecycle.isOpen { return endAlone(child) }
        parent.children[ObjectIdentifier(child)] = child
    }

    /// Ends a store and those below it: cancels what still runs, except effects that have shut it down, and ends all
    /// observations. Called within the turn, after everything that was accepted.
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

    /// Ends a store, and not those below it: cancels its effects, except those that have shut it down, and ends its
    /// observers' sequences. The tree retains the store until its effects have ended.
    private func endAlone(_ node: TreeNode) {
        guard node.endLife() else { return }
        closeEffects(of: node)
        node.finish()
        node.finishObservations(in: self)
        tellEnd(of: node)
        removeIfDone(node)
    }

    /// Removes a child from the tree once it and its last effect have ended, and the stores below it have been removed.
    /// Called within the turn.
    final func removeIfDone(_ node: TreeNode) {
        guard let parent = node.parent, node.lifecycle.isEnded, node.children.isEmpty,
            !node.effectRuntime.hasEffects(except: .none)
        else { return }
        parent.children[ObjectIdentifier(node)] = nil
        removeIfDone(parent)
    }

    /// Runs `task` in a turn, after everything that was accepted before, and returns its result.
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

    /// Returns diagnostic information about every observer. Called within the turn.
    final func observerRecords() -> [ObserverRecord] {
        let sources = existingObservers?.allSources ?? []
        let states: [ObservableStorage] = subtree + elements.inOrder + derived.all
        let groups = states.flatMap(\.observedGroups) + (failures.broadcast.map { [$0] } ?? [])
        return groups.flatMap { $0.observers(sources) }
    }
}

extension TreeRoot {
    /// Shuts down a store within a time limit, whatever its effects do; see
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

    /// Waits for the end of a shutdown, until the time is over. If an effect calls this, the shutdown is that effect's.
    ///
    /// - Parameters:
    ///   - start: The time at which the shutdown began.
    ///   - limit: The time limit, counted from `start`.
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
        // Not a child task: a clock that is slow to react to cancellation must not delay this. The task continues if
        // the calling task is cancelled, because the deadline matters even more then.
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
            // The loading has the turn, for an unknown time. The rest of the tree continues to wait for it.
            inTurn { [self] in finishShutdown(waiter) }
            return ShutdownReport(unfinishedEffects: [], isLoading: true, duration: start.duration(to: clock.now))
        }
        let isLoading = !isInTime && waiter.node.isRoot && abandonLoading()
        // An observer that suspends the tree must not delay this.
        let finished = Promise<[UnfinishedEffect]>()
        inNextTurn { [self] in
            // A shutdown that ended in time has cancelled only effects that it did not wait for.
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
    /// them. Called within the turn.
    ///
    /// - Returns: All effects that still run.
    @discardableResult
    private func finishShutdown(_ waiter: EffectWaiter) -> [UnfinishedEffect] {
        let exceptions = exceptions(of: waiter)
        // Without effects that wait for others, such as groups: the others are reported.
        let late = waiter.node.effectJobs.filter { !$0.waitsForOthers && !exceptions.contains($0) }
        // At one moment, so that the effects that began first come first, however long the search takes.
        let now = ContinuousClock.now
        let unfinished = late.compactMap { job in UnfinishedEffect(job, at: now).map { (job, $0) } }
            .sorted { ($1.1.runningTime, $0.0.number) < ($0.1.runningTime, $1.0.number) }
        // Once, although several shutdowns can find it late: after the first end, the errors have no observers.
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
    /// - Parameters:
    ///   - node: The store.
    ///   - isolation: The actor on which this runs; by default the caller's.
    ///   - shutDown: Shuts the store down when the calling task is cancelled. It receives the tree, the shutdown to
    ///     use, and a promise that lets the caller continue.
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
            // The caller or the loading was cancelled: either way, there is an end to wait for.
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

    /// Returns whether an effect belongs to a store, or to one below it.
    final func runs(_ effect: EffectJob, in node: TreeNode) -> Bool {
        host(of: effect)?.isAtOrBelow(node) == true
    }

    /// Returns the store of the tree that an effect belongs to; `nil` if it belongs to another tree, or has ended.
    final func host(of effect: EffectJob) -> (any StoreNode)? {
        effect.host.flatMap { $0.root === self ? $0 : nil }
    }

    /// Resumes the tasks that wait for the end of a store, which has ended. Called within the turn.
    final func tellEnd(of node: TreeNode) {
        let waiters = node.endWaiters
        if !waiters.isEmpty { node.endWaiters = [] }
        for waiter in waiters { deferAnswer(.other { waiter.settle(()) }) }
        if !shutdownsByEffects.isEmpty { endRuns(of: node) }
    }
}
