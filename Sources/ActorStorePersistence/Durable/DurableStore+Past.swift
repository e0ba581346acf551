import ActorStore

extension DurableStore {
    /// The state after an earlier action, made of the newest snapshot before it and the actions since.
    ///
    /// With ``RecoveryPolicy/acceptingLoss`` it leaves out the actions that the recovery has left out, as the state of
    /// the store does; ``DurableStore/recovery`` names them. Any other action that cannot be read is an error, because
    /// a state without it has never been the store's: one that was damaged later, or lies before the snapshot that the
    /// recovery began with.
    ///
    /// It reads by a connection of its own, on a thread of its own, and holds nobody up.
    ///
    /// - Parameters:
    ///   - revision: How many actions there were; zero is the initial state.
    ///   - isolation: The caller's actor, on which this runs; leave the default.
    /// - Throws: ``ActionLogError``: ``ActionLogError/Code/unknownRevision`` if there is no such state; or why
    ///   something on the way to it cannot be read that the recovery has not left out. A `CancellationError` if the task
    ///   is cancelled before the state has been read.
    /// - Complexity: O(*n*), with *n* actions since the snapshot.
    public func state(at revision: UInt64, isolation: isolated (any Actor)? = #isolation) async throws -> State {
        if revision > log.statistics.committedRevision { try await log.commit() }
        return try await waitCancellably { [past] in try await past.state(at: revision) }
    }

    /// Makes a snapshot of the state now, and returns when it is in the log.
    ///
    /// - Parameter isolation: The caller's actor, on which this runs; leave the default.
    /// - Returns: Its revision.
    /// - Throws: An ``ActionLogError`` if the snapshot cannot be written, which takes nothing from the log. A
    ///   `CancellationError` if the task is cancelled before the snapshot is in the log; the snapshot is still written.
    @discardableResult
    public func checkpoint(isolation: isolated (any Actor)? = #isolation) async throws -> UInt64 {
        try await commit()
        return try await waitCancellably { [self] in try await makeSnapshot() }
    }

    /// Makes a snapshot of a state that is not older than this call.
    private func makeSnapshot() async throws -> UInt64 {
        let revision = revision
        // How an earlier one ended is not what was asked for.
        while true {
            let beginning = await store.beginSnapshot(in: log)
            if beginning == .waits {
                try? await log.snapshotEnd()
                continue
            }
            if beginning == .makes { try await log.snapshotEnd() }
            break
        }
        guard let saved = log.snapshotRevision, saved >= revision else {
            throw log.failure ?? log.problem
                ?? ActionLogError(.closed, in: log.coding.log, "No snapshot was made, because the store has ended.")
        }
        return saved
    }

    /// Makes a snapshot, and deletes what is not needed to keep a number of them and the actions after the oldest.
    ///
    /// The store goes on meanwhile. Each of the snapshots is read back before anything is deleted behind it. States
    /// before the oldest snapshot that is kept can no longer be read.
    ///
    /// - Parameters:
    ///   - count: How many snapshots are kept; with at least two, one that cannot be read later does no harm.
    ///   - isolation: The caller's actor, on which this runs; leave the default.
    /// - Throws: An ``ActionLogError`` if a snapshot cannot be read back, and then nothing has been deleted; or if the
    ///   log does not do it, and then what has been deleted until then was not needed. A `CancellationError` if the task
    ///   is cancelled before the end; what has begun is still done.
    public func compact(keepingSnapshots count: Int, isolation: isolated (any Actor)? = #isolation) async throws {
        try await checkpoint()
        try await waitCancellably { [log] in try await log.writer.compact(keeping: count, log) }
    }
}

/// Reads the past of a log while others write, by connections of its own, on a thread of its own.
actor PastReader<State: Codable & Sendable, Action: Codable & Sendable> {
    private let log: any ActionLog
    private let replay: LogReplay<State, Action>
    private nonisolated let thread = BlockingThread(named: "ActorStorePersistence.reader")
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    init(_ log: any ActionLog, _ replay: LogReplay<State, Action>) {
        self.log = log
        self.replay = replay
    }

    func state(at revision: UInt64) throws(ActionLogError) -> State {
        try replay.state(at: revision, by: log.connect())
    }
}
