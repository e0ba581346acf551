import ActorStore
import Foundation

/// Appends the entries of a replica to the log on a separate thread. Between two groups, it claims the lease, reports
/// the position of the replica, and writes snapshots. While a group is written, the next one gathers.
actor ReplicaWriter<State: Codable & Sendable, Action: Codable & Sendable> {
    /// The maximum number of bytes of a group.
    private static var bytesPerGroup: Int { 1 << 20 }

    nonisolated let log: any ActionLog
    nonisolated let configuration: ReplicationConfiguration
    nonisolated let coding: EntryCoding
    /// Identifies this life of the replica.
    nonisolated let origin: String
    nonisolated let thread = BlockingThread(named: "ActorStorePersistence.replica.writer")
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    private nonisolated let reader: SnapshotReader
    private var connection: (any ActionLogConnection)?
    /// The time of the last deletion for actions that had no room; nil if it is to be repeated at once.
    private var madeRoom: ContinuousClock.Instant?
    /// The number of failed appends since the last success.
    private var failures = 0
    private var upload: SnapshotUpload
    private var verification = SnapshotVerification.idle
    /// The number of requests for the end of the log.
    private nonisolated let questions = LockedValue<UInt64>(0)
    /// The last end of the log, and the number of requests before it was read.
    private var answer: (questions: UInt64, end: Result<ActionLogPoint, ActionLogError>)?
    /// Whether the writer has stopped.
    private var isOver = false

    init(_ log: any ActionLog, _ configuration: ReplicationConfiguration) throws(ActionLogError) {
        self.log = log
        reader = SnapshotReader(log)
        self.configuration = configuration
        coding = try EntryCoding(configuration.coding, reducer: configuration.reducerVersion, log: log)
        origin = "\(configuration.name).\(String(UInt64.random(in: .min ... .max), radix: 36))"
        upload = SnapshotUpload(configuration.retention, isOnlyWriter: false)
    }

    private func connect(_ replica: Replica<State, Action>) throws(ActionLogError) -> any ActionLogConnection {
        if let connection { return connection }
        let made = try log.connect()
        replica.noteSettings(made.settings)
        try replica.watch(made.interruption, for: self)
        connection = made
        if let lease = replica.lease, let duration = configuration.effects.leaseDuration {
            made.renew(lease, for: duration)
        }
        return made
    }

    /// Calls the log, through a new connection if the current one is broken.
    private func ask<Answer>(
        _ replica: Replica<State, Action>,
        _ body: (any ActionLogConnection) throws(ActionLogError) -> Answer
    ) throws(ActionLogError) -> Answer {
        do throws(ActionLogError) {
            return try askAgain(ifConnected: connection != nil, disconnect: { connection = nil }) {
                () throws(ActionLogError) in try body(try connect(replica))
            }
        } catch {
            // The end of the replica has interrupted the call, and its reason is more specific.
            throw error.code == .closed ? replica.failure ?? error : error
        }
    }

    // MARK: Appending

    /// Appends the next group, and continues after other work has used the thread.
    func writeSome(of replica: Replica<State, Action>) {
        guard !isOver else { return }
        var entries = replica.take(atMost: Self.bytesPerGroup)
        if entries.isEmpty { return }
        do throws(ActionLogError) {
            while let first = entries.first?.identity, let last = entries.last?.identity {
                let start = ContinuousClock.now
                let (number, position) = try ask(replica) { connection throws(ActionLogError) in
                    try append(entries, first, last, by: connection, replica)
                }
                failures = 0
                madeRoom = nil
                let newest = ActionLogEntry.Identity(origin: origin, number: number)
                replica.noteAppended(newest, at: position, within: ContinuousClock.now - start)
                entries.removeAll { $0.identity.number <= number }
            }
            thread.run { [self] in assumeIsolated { $0.writeSome(of: replica) } }
        } catch {
            fail(error, replica)
        }
    }

    /// Appends a group.
    ///
    /// - Returns: The number of the newest entry in the log, and its position if it is known.
    private func append(
        _ entries: [ActionLogEntry],
        _ first: ActionLogEntry.Identity,
        _ last: ActionLogEntry.Identity,
        by connection: any ActionLogConnection,
        _ replica: Replica<State, Action>
    ) throws(ActionLogError) -> (number: UInt64, position: UInt64?) {
        let condition = AppendCondition(.contains(replica.newestPoint))
        do throws(ActionLogError) {
            let position = try connection.append(entries, if: condition)
            return (last.number, position + UInt64(entries.count) - 1)
        } catch {
            guard error.code == .unexpectedNumber else { throw error }
            // An earlier attempt whose answer was lost has appended some of the entries.
            let known = try connection.lastNumber(of: origin)
            guard known <= replica.accepted else {
                throw ActionLogError(
                    .damaged,
                    in: log.name,
                    "The log has entry \(known) of this replica, \(origin), but another program wrote it."
                )
            }
            guard known >= first.number - 1 else {
                throw .lostOwn(of: origin, from: known + 1, through: first.number - 1, in: log.name)
            }
            guard known >= first.number else { throw error }
            guard known < last.number else { return (last.number, nil) }
            // Appended again without the others, so that the engine guarantees their durability.
            try confirm(entries.filter { $0.identity.number <= known }, condition, by: connection)
            return (known, nil)
        }
    }

    private func confirm(
        _ entries: [ActionLogEntry],
        _ condition: AppendCondition,
        by connection: any ActionLogConnection
    ) throws(ActionLogError) {
        do throws(ActionLogError) {
            try connection.append(entries, if: condition)
        } catch {
            if error.code != .unexpectedNumber { throw error }
        }
    }

    private func fail(_ error: ActionLogError, _ replica: Replica<State, Action>) {
        // Entries at this replica's position were deleted. It will continue from a snapshot, after which the end is
        // known again.
        guard error.isTransient || error.code == .trimmed else { return replica.end(error) }
        failures += 1
        let wait = configuration.reconnection.endlessWait(afterAttempt: failures)
        replica.retry(error, isLoss: error.isTransient, after: wait)
        if error.code == .full { makeRoom(for: replica) }
    }

    // MARK: The lease and the status of the log

    /// Periodically reports the position of the replica, reads the status of the log, and claims or renews the lease.
    func keep(_ replica: Replica<State, Action>) {
        guard !isOver else { return }
        // A replica that has ended makes no more calls, however long it is retained for its state.
        guard replica.mayKeepState else { return connection = nil }
        do throws(ActionLogError) {
            try ask(replica) { connection throws(ActionLogError) in try keep(replica, by: connection) }
        } catch {
            if replica.mayKeepState { replica.noteProblem(error) }
        }
        let interval = keepingInterval
        thread.run(after: interval) { [weak self, weak replica] in
            guard let self, let replica else { return }
            assumeIsolated { $0.keep(replica) }
        }
    }

    private func keep(
        _ replica: Replica<State, Action>,
        by connection: any ActionLogConnection
    ) throws(ActionLogError) {
        if let claim = replica.leaseClaim {
            let moment = ContinuousClock.now
            replica.noteLease(try connection.claim(claim), askedAt: moment)
        }
        // Entries are not kept for a replica that waits before an entry: a newer program will start from a snapshot in
        // its place.
        if replica.phase == .connected {
            let position = replica.progress.point.position
            try connection.report(ReplicaPresence(origin: origin, position: position))
        }
        replica.note(try connection.status())
        try noteSnapshots(by: connection, replica)
    }

    /// Short enough that one failed attempt costs neither the lease nor entries that the replica needs.
    private var keepingInterval: Duration {
        let patience = max(configuration.replicaPatience / 4, .milliseconds(50))
        return min(patience, configuration.effects.leaseDuration.map { $0 / 4 } ?? .seconds(10), .seconds(10))
    }

    /// Reads which snapshots the log has if the newest known one is of a revision or a later one.
    func noteSnapshots(ifFrom revision: UInt64, of replica: Replica<State, Action>) throws(ActionLogError) {
        if let saved = replica.snapshotRevision, saved >= revision { try noteSnapshots(of: replica) }
    }

    /// Reads which snapshots the log has. A server that has taken over can lack the newest one.
    func noteSnapshots(of replica: Replica<State, Action>) throws(ActionLogError) {
        guard !isOver, replica.mayKeepState else { return }
        try ask(replica) { connection throws(ActionLogError) in try noteSnapshots(by: connection, replica) }
    }

    private func noteSnapshots(
        by connection: any ActionLogConnection,
        _ replica: Replica<State, Action>
    ) throws(ActionLogError) {
        let snapshots = SnapshotCoding(coding: coding)
        for snapshot in try connection.snapshots() {
            guard let revision = snapshots.revision(of: snapshot) else { continue }
            return replica.noteNewestSnapshot((revision, snapshot.point.position))
        }
        replica.noteNewestSnapshot(nil)
    }

    /// Returns the end of the log at a moment after the call.
    ///
    /// Concurrent callers share an answer, so that many of them delay neither other work nor each other, even while the
    /// log does not respond.
    ///
    /// - Throws: ``ActionLogError/Code/lostEntries`` if the log ends before what this replica has reduced, which may
    ///   not have been detected before; the replica then ends.
    nonisolated func end(of replica: Replica<State, Action>) async throws(ActionLogError) -> ActionLogPoint {
        let number = questions.withLock { questions in
            questions += 1
            return questions
        }
        return try await end(of: replica, asked: number)
    }

    /// The number of requests. For tests.
    nonisolated var questionCount: UInt64 { questions.withLock { $0 } }

    private func end(of replica: Replica<State, Action>, asked number: UInt64) throws(ActionLogError) -> ActionLogPoint
    {
        if let answer, answer.questions >= number { return try answer.end.get() }
        let questions = questionCount
        let end = Result { () throws(ActionLogError) in try findEnd(of: replica) }
        answer = (questions, end)
        return try end.get()
    }

    private func findEnd(of replica: Replica<State, Action>) throws(ActionLogError) -> ActionLogPoint {
        // Read before the log's status, so that the log must contain it.
        let known = replica.progress.point
        let status = try ask(replica) { connection throws(ActionLogError) in try connection.status() }
        let end = status.end
        if end.position < known.position || end.position == known.position && !end.mayBe(known) {
            let error = ActionLogError.lost(known.position, after: end.position, in: log.name)
            replica.end(error)
            throw error
        }
        replica.note(status)
        return end
    }

    // MARK: Snapshots

    /// Writes a snapshot.
    func upload(_ encoded: SnapshotCoding.Encoded, of replica: Replica<State, Action>) {
        guard !isOver, replica.mayKeepState else {
            return replica.endSnapshot(
                .failure(ActionLogError(.closed, in: log.name, "The replica ended before its snapshot was saved."))
            )
        }
        let wasIdle = upload.isIdle
        upload.begin(encoded)
        if wasIdle { uploadSome(of: replica) }
    }

    /// Writes a part, or deletes some unnecessary entries, and continues after other work has used the thread.
    private func uploadSome(of replica: Replica<State, Action>) {
        guard !isOver, !upload.isIdle else { return }
        let isWriting = upload.isWriting
        do throws(ActionLogError) {
            guard replica.mayKeepState else {
                throw ActionLogError(.closed, in: log.name, "The replica ended before its snapshot was saved.")
            }
            switch try ask(replica, { connection throws(ActionLogError) in try upload.advance(by: connection) }) {
            // Other replicas of a file retry at intervals, and would rarely find it unlocked between two steps.
            case .goesOn, .waits: Thread.sleep(forTimeInterval: 0.001)
            case .finished(let snapshot, let isTaken):
                try finish(snapshot, isTaken: isTaken, by: try connect(replica), replica)
            case .trimmed: replica.note(try connect(replica).status())
            }
        } catch {
            if error.code == .disconnected { connection = nil }
            if error.isTransient { madeRoom = nil }
            upload.cancel(by: connection, because: error)
            if isWriting { replica.endSnapshot(.failure(error)) } else { replica.noteProblem(error) }
            // What existing snapshots make unnecessary may take the room.
            if isWriting, error.code == .full { verify(isWritten: false, replica) }
        }
        if !upload.isIdle { thread.run { [self] in assumeIsolated { $0.uploadSome(of: replica) } } }
    }

    private func finish(
        _ snapshot: ActionLogSnapshot,
        isTaken: Bool,
        by connection: any ActionLogConnection,
        _ replica: Replica<State, Action>
    ) throws(ActionLogError) {
        let snapshots = SnapshotCoding(coding: coding)
        // Another replica may have been first. Its snapshot must then be readable by this program.
        guard let newest = isTaken ? snapshot : try connection.snapshots().first,
            newest.point.position >= snapshot.point.position,
            isTaken || newest.point.position > replica.uselessSnapshots,
            let revision = snapshots.revision(of: newest)
        else {
            throw ActionLogError(
                .refused,
                in: log.name,
                at: snapshot.point.position,
                "The log has refused the snapshot, and has no other one that this program can read."
            )
        }
        replica.endSnapshot(.success((revision, newest.point.position)))
        if isTaken { verify(isWritten: true, replica) }
    }

    /// Reads the snapshots that are kept back, before anything is deleted behind them.
    ///
    /// - Parameter isWritten: Whether there is a new one; false if it had no room, which remains the problem that the
    ///   replica reports.
    /// - Returns: Whether that has begun.
    @discardableResult
    private func verify(isWritten: Bool, _ replica: Replica<State, Action>) -> Bool {
        guard let count = configuration.retention.count else {
            upload.trimUnfinished(at: .now)
            return true
        }
        guard verification.begin(hasNewer: isWritten) else { return false }
        let thread = thread
        reader.readBack(State.self, newest: count, except: upload.retained, coding: coding) { read in
            thread.run {
                self.assumeIsolated { writer in
                    let isFollowed = writer.verification.finish()
                    if isWritten, let problem = read.problem, problem.code != .closed { replica.noteProblem(problem) }
                    if let problem = read.problem, problem.isTransient { writer.madeRoom = nil }
                    writer.trim(behind: read.snapshots, replica)
                    if isFollowed, !writer.isOver, replica.mayKeepState { writer.verify(isWritten: true, replica) }
                }
            }
        }
        return true
    }

    /// Makes room for actions. Repeated at intervals, because a deletion may have failed, or may have been limited by a
    /// replica that has ended since.
    private func makeRoom(for replica: Replica<State, Action>) {
        // Each one reads unreadable snapshots again.
        if let madeRoom, ContinuousClock.now - madeRoom < min(keepingInterval, .seconds(5)) { return }
        let wasIdle = upload.isIdle
        if verify(isWritten: false, replica) { madeRoom = .now }
        if wasIdle { uploadSome(of: replica) }
    }

    /// Deletes entries that are needed neither for the kept snapshots nor by a replica that has reported recently.
    private func trim(behind snapshots: [ActionLogSnapshot], _ replica: Replica<State, Action>) {
        guard !isOver, replica.mayKeepState else { return }
        let wasIdle = upload.isIdle
        if !snapshots.isEmpty { upload.retained.replace(with: snapshots) }
        do throws(ActionLogError) {
            if let limit = snapshots.isEmpty ? nil : upload.retained.limit() {
                // This replica's own report is older than its progress, and the snapshots can be those of others.
                let others = try ask(replica) { connection throws(ActionLogError) in
                    try connection.leastPosition(ofOthersThan: origin, since: configuration.replicaPatience)
                }
                upload.trim(through: min(limit, replica.progress.point.position, others ?? limit))
            } else {
                upload.trimUnfinished(at: .now)
            }
            if wasIdle { uploadSome(of: replica) }
        } catch {
            if error.code == .disconnected { connection = nil }
            madeRoom = nil
            replica.noteProblem(error)
        }
    }

    /// Waits until the newest snapshot has been read back, and unnecessary entries are deleted.
    func finishRetention() async {
        await reader.idle()
        while !upload.isIdle || verification != .idle, !isOver {
            // The thread deletes with little pause, so this waits only while the log does not respond.
            try? await Task.sleep(for: .milliseconds(1))
            await reader.idle()
        }
    }

    // MARK: The end

    /// Releases the lease, and closes the log.
    func close(_ replica: Replica<State, Action>) async {
        await reader.end()
        if let lease = replica.loseLease() { log.release(lease, by: try? connect(replica)) }
        isOver = true
        upload.cancel(by: connection)
        connection = nil
    }

    /// Stops at once, without waiting for the log.
    func stop() {
        reader.interrupt()
        isOver = true
        upload.cancel(by: nil)
        connection = nil
    }
}

extension ActionLogConnection {
    /// Returns the least position of the replicas that have reported recently, except for one; nil without others.
    func leastPosition(ofOthersThan origin: String, since age: Duration) throws(ActionLogError) -> UInt64? {
        try presences(since: age).filter { $0.origin != origin }.map(\.position).min()
    }
}

extension ActionLogPoint {
    /// Whether this can be the same point. The identity of the other one may be unknown.
    fileprivate func mayBe(_ point: ActionLogPoint) -> Bool { point.identity == nil || identity == point.identity }
}
