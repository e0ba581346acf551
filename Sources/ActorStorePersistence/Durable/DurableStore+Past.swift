import ActorStore

extension DurableStore {
    /// Returns the state after an earlier action, rebuilt from the newest snapshot before it and the actions since.
    ///
    /// With ``RecoveryPolicy/acceptingLoss``, it skips the actions that the recovery has skipped, so that it is a state
    /// that the store has had; ``DurableStore/recovery`` lists them. Any other unreadable action is an error: one that
    /// was damaged later, or that lies before the snapshot of the recovery.
    ///
    /// It reads through a separate connection, on a separate thread, and does not block the store.
    ///
    /// - Parameters:
    ///   - revision: The number of actions; 0 is the initial state.
    ///   - isolation: The actor on which this runs; by default the caller's.
    /// - Returns: The state of that revision.
    /// - Throws: ``ActionLogError``: ``ActionLogError/Code/unknownRevision`` if the revision does not exist; or the
    ///   error of an entry that cannot be read, and that the recovery has not skipped; or
    ///   ``ActionLogError/Code/unknownSchema`` if only a snapshot of an unsupported schema has the state. A
    ///   `CancellationError` if the task is cancelled before the state has been read.
    /// - Complexity: O(*n*), where *n* is the number of actions since the snapshot.
    public func state(at revision: UInt64, isolation: isolated (any Actor)? = #isolation) async throws -> State {
        if revision > log.statistics.committedRevision { try await log.commit() }
        return try await waitCancellably { [past] in try await past.state(at: revision) }
    }

    /// Writes a snapshot of the current state, and returns when it is in the log.
    ///
    /// - Parameter isolation: The actor on which this runs; by default the caller's.
    /// - Returns: The revision of the snapshot.
    /// - Throws: An ``ActionLogError`` if the snapshot cannot be written, or the log does not respond; the log is not
    ///   changed. A `CancellationError` if the task is cancelled before the snapshot is in the log; a snapshot that has
    ///   begun is still written.
    /// - Complexity: O(*n*), where *n* is the size of the state.
    @discardableResult
    public func checkpoint(isolation: isolated (any Actor)? = #isolation) async throws -> UInt64 {
        try await commit()
        return try await waitCancellably { [self] in try await makeSnapshot() }
    }

    /// Writes a snapshot of a state that is not older than this call.
    private func makeSnapshot() async throws -> UInt64 {
        let revision = revision
        try await log.writer.checkNewestSnapshot(ifFrom: revision, log)
        // The result of an earlier snapshot does not matter.
        while true {
            let beginning = await store.beginSnapshot(in: log, unlessSavedFrom: revision)
            if beginning == .waits {
                try? await log.snapshotEnd()
                continue
            }
            if beginning == .makes { try await log.snapshotEnd() }
            break
        }
        guard let saved = log.snapshotRevision, saved >= revision else {
            throw log.failure ?? log.snapshotProblem
                ?? ActionLogError(
                    .closed,
                    in: log.coding.log,
                    "No snapshot was written, because the store has ended. Open the log again."
                )
        }
        return saved
    }

    /// Writes a snapshot, and deletes everything except a number of snapshots and the actions after the oldest of them.
    ///
    /// The store continues meanwhile. Each of the snapshots is read back before anything older is deleted. If there is
    /// no room for the new one, this first deletes what the existing ones make unnecessary. States before the oldest
    /// remaining snapshot can no longer be read.
    ///
    /// - Parameters:
    ///   - count: The number of snapshots to keep, at least one. With two or more, one unreadable snapshot does no
    ///     harm. If the log has fewer, nothing is deleted.
    ///   - isolation: The actor on which this runs; by default the caller's.
    /// - Throws: An ``ActionLogError`` if a snapshot cannot be read back, and then nothing behind it was deleted; or if
    ///   the log fails, or has no room, and then only unnecessary entries were deleted. A `CancellationError` if the
    ///   task is cancelled before the end; what has begun still continues.
    /// - Complexity: O(*n*), where *n* is the size of the kept snapshots and of the deleted entries.
    public func compact(keepingSnapshots count: Int, isolation: isolated (any Actor)? = #isolation) async throws {
        log.beginCompaction(keeping: count)
        defer { log.endCompaction(keeping: count) }
        let compact = { [log] in
            try await waitCancellably { try await log.writer.compact(keeping: count, log) }
        }
        do {
            try await checkpoint()
        } catch let error as ActionLogError where error.code == .full {
            // What existing snapshots make unnecessary may take the room.
            try await compact()
            try await checkpoint()
        }
        try await compact()
    }
}

/// Reads earlier states of a log beside its writer, through separate connections, on a separate thread.
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
