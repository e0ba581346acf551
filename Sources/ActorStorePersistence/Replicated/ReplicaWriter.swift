import ActorStore
import Foundation

/// Appends the entries of a replica to the log, on a thread of its own, and between two groups asks for the lease, tells
/// how far the replica is, and writes snapshots. While one group is on its way, the next one gathers.
actor ReplicaWriter<State: Codable & Sendable, Action: Codable & Sendable> {
    /// How many bytes one group has at most.
    private static var bytesPerGroup: Int { 1 << 20 }

    nonisolated let log: any ActionLog
    nonisolated let configuration: ReplicationConfiguration
    nonisolated let coding: EntryCoding
    /// Names this life of the replica.
    nonisolated let origin: String
    nonisolated let thread = BlockingThread(named: "ActorStorePersistence.replica.writer")
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    private nonisolated let reader: SnapshotReader
    private var connection: (any ActionLogConnection)?
    /// How many attempts to append have failed since the last success.
    private var failures = 0
    private var upload: SnapshotUpload
    /// How many have asked where the log ends.
    private nonisolated let questions = LockedValue<UInt64>(0)
    /// What the log has answered last, and how many had asked before it was asked.
    private var answer: (questions: UInt64, end: Result<ActionLogPoint, ActionLogError>)?
    /// Whether nothing is done any more.
    private var isOver = false

    init(_ log: any ActionLog, _ configuration: ReplicationConfiguration) throws(ActionLogError) {
        self.log = log
        reader = SnapshotReader(log)
        self.configuration = configuration
        coding = try EntryCoding(configuration.coding, reducer: configuration.reducerVersion, log: log)
        origin = "\(configuration.name).\(String(UInt64.random(in: .min ... .max), radix: 36))"
        upload = SnapshotUpload(configuration.retention)
    }

    private func connect(_ replica: Replica<State, Action>) throws(ActionLogError) -> any ActionLogConnection {
        if let connection { return connection }
        let made = try log.connect()
        try replica.watch(made.interruption, for: self)
        connection = made
        return made
    }

    /// Asks the log, by another connection if the one that there is has broken off.
    private func ask<Answer>(
        _ replica: Replica<State, Action>,
        _ body: (any ActionLogConnection) throws(ActionLogError) -> Answer
    ) throws(ActionLogError) -> Answer {
        do throws(ActionLogError) {
            return try askAgain(ifConnected: connection != nil, disconnect: { connection = nil }) {
                () throws(ActionLogError) in try body(try connect(replica))
            }
        } catch {
            // The end of the replica has interrupted the call, and says more.
            throw error.code == .closed ? replica.failure ?? error : error
        }
    }

    // MARK: Appending

    /// Appends the next group, and goes on with the one after it when others have used the thread.
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
                let newest = ActionLogEntry.Identity(origin: origin, number: number)
                replica.noteAppended(newest, at: position, within: ContinuousClock.now - start)
                entries.removeAll { $0.identity.number <= number }
            }
            thread.run { [self] in assumeIsolated { $0.writeSome(of: replica) } }
        } catch {
            fail(error, replica)
        }
    }

    /// - Returns: The number of the newest entry that is in the log, and its position, if that is known.
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
            // An earlier attempt, of which the answer was lost, has appended some of them.
            let known = try connection.lastNumber(of: origin)
            guard known <= replica.accepted else {
                throw ActionLogError(
                    .damaged,
                    in: log.name,
                    "The log has entry \(known) of this replica, \(origin), which has not written it."
                )
            }
            guard known >= first.number - 1 else {
                throw .lostOwn(of: origin, from: known + 1, through: first.number - 1, in: log.name)
            }
            guard known >= first.number else { throw error }
            guard known < last.number else { return (last.number, nil) }
            // Once more without the others, so that the engine makes sure that they are as durable as it promises.
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
        // Where this replica is, entries were deleted: it goes on with a snapshot soon, by which the log is known again.
        guard error.isPassing || error.code == .trimmed else { return replica.end(error) }
        failures += 1
        let wait = configuration.reconnection.endlessWait(afterAttempt: failures)
        replica.retry(error, isLoss: error.isPassing, after: wait)
    }

    // MARK: The lease, and what the log has

    /// Tells the log at intervals that the replica is alive, and learns what it has; and asks for the lease, or renews
    /// it.
    func keep(_ replica: Replica<State, Action>) {
        guard !isOver else { return }
        // One that has ended asks for nothing any more, however long it is kept for its state.
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
        // For one that waits before an entry nothing is kept: a newer program begins with a snapshot in its place.
        if replica.phase == .connected {
            let position = replica.progress.point.position
            try connection.report(ReplicaPresence(origin: origin, position: position))
        }
        replica.note(try connection.status())
        try noteSnapshots(by: connection, replica)
    }

    /// Often enough that one failed attempt costs neither the lease nor what the replica needs of the log.
    private var keepingInterval: Duration {
        let patience = max(configuration.replicaPatience / 4, .milliseconds(50))
        return min(patience, configuration.effects.leaseDuration.map { $0 / 4 } ?? .seconds(10), .seconds(10))
    }

    private func noteSnapshots(
        by connection: any ActionLogConnection,
        _ replica: Replica<State, Action>
    ) throws(ActionLogError) {
        guard let newest = try connection.snapshots().first,
            let revision = SnapshotCoding(coding: coding).revision(of: newest)
        else { return }
        replica.noteSnapshot(of: revision, newest.point.position)
    }

    /// Where the log ends, at a moment after this was called.
    ///
    /// Those who come while the thread is at work share an answer, so that many of them keep neither others nor each
    /// other waiting, also while the log does not answer.
    ///
    /// - Throws: ``ActionLogError/Code/lostEntries`` if that is before what this replica has reduced, which may not have
    ///   been noticed yet; the replica ends with it.
    nonisolated func end(of replica: Replica<State, Action>) async throws(ActionLogError) -> ActionLogPoint {
        let number = questions.withLock { questions in
            questions += 1
            return questions
        }
        return try await end(of: replica, asked: number)
    }

    /// How many have asked; for tests.
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
        // Before the log is asked, so that it must have it.
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
                .failure(ActionLogError(.closed, in: log.name, "The replica has ended before its snapshot was saved."))
            )
        }
        let wasIdle = upload.isIdle
        upload.begin(encoded)
        if wasIdle { uploadSome(of: replica) }
    }

    /// Writes a part, or deletes some of what need not be kept, and goes on when others have used the thread.
    private func uploadSome(of replica: Replica<State, Action>) {
        guard !isOver, !upload.isIdle else { return }
        let isWriting = upload.isWriting
        do throws(ActionLogError) {
            guard replica.mayKeepState else {
                throw ActionLogError(.closed, in: log.name, "The replica has ended before its snapshot was saved.")
            }
            switch try ask(replica, { connection throws(ActionLogError) in try upload.advance(by: connection) }) {
            case .goesOn, .waits: break
            case .finished(let snapshot, let isTaken):
                try finish(snapshot, isTaken: isTaken, by: try connect(replica), replica)
            case .trimmed: replica.note(try connect(replica).status())
            }
        } catch {
            if error.code == .disconnected { connection = nil }
            upload.cancel(by: connection)
            if isWriting { replica.endSnapshot(.failure(error)) } else { replica.noteProblem(error) }
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
        // Another replica may have been first: then it has to be a snapshot that this program knows.
        guard let newest = isTaken ? snapshot : try connection.snapshots().first,
            newest.point.position >= snapshot.point.position, let revision = snapshots.revision(of: newest)
        else {
            throw ActionLogError(
                .refused,
                in: log.name,
                at: snapshot.point.position,
                "The log has not taken the snapshot, and has none in its place."
            )
        }
        replica.endSnapshot(.success((revision, newest.point.position)))
        if isTaken { verify(replica) }
    }

    /// Reads the snapshots that are to be kept back, before anything is deleted behind them.
    private func verify(_ replica: Replica<State, Action>) {
        guard case .snapshots(let count) = configuration.retention else { return }
        let (coding, thread, retained) = (coding, thread, upload.retained)
        reader.read { connection throws(ActionLogError) in
            var read: [UInt64] = []
            for snapshot in try connection.snapshots().prefix(max(count, 1)) {
                let position = snapshot.point.position
                if !retained.contains(position) {
                    let _: LoggedState<State> = try SnapshotCoding(coding: coding).load(snapshot, by: connection)
                }
                read.append(position)
            }
            return read
        } then: { result in
            switch result {
            case .success(let read): thread.run { self.assumeIsolated { $0.trim(behind: read, replica) } }
            case .failure(let error): if error.code != .closed { replica.noteProblem(error) }
            }
        }
    }

    /// Deletes what neither the snapshots that are kept need, nor a replica that was heard of lately.
    private func trim(behind positions: [UInt64], _ replica: Replica<State, Action>) {
        guard !isOver else { return }
        for position in positions { upload.retained.note(position) }
        guard var limit = upload.retained.limit() else { return }
        do throws(ActionLogError) {
            let presences = try ask(replica) { connection throws(ActionLogError) in
                try connection.presences(since: configuration.replicaPatience)
            }
            // What it has reported of itself is older than its snapshots.
            let others = presences.filter { $0.origin != origin }.map(\.position)
            limit = min(limit, others.min() ?? limit)
            let wasIdle = upload.isIdle
            upload.trim(through: limit)
            if wasIdle { uploadSome(of: replica) }
        } catch {
            if error.code == .disconnected { connection = nil }
            replica.noteProblem(error)
        }
    }

    /// Waits until the newest snapshot has been read back, and what need not be kept is deleted.
    func finishRetention() async {
        await reader.idle()
        // The thread deletes without a pause, so that this waits only while the log does not answer.
        while !upload.isIdle, !isOver { try? await Task.sleep(for: .milliseconds(1)) }
    }

    // MARK: The end

    /// Gives a lease back, by a connection of its own, because the others may be interrupted.
    func release(_ lease: ActionLogLease) { try? log.connect().release(lease) }

    /// Gives the lease back, and closes the log.
    func close(_ replica: Replica<State, Action>) async {
        await reader.end()
        if let lease = replica.loseLease() { try? connect(replica).release(lease) }
        isOver = true
        upload.cancel(by: connection)
        connection = nil
    }

    /// Does nothing any more, without waiting for the log.
    func stop() {
        reader.interrupt()
        isOver = true
        upload.cancel(by: nil)
        connection = nil
    }
}

extension ActionLogPoint {
    /// Whether it can be the same as one of this position, of which it may not be known what is there.
    fileprivate func mayBe(_ point: ActionLogPoint) -> Bool { point.identity == nil || identity == point.identity }
}
