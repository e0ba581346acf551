public import ActorStore

extension DurableStore {
    /// Shuts the store down like `Store.shutdown(drain:within:reserving:clock:isolation:)`, writes the remaining
    /// actions and a snapshot, and closes the log, so that the next store can open it.
    ///
    /// ```swift
    /// let report = await stock.shutdown(drain: .finishEffects, within: .seconds(25))
    /// ```
    ///
    /// Actions that effects send after the limit are dropped, and are not written. A store that is released without a
    /// shutdown also ends: its actions are written, and the log is closed, some time later. Cancelling the calling task
    /// does not shorten the wait for the log.
    ///
    /// - Parameters:
    ///   - drain: The treatment of running effects; with a limit, the first step of it.
    ///   - limit: The total time, a tenth of which is reserved for the log; nil for no limit. If the log does not
    ///     respond in time, it is closed as soon as it responds. The reducer is not interrupted: after the limit,
    ///     ``confirmed`` can still be reducing.
    ///   - reserve: The part of the time for effects that must be cancelled; by default a tenth.
    ///   - clock: The clock that measures the time. Pass a test clock in tests.
    ///   - isolation: The actor on which this runs; by default the caller's.
    /// - Returns: A report of the effects that still run, and of the actions that were not written.
    @discardableResult
    public func shutdown(
        drain: ShutdownDrain,
        within limit: Duration? = nil,
        reserving reserve: Duration? = nil,
        clock: any Clock<Duration> = ContinuousClock(),
        isolation: isolated (any Actor)? = #isolation
    ) async -> DurableShutdownReport {
        let stopwatch = Stopwatch(clock)
        log.endInterval()
        // Effects that wait for the log are effects of the store, so that its limit applies to them. A tenth is
        // reserved for the log.
        let effects = await store.shutdown(
            drain: drain,
            within: limit.map { $0 - $0 / 10 },
            reserving: reserve,
            clock: clock
        )
        func left() -> Duration? { limit.map { max($0 - stopwatch.elapsed(), .zero) } }
        let statistics = await withTimeLimit(left(), on: clock) { [self] in
            try? await log.commit()
            // That of an opening with losses, for example, without which the next one would be refused.
            try? await log.snapshotEnd()
            await checkNewestSnapshot()
            // With the snapshot, a program with a changed reducer need not reduce these actions.
            let isDue = log.configuration.snapshotAtShutdown && log.snapshotRevision ?? 0 < revision
            if isDue || lacksSnapshot { await checkpointAtEnd() }
            // Stores that live for less than an interval write no other snapshots.
            await log.writer.finishRetention(log)
            let statistics = log.statistics
            await log.writer.close(log)
            return statistics
        } whenOver: { [log] in
            let statistics = log.statistics
            log.end(ActionLogError(.closed, in: log.coding.log, "The store has been shut down."))
            log.interrupt()
            return statistics
        }
        // It may still be reducing the last group, which can take long. Separate, because it ends also if the log does
        // not respond.
        await withTimeLimit(left(), on: clock) { [log] in
            await log.confirmed?.shutdown(drain: .cancelEffects)
        } whenOver: {
        }
        await log.phases.end()
        return DurableShutdownReport(
            effects: effects,
            unwrittenActions: max(statistics.pendingActions, statistics.unconfirmedActions),
            failure: statistics.failure.flatMap { $0.code == .closed ? nil : $0 }
                ?? missingSnapshot(statistics.lastProblem)
        )
    }

    /// Whether the log needs a snapshot behind the losses of the recovery, and has none yet.
    private var lacksSnapshot: Bool { recovery.needsSnapshot && log.snapshotRevision == nil }

    /// Returns the error if the log still needs a snapshot behind the losses of the recovery; nil otherwise.
    private func missingSnapshot(_ lastProblem: ActionLogError?) -> ActionLogError? {
        guard lacksSnapshot else { return nil }
        return ActionLogError(
            .closed,
            in: log.coding.log,
            """
            No snapshot was written after the recovery with losses, so that the next one has to accept them again. \
            \(lastProblem.map { "The last problem was: \($0.reason)" } ?? "The store has ended.")
            """
        )
    }

    /// Verifies that the log still has the newest snapshot, which does not count as written before the log has
    /// answered. Retries briefly: the log may not respond at all.
    private func checkNewestSnapshot() async {
        // After an earlier shutdown, or a failure, the log is not asked any more.
        guard log.failure == nil else { return }
        log.askForSnapshot()
        await tryAgain(for: min(log.configuration.retryLimit, .seconds(2))) {
            do throws(ActionLogError) {
                try await log.writer.checkNewestSnapshot(log)
                log.noteSnapshotAnswer()
                return true
            } catch {
                if log.failure == nil { log.noteProblem(error) }
                return log.failure != nil || !error.isTransient
            }
        }
    }

    /// Writes the last snapshot, and retries for as long as writes are retried: without it, a program with another
    /// reducer cannot continue.
    private func checkpointAtEnd() async {
        await tryAgain(for: log.configuration.retryLimit) {
            while await store.beginSnapshot(in: log) == .waits { try? await log.snapshotEnd() }
            try? await log.snapshotEnd()
            if let saved = log.snapshotRevision, saved >= revision { return true }
            return log.failure != nil || log.snapshotProblem?.isTransient != true
        }
    }
}

/// The report of the shutdown of a durable or replicated store.
public struct DurableShutdownReport: Sendable {
    /// The report of the effects, as returned by `Store.shutdown`.
    public let effects: ShutdownReport
    /// The number of actions that were reduced but not acknowledged by the log. They may be in the log or not.
    public let unwrittenActions: Int
    /// The reason, if the log has failed, or if it has no snapshot behind the losses that a recovery has accepted.
    public let failure: ActionLogError?

    /// Whether all effects have ended, all actions are written, and ``failure`` is nil.
    public var isComplete: Bool { effects.unfinishedEffects.isEmpty && unwrittenActions == 0 && failure == nil }
}
