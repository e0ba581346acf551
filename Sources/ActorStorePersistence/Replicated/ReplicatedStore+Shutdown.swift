public import ActorStore

extension ReplicatedStore {
    /// Ends the store's life as `Store.shutdown(drain:within:reserving:clock:isolation:)` does, and leaves. The other
    /// replicas go on.
    ///
    /// ```swift
    /// let report = await stock.shutdown(drain: .finishEffects, within: .seconds(25))
    /// ```
    ///
    /// What was accepted is written and reduced first, and so is what effects still send; what others send is refused.
    /// Then the replica makes a snapshot, if its configuration says so, and gives its lease back. Cancelling the calling
    /// task does not shorten it.
    ///
    /// - Parameters:
    ///   - drain: What happens to running effects; with a limit, what happens to them first. Those of actions that other
    ///     replicas send are not begun any more.
    ///   - limit: How much time there is in all, a tenth of it for the log alone; nil for as long as it takes, which is
    ///     without end if the log does not come back.
    ///   - clock: Measures the time; a test gives one of its own.
    ///   - isolation: The caller's actor, on which this runs; leave the default.
    /// - Returns: What is left: effects that run, and actions of which it is not known whether they are in the log.
    @discardableResult
    public func shutdown(
        drain: ShutdownDrain,
        within limit: Duration? = nil,
        clock: any Clock<Duration> = ContinuousClock(),
        isolation: isolated (any Actor)? = #isolation
    ) async -> DurableShutdownReport {
        // In a task of its own, so that it comes to its end also if whoever asked for it is cancelled.
        await Task { await end(drain, limit, clock) }.value
    }

    private func end(
        _ drain: ShutdownDrain,
        _ limit: Duration?,
        _ clock: any Clock<Duration>
    ) async -> DurableShutdownReport {
        let stopwatch = Stopwatch(clock)
        let effectsLimit = limit.map { $0 - $0 / 10 }
        // As every end of a store, it waits for no observer; what one has held up is reduced first.
        root.endSuspensions()
        await root.settle()
        replica.close()
        // Not one that calls this itself, which goes on when the store has ended.
        if drain == .cancelEffects { await root.cancelOtherEffects() }
        let isQuiet = await isQuiet { effectsLimit.map { stopwatch.elapsed() >= $0 - $0 / 10 } ?? false }
        let effects = await root.shutdown(
            drain: isQuiet ? drain : .cancelEffects,
            within: effectsLimit.map { max($0 - stopwatch.elapsed(), .zero) },
            clock: clock
        )
        let left = limit.map { max($0 - stopwatch.elapsed(), .zero) }
        let report = await withTimeLimit(left, on: clock) { [self] in
            if replica.configuration.snapshotAtShutdown, replica.snapshotRevision ?? 0 < revision {
                await checkpointAtEnd()
                // Replicas that live for less than an interval make no other snapshots.
                await replica.writer.finishRetention()
            }
            let report = remainder(effects)
            await replica.writer.close(replica)
            leave()
            for task in tasks { await task.value }
            return report
        } whenOver: { [self] in
            let report = remainder(effects)
            leave()
            replica.writer.thread.run { [replica] in replica.writer.assumeIsolated { $0.stop() } }
            return report
        }
        await replica.phases.shutdown(drain: .cancelEffects)
        return report
    }

    /// Makes the last snapshot, and tries again what may be better next time, for a while.
    private func checkpointAtEnd() async {
        await tryAgain(for: .seconds(30)) {
            do {
                _ = try await checkpoint()
                return true
            } catch {
                return (error as? ActionLogError)?.isPassing != true
            }
        }
    }

    private func leave() {
        replica.end(.closed(in: replica.coding.log))
        for task in tasks { task.cancel() }
    }

    private func remainder(_ effects: ShutdownReport) -> DurableShutdownReport {
        let failure = replica.failure
        return DurableShutdownReport(
            effects: effects,
            unwrittenActions: replica.pending.actions,
            failure: failure?.code == .closed ? nil : failure
        )
    }

    /// Waits until nothing is under way that this replica has begun, or the time is over.
    private func isQuiet(unless isOver: () -> Bool) async -> Bool {
        while replica.failure == nil {
            await root.cancelEffectsOnShutdown()
            let isIdle = await !root.hasOtherEffects() && root.statistics.waitingActions == 0
            // Looked at after the effects: what they sent before they ended is counted by then.
            if isIdle && replica.pending.isComplete { return true }
            if isOver() { return false }
            // There is nobody to be told by: effects that end, actions that come back and answers of the log are three
            // different things, and this is done once in a life.
            try? await Task.sleep(for: .milliseconds(1))
        }
        return false
    }
}
