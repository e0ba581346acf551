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
