public import ActorStore

extension DurableStore {
    /// Ends the store's life as `Store.shutdown(drain:within:reserving:clock:isolation:)` does, writes what is left and
    /// a snapshot, and closes the log, so that the next one can have it.
    ///
    /// ```swift
    /// let report = try await stock.shutdown(drain: .finishEffects, within: .seconds(25))
    /// ```
    ///
    /// What an effect sends that still runs when the time is over is dropped, and not written. A store that is released
    /// without this ends, too: what it has reduced is written, and the log closed, some time later. Cancelling the calling
    /// task does not shorten the wait for the log.
    ///
    /// - Parameters:
    ///   - drain: What happens to running effects; with a limit, what happens to them first.
    ///   - limit: How much time there is in all, a tenth of it for the log alone; nil for as long as it takes. A log
    ///     that does not answer is left then, and closed when it does.
    ///   - reserve: How much of it is left to effects that have to be cancelled; a tenth unless something else is said.
    ///   - clock: Measures the time; a test gives one of its own.
    ///   - isolation: The caller's actor, on which this runs; leave the default.
    /// - Returns: What is left: effects that run, and actions that were not written.
    @discardableResult
    public func shutdown(
        drain: ShutdownDrain,
        within limit: Duration? = nil,
        reserving reserve: Duration? = nil,
        clock: any Clock<Duration> = ContinuousClock(),
        isolation: isolated (any Actor)? = #isolation
    ) async -> DurableShutdownReport {
        let stopwatch = Stopwatch(clock)
        // Effects that wait for the log are effects of the store, so that its limit covers them. A tenth is the log's.
        let effects = await store.shutdown(
            drain: drain,
            within: limit.map { $0 - $0 / 10 },
            reserving: reserve,
            clock: clock
        )
        let left = limit.map { max($0 - stopwatch.elapsed(), .zero) }
        let statistics = await withTimeLimit(left, on: clock) { [self] in
            try? await log.commit()
            // With it the next program need not reduce what a changed reducer makes something else of.
            if log.configuration.snapshotAtShutdown, log.snapshotRevision ?? 0 < revision { await checkpointAtEnd() }
            // Stores that live for less than an interval make no other snapshots.
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
        await log.confirmed?.shutdown(drain: .cancelEffects)
        return DurableShutdownReport(
            effects: effects,
            unwrittenActions: max(statistics.pendingActions, statistics.unconfirmedActions),
            failure: statistics.failure?.code == .closed ? nil : statistics.failure
        )
    }

    /// Makes the last snapshot, and tries again for as long as actions are tried to be written: without it a program with
    /// another reducer cannot go on.
    private func checkpointAtEnd() async {
        await tryAgain(for: log.configuration.retryLimit) {
            while await store.beginSnapshot(in: log) == .waits { try? await log.snapshotEnd() }
            try? await log.snapshotEnd()
            return (log.snapshotRevision ?? 0) >= revision || log.failure != nil || log.problem?.isPassing != true
        }
    }
}

/// What is left when a durable or replicated store has been shut down.
public struct DurableShutdownReport: Sendable {
    /// What is left of the effects, as `Store.shutdown` says.
    public let effects: ShutdownReport
    /// How many actions were reduced and not acknowledged by the log: they may be in it or not.
    public let unwrittenActions: Int
    /// Why, if the log has failed.
    public let failure: ActionLogError?

    /// Whether nothing is left.
    public var isComplete: Bool { effects.unfinishedEffects.isEmpty && unwrittenActions == 0 && failure == nil }
}
