import ActorStore
import Foundation

/// Writes entries and snapshots on a separate thread. Only the writer appends to the log.
actor LogWriter<State: Codable & Sendable, Action: Codable & Sendable> {
    /// The maximum number of bytes of a group.
    private static var bytesPerGroup: Int { 1 << 20 }
    /// The time for which groups are written before other work may use the thread.
    private static var turn: Duration { .milliseconds(1) }

    nonisolated let log: any ActionLog
    nonisolated let configuration: DurabilityConfiguration
    nonisolated let coding: EntryCoding
    /// Identifies this life of the store.
    nonisolated let origin: String
    nonisolated let thread = BlockingThread(named: "ActorStorePersistence.writer")
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    nonisolated let reader: SnapshotReader
    var connection: (any ActionLogConnection)?
    var lease: ActionLogLease?
    /// The known end of the log.
    var end = ActionLogPoint.start
    /// The entries that the next group waits for; nil if it does not wait.
    private var gathering: GroupGathering?
    /// Whether a program with another reducer has written the snapshot that the store started from.
    var startsFromOtherReducer = false
    private var verification = SnapshotVerification.idle
    /// The number of snapshots to be kept for which a read-back has begun since entries have no room.
    private var verifiedForRoom: Int?
    /// The newest snapshot of a program with the same reducer.
    var savedSnapshot: ActionLogSnapshot?
    /// The position from which snapshots count. Earlier ones can be unreadable, of another reducer, or before losses.
    var countedFrom: UInt64 = 0
    /// Whether the server may be another one than that which has finished the newest snapshot.
    private var mayHaveLostSnapshot = false
    var retries: WriteRetries
    var upload: SnapshotUpload

    init(_ log: any ActionLog, _ configuration: DurabilityConfiguration) throws(ActionLogError) {
        self.log = log
        reader = SnapshotReader(log)
        self.configuration = configuration
        coding = try EntryCoding(configuration.coding, reducer: configuration.reducerVersion, log: log)
        origin = String(UInt64.random(in: .min ... .max), radix: 36)
        retries = WriteRetries(for: configuration.retryLimit)
        upload = SnapshotUpload(configuration.retention, isOnlyWriter: true)
    }

    /// A store that was released without a shutdown also releases the log. On the thread, because that may block.
    isolated deinit {
        if let lease { log.release(lease, by: connection) }
        connection = nil
    }

    // MARK: Writing

    /// Writes until there is no work left. Between two groups, it executes a step of other work, so that both progress
    /// under any load. It regularly leaves the thread to other work: the renewal of the lease, and barriers.
    func writeAll(of shared: DurableLog<State, Action>) {
        let start = ContinuousClock.now
        while ContinuousClock.now - start < Self.turn {
            if let gathering { wait(gathering, shared) }
            gathering = nil
            let work = shared.take(atMost: Self.bytesPerGroup, hasOtherWork: !upload.isIdle)
            if let encoded = work.encoded { upload.begin(encoded) }
            guard !work.entries.isEmpty || !upload.isIdle else {
                // A barrier may have found that the log has what failed.
                noteRecovery(shared)
                return
            }
            do throws(ActionLogError) {
                let connection = try connect(shared)
                do throws(ActionLogError) {
                    gathering = try append(work.entries, by: connection, shared)
                } catch {
                    throw error.code == .fenced ? takenOver(error, by: connection) : error
                }
                noteRecovery(shared)
                if !upload.isIdle {
                    try doPiece(shared, hasEntries: !work.entries.isEmpty)
                    // The step took long enough.
                    gathering = nil
                }
            } catch {
                if !fail(error, hasEntries: !work.entries.isEmpty, shared) { return }
            }
        }
        thread.run { [self] in assumeIsolated { $0.writeAll(of: shared) } }
    }

    /// Waits for the entries that the next group should contain.
    private func wait(_ gathering: GroupGathering, _ shared: DurableLog<State, Action>) {
        var gathering = gathering
        let start = ContinuousClock.now
        while gathering.goesOn(with: shared.untaken, after: ContinuousClock.now - start) {
            // This thread may block.
            Thread.sleep(forTimeInterval: GroupGathering.step / .seconds(1))
        }
    }

    /// Records a failure, and schedules a retry or ends the log.
    ///
    /// - Returns: Whether to continue.
    private func fail(_ error: ActionLogError, hasEntries: Bool, _ shared: DurableLog<State, Action>) -> Bool {
        if error.code == .disconnected { connection = nil }
        let wait = retries.noteFailure(hasEntries: hasEntries, at: .now)
        if error.isTransient, let wait {
            let hasRoom = error.code == .full && hasEntries && makeRoom(error, shared)
            if shared.failure == nil { shared.retry(error, after: hasRoom ? .zero : wait) }
            return false
        }
        // The store does not depend on a snapshot or a deletion.
        let isUploadOnly = !hasEntries && ![.fenced, .lostEntries].contains(error.code) && shared.failure == nil
        guard isUploadOnly else {
            end(shared, error)
            return false
        }
        noteRecovery(shared)
        cancelUpload(error, isWriting: upload.isWriting, shared)
        return true
    }

    /// Makes room for entries: deletes some of what is unnecessary. If that does not suffice for a second, the snapshot
    /// that is being written is cancelled.
    ///
    /// - Returns: Whether there may be room now.
    private func makeRoom(_ error: ActionLogError, _ shared: DurableLog<State, Action>) -> Bool {
        do throws(ActionLogError) {
            // A full log may not have checked the lease, and what looks like remains may belong to another store.
            let found = try ask(shared) { connection throws(ActionLogError) in try connection.status().end }
            if found != end, found.identity?.origin != origin { try checkEnd(shared) }
            let kept = snapshotsKeptForRoom(shared)
            if let kept, kept != verifiedForRoom, verify(after: nil, keeping: kept, isWritten: false, shared) {
                verifiedForRoom = kept
            }
            let step = try ask(shared) { connection throws(ActionLogError) in try upload.makeRoom(by: connection) }
            if let step {
                if case .goesOn = step { retries.noteProgress(at: .now) }
                try noteEnd(of: step, shared)
                return true
            }
        } catch {
            // The next attempt follows that of the entries.
            if shared.failure != nil { return false }
        }
        guard upload.isWriting, retries.isLasting(at: .now) else { return false }
        cancelUpload(error, isWriting: true, shared)
        return true
    }

    /// Records that nothing is retried any more.
    private func noteRecovery(_ shared: DurableLog<State, Action>) {
        guard retries.isFailing else { return }
        retries.noteSuccess()
        verifiedForRoom = nil
        shared.noteRecovery()
    }

    func connect(_ shared: DurableLog<State, Action>) throws(ActionLogError) -> any ActionLogConnection {
        // Nothing starts after the end, not even a step of running work.
        if let failure = shared.failure { throw failure }
        if let connection { return connection }
        let made = try log.connect()
        shared.watch(made)
        connection = made
        mayHaveLostSnapshot = true
        // A shutdown that could not wait has ended the log meanwhile, and has interrupted only earlier connections.
        if let failure = shared.failure { throw failure }
        if let lease { made.renew(lease, for: configuration.leaseDuration) }
        return made
    }

    /// Calls the log, through a new connection if the current one is broken.
    func ask<Answer>(
        _ shared: DurableLog<State, Action>,
        _ body: (any ActionLogConnection) throws(ActionLogError) -> Answer
    ) throws(ActionLogError) -> Answer {
        try askAgain(ifConnected: connection != nil, disconnect: { connection = nil }) { () throws(ActionLogError) in
            try body(try connect(shared))
        }
    }

    /// Appends a group.
    ///
    /// - Returns: The entries that the next group waits for; nil if nothing was appended.
    private func append(
        _ entries: [ActionLogEntry],
        by connection: any ActionLogConnection,
        _ shared: DurableLog<State, Action>
    ) throws(ActionLogError) -> GroupGathering? {
        if retries.isFailing { try lookForAnswers(by: connection, shared) }
        let appended = shared.appended
        let entries = entries.filter { $0.identity.number > appended }
        guard let last = entries.last else { return nil }
        let start = ContinuousClock.now
        let first: UInt64
        do throws(ActionLogError) {
            first = try connection.append(entries, if: AppendCondition(.end(end), lease: lease))
        } catch {
            // Entries that a broken connection had sent can arrive after they were looked for.
            let mayBeLate = [.unexpectedEnd, .unexpectedNumber].contains(error.code)
            guard retries.isFailing, mayBeLate else { throw error }
            try lookForAnswers(by: connection, shared)
            guard shared.appended > appended else { throw error }
            return try append(entries, by: connection, shared)
        }
        end = ActionLogPoint(position: first + UInt64(entries.count) - 1, identity: last.identity)
        let duration = ContinuousClock.now - start
        let released = shared.noteAppended(through: last.identity.number, within: duration)
        return GroupGathering(released: released, lastGroup: duration)
    }

    /// Looks for failed entries that the log has, because only the answer was lost. They are appended again, so that
    /// the engine guarantees their durability: a readable entry may not be on a standby yet.
    func lookForAnswers(
        by connection: any ActionLogConnection,
        _ shared: DurableLog<State, Action>
    ) throws(ActionLogError) {
        let (number, appended) = (try connection.lastNumber(of: origin), shared.appended)
        let entries = shared.unappended(through: number)
        guard let last = entries.last?.identity else { return }
        do throws(ActionLogError) {
            try connection.append(entries, if: AppendCondition(.contains(end), lease: lease))
        } catch {
            guard error.code == .unexpectedNumber else { throw error }
        }
        end = ActionLogPoint(position: end.position + last.number - appended, identity: last)
        shared.noteAppended(through: last.number, within: .zero)
    }

    // MARK: Snapshots

    /// Writes a part of a snapshot, or deletes some unnecessary entries.
    ///
    /// - Parameter hasEntries: Whether entries were appended directly before.
    private func doPiece(_ shared: DurableLog<State, Action>, hasEntries: Bool) throws(ActionLogError) {
        let isWriting = upload.isWriting
        do throws(ActionLogError) {
            let step = try ask(shared) { connection throws(ActionLogError) in
                try upload.advance(by: connection, end: end.position)
            }
            switch step {
            case .goesOn: break
            // For the end of a dispatch, whose interceptors can take any time.
            case .waits: if !hasEntries { Thread.sleep(forTimeInterval: GroupGathering.step / .seconds(1)) }
            case .finished(let snapshot, let isTaken):
                savedSnapshot = isTaken ? snapshot : try equal(to: snapshot, by: try connect(shared))
                verifyWritten(at: snapshot.point, shared)
                shared.endSnapshot(nil)
            case .trimmed: try noteEnd(of: step, shared)
            }
        } catch {
            // The store does not depend on this work; damage of the log shows in the next append.
            if error.code == .disconnected { connection = nil }
            cancelUpload(error, isWriting: isWriting, shared)
            if error.code == .fenced { throw error }
        }
    }

    /// Records the first entry after a deletion.
    private func noteEnd(
        of step: SnapshotUpload.Step,
        _ shared: DurableLog<State, Action>
    ) throws(ActionLogError) {
        guard case .trimmed = step else { return }
        let status = try ask(shared) { connection throws(ActionLogError) in try connection.status() }
        shared.noteFirst(status.first)
    }

    private func cancelUpload(_ error: ActionLogError, isWriting: Bool, _ shared: DurableLog<State, Action>) {
        let snapshot = upload.snapshot
        upload.cancel(by: connection, because: error)
        if isWriting { shared.endSnapshot(error) } else { shared.noteProblem(error) }
        // What existing snapshots make unnecessary, such as the remains of a killed program, may take the room.
        if error.code == .full, let snapshot, let kept = snapshotsKeptForRoom(shared) {
            verify(after: snapshot.point, keeping: kept, isWritten: false, shared)
        }
    }

    /// Returns the log's snapshot that equals a refused one: that of an earlier attempt whose answer was lost.
    private func equal(
        to snapshot: ActionLogSnapshot,
        by connection: any ActionLogConnection
    ) throws(ActionLogError) -> ActionLogSnapshot {
        let snapshots = SnapshotCoding(coding: coding)
        if let newest = try connection.snapshots().first, newest.point == snapshot.point,
            let revision = snapshots.revision(of: newest), revision == snapshots.revision(of: snapshot)
        {
            return newest
        }
        throw ActionLogError(
            .refused,
            in: log.name,
            at: snapshot.point.position,
            "The log has refused the snapshot, because it has a newer one of another store."
        )
    }

    /// Verifies that the log still has the newest snapshot if the server may be another one.
    func checkNewestSnapshotAfterReconnection(_ shared: DurableLog<State, Action>) throws(ActionLogError) {
        if mayHaveLostSnapshot { try checkNewestSnapshot(shared) }
    }

    /// Verifies that the log still has the newest snapshot if it is one of a revision or a later one.
    func checkNewestSnapshot(ifFrom revision: UInt64, _ shared: DurableLog<State, Action>) throws(ActionLogError) {
        if let saved = shared.snapshotRevision, saved >= revision { try checkNewestSnapshot(shared) }
    }

    /// Verifies that the log still has the newest snapshot: a server that has taken over can lack it.
    func checkNewestSnapshot(_ shared: DurableLog<State, Action>) throws(ActionLogError) {
        guard let saved = savedSnapshot else { return }
        let existing = try ask(shared) { connection throws(ActionLogError) in try connection.snapshots() }
        if !existing.contains(saved) {
            // Another store may have deleted it.
            try checkEnd(shared)
            let snapshots = SnapshotCoding(coding: coding)
            let lost = snapshots.revision(of: saved) ?? 0
            // Another one of that revision can be unreadable.
            savedSnapshot = existing.first {
                $0.point.position >= countedFrom && snapshots.revision(of: $0) ?? lost < lost
                    && snapshots.reducer(of: $0) == coding.reducer
            }
            shared.noteLostSnapshot(newest: savedSnapshot.flatMap(snapshots.revision))
        }
        mayHaveLostSnapshot = false
    }

    /// The number of snapshots behind which entries are deleted that take the room of others; nil if everything is
    /// kept.
    private func snapshotsKeptForRoom(_ shared: DurableLog<State, Action>) -> Int? {
        [shared.compaction, configuration.retention.count].compactMap(\.self).min()
    }

    /// Reads the snapshots that the retention keeps back, when there is a new one.
    private func verifyWritten(at point: ActionLogPoint, _ shared: DurableLog<State, Action>) {
        guard let kept = configuration.retention.count else { return }
        verify(after: point, keeping: kept, isWritten: true, shared)
    }

    /// Reads the snapshots that are kept back, before anything is deleted behind them.
    ///
    /// - Parameters:
    ///   - point: The point of a snapshot that was written, or had no room; nil if entries had none.
    ///   - count: The number of snapshots to keep.
    ///   - isWritten: Whether there is a new snapshot; false if something had no room, which remains the problem that
    ///     the store reports.
    /// - Returns: Whether a read-back has begun.
    @discardableResult
    private func verify(
        after point: ActionLogPoint?,
        keeping count: Int,
        isWritten: Bool,
        _ shared: DurableLog<State, Action>
    ) -> Bool {
        // A release with another reducer that has reduced nothing can be rolled back: nothing is deleted behind the
        // snapshot of its opening.
        let opening = startsFromOtherReducer ? ActionLogEntry.Identity(origin: origin, number: 1) : nil
        guard opening == nil || point?.identity != opening,
            verification.begin(hasNewer: isWritten)
        else { return false }
        let thread = thread
        reader.readBack(State.self, newest: count, except: upload.retained, coding: coding) {
            opening == nil || $0.point.identity != opening
        } then: { read in
            thread.run {
                self.assumeIsolated { writer in
                    let isFollowed = writer.verification.finish()
                    if isWritten, let problem = read.problem, problem.code != .closed {
                        shared.noteProblem(problem)
                    }
                    // Repeated with the next attempt.
                    if let problem = read.problem, problem.isTransient { writer.verifiedForRoom = nil }
                    writer.trim(behind: read, keeping: count, shared)
                    // What the retention does not keep can be deleted although a compaction would keep less.
                    if read.problem != nil, shared.failure == nil,
                        let kept = writer.configuration.retention.count, kept != count
                    {
                        writer.verify(after: nil, keeping: kept, isWritten: false, shared)
                    }
                    if isFollowed, shared.failure == nil {
                        writer.verifyWritten(at: point ?? writer.end, shared)
                    }
                }
            }
        }
        return true
    }

    /// Deletes entries and snapshots that the kept snapshots make unnecessary.
    private func trim(behind read: ReadBack, keeping count: Int, _ shared: DurableLog<State, Action>) {
        guard !read.snapshots.isEmpty else { return }
        upload.retained.replace(with: read.snapshots)
        // A compaction deletes nothing if one of the newest snapshots is unreadable.
        guard read.problem == nil || count == configuration.retention.count,
            let limit = upload.retained.limit(keeping: count)
        else { return }
        upload.trim(through: limit)
        shared.wake()
    }

    /// Waits until the newest snapshot has been read back, and unnecessary entries are deleted.
    func finishRetention(_ shared: DurableLog<State, Action>) async {
        await reader.idle()
        while !upload.isIdle || verification != .idle, shared.failure == nil {
            // The thread deletes without pause, so this waits only while the log does not respond.
            try? await Task.sleep(for: .milliseconds(1))
            await reader.idle()
        }
    }

    /// Deletes what a number of snapshots makes unnecessary, after each of them was read back.
    func compact(keeping count: Int, _ shared: DurableLog<State, Action>) async throws(ActionLogError) {
        if let failure = shared.failure { throw failure }
        let none = RetainedSnapshots(configuration.retention)
        let read = await withCheckedContinuation { continuation in
            reader.readBack(State.self, newest: count, except: none, coding: coding) {
                continuation.resume(returning: $0)
            }
        }
        // The caller must know if the newest snapshots are not those that are kept.
        if let problem = read.problem { throw problem }
        upload.retained.replace(with: read.snapshots)
        guard let position = upload.retained.limit(keeping: count) else { return }
        while try connect(shared).trimBehindSnapshot(through: position) { await Task.yield() }
        shared.noteFirst(try connect(shared).status().first)
    }
}
