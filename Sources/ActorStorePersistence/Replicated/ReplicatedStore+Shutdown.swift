public import ActorStore

extension ReplicatedStore {
    /// Shuts the store down like `Store.shutdown(drain:within:reserving:clock:isolation:)`, and disconnects. The other
    /// replicas continue.
    ///
    /// ```swift
    /// let report = await stock.shutdown(drain: .finishEffects, within: .seconds(25))
    /// ```
    ///
    /// Accepted actions are written and reduced first, including those that effects still send; actions from other
    /// senders are refused. Then the replica writes a snapshot, if its configuration says so, and releases its lease.
    /// Cancelling the calling task does not shorten the shutdown.
    ///
    /// - Parameters:
    ///   - drain: The treatment of running effects; with a limit, the first step of it. Effects of actions from other
    ///     replicas no longer start.
    ///   - limit: The total time, a tenth of which is reserved for the log; nil for no limit, so that the shutdown may
    ///     wait for ever for an unreachable log.
    ///   - clock: The clock that measures the time. Pass a test clock in tests.
    ///   - isolation: The actor on which this runs; by default the caller's.
    /// - Returns: A report of the effects that still run, and of the actions that may not be in the log.
    @discardableResult
    public func shutdown(
        drain: ShutdownDrain,
        within limit: Duration? = nil,
        clock: any Clock<Duration> = ContinuousClock(),
        isolation: isolated (any Actor)? = #isolation
    ) async -> DurableShutdownReport {
        // A separate task completes even if the caller is cancelled.
        await Task { await end(drain, limit, clock) }.value
    }

    private func end(
        _ drain: ShutdownDrain,
        _ limit: Duration?,
        _ clock: any Clock<Duration>
    ) async -> DurableShutdownReport {
        let stopwatch = Stopwatch(clock)
        let effectsLimit = limit.map { $0 - $0 / 10 }
        // Like every end of a store, this does not wait for observers; actions that an observer delayed are reduced
        // first.
        root.endSuspensions()
        await root.settle()
        replica.close()
        let isQuiet = await isQuiet(drain) { effectsLimit.map { stopwatch.elapsed() >= $0 - $0 / 10 } ?? false }
        if isSnapshotDue, needsFirstEntry {
            // Before the store ends, which then reduces nothing more.
            let left = effectsLimit.map { max($0 - stopwatch.elapsed(), .zero) / 2 } ?? .seconds(30)
            _ = await withTimeLimit(left, on: clock) { [self] in
                await retry { try await readBarrier() }
            } whenOver: {
                nil
            }
        }
        let effects = await root.shutdown(
            drain: isQuiet ? drain : .cancelEffects,
            within: effectsLimit.map { max($0 - stopwatch.elapsed(), .zero) },
            clock: clock
        )
        let left = limit.map { max($0 - stopwatch.elapsed(), .zero) }
        let report = await withTimeLimit(left, on: clock) { [self] in
            let isKnown = await noteSnapshots()
            if isSnapshotDue { await retryCheckpoint() } else if !isKnown { replica.noteNewestSnapshot(nil) }
            // Also after a checkpoint: replicas that live for less than an interval write no other snapshots.
            await replica.writer.finishRetention()
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
        await replica.phases.end()
        return report
    }

    /// Reads which snapshots the log has. Retries briefly: the log may not respond at all.
    ///
    /// - Returns: Whether it has responded.
    private func noteSnapshots() async -> Bool {
        var failure: ActionLogError?
        await tryAgain(for: .seconds(2)) {
            do throws(ActionLogError) {
                try await replica.writer.noteSnapshots(of: replica)
                failure = nil
            } catch {
                failure = error
            }
            return replica.failure != nil || failure?.isTransient != true
        }
        return failure == nil
    }

    /// Whether the shutdown has to write a snapshot.
    private var isSnapshotDue: Bool {
        replica.configuration.snapshotAtShutdown && replica.snapshotRevision ?? 0 < revision
    }

    /// Writes a snapshot, and retries transient errors for up to 30 seconds.
    ///
    /// - Returns: The error; nil if the log has the snapshot.
    @discardableResult
    private func retryCheckpoint() async -> ActionLogError? { await retry { _ = try await makeSnapshot() } }

    /// Makes attempts for up to 30 seconds, until one succeeds or fails with an error that is not transient.
    ///
    /// - Returns: The error of the last attempt; nil if it has succeeded.
    private func retry(_ attempt: () async throws -> Void) async -> ActionLogError? {
        var failure: ActionLogError?
        await tryAgain(for: .seconds(30)) {
            do {
                try await attempt()
                failure = nil
            } catch let error as ActionLogError {
                failure = error
            } catch {
                // Cancelled.
                failure = replica.problem ?? .closed(in: replica.coding.log)
                return true
            }
            return failure?.isTransient != true
        }
        return failure
    }

    /// Writes the snapshot of an opening with losses, also if the calling task is cancelled.
    ///
    /// - Parameter patience: The minimum time after which the wait for the first entry ends if the log is unreachable.
    /// - Returns: The error; nil if the log has the snapshot.
    func checkpointAfterLoss(patience: Duration = .seconds(30)) async -> ActionLogError? {
        // Behind the first entry of this replica, whose contents are certain.
        let barrier = Task { await retry { try await readBarrier() } }
        let watch = Task {
            // Ends the wait if the replica is disconnected at two looks in a row. A connected one may have many entries
            // to reduce.
            var looks = 0
            while looks < 2 {
                try await Task.sleep(for: patience / 2)
                looks = phase.snapshot == .connected ? 0 : looks + 1
            }
            barrier.cancel()
        }
        defer { watch.cancel() }
        if let failure = await barrier.value { return failure }
        return await Task { await retryCheckpoint() }.value
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

    /// Waits until no work of this replica is running, or the time is over.
    private func isQuiet(_ drain: ShutdownDrain, unless isOver: () -> Bool) async -> Bool {
        while replica.failure == nil {
            // Repeatedly, because actions that come back from the log start further effects. An effect that calls this
            // itself continues after the store has ended.
            switch drain {
            case .finishEffects: await root.cancelEffectsOnShutdown()
            case .cancelEffects: await root.cancelOtherEffects()
            }
            let isQuiet = await Self.isQuiet {
                replica.pending
            } isIdle: {
                await !root.hasOtherEffects() && root.statistics.waitingActions == 0
            }
            if isQuiet { return true }
            // A store that was shut down by itself reduces no more entries.
            if case .ended = root.phase { return false }
            if isOver() { return false }
            // Polled, because ends of effects, actions from the log and answers of the log have no common notification,
            // and a replica does this once.
            try? await Task.sleep(for: .milliseconds(1))
        }
        return false
    }

    /// Returns whether no action was pending when no effect was running.
    ///
    /// The actions are compared before and after the effects: one that came back from the log meanwhile may have
    /// started an effect, and an effect that has ended may have sent one.
    ///
    /// - Parameters:
    ///   - pending: Returns the pending actions.
    ///   - isIdle: Returns whether no effect is running, and no action waits to be accepted.
    ///   - isolation: The actor on which this runs; by default the caller's.
    static func isQuiet(
        pending: () -> Replica<State, Action>.Pending,
        isIdle: () async -> Bool,
        isolation: isolated (any Actor)? = #isolation
    ) async -> Bool {
        let settled = pending().settled
        guard await isIdle() else { return false }
        let after = pending()
        return after.isComplete && after.settled == settled
    }
}
