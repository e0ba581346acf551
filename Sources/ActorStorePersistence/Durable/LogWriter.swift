import ActorStore
import Foundation

/// Writes what is handed over, on a thread of its own. It alone appends to the log.
actor LogWriter<State: Codable & Sendable, Action: Codable & Sendable> {
    /// How many bytes one group has at most.
    private static var bytesPerGroup: Int { 1 << 20 }
    /// How long groups are written before others may use the thread.
    private static var turn: Duration { .milliseconds(1) }
    /// How long to wait before writing is tried again: more and more from the first on, up to the last.
    private static var waits: (first: Duration, last: Duration) { (.milliseconds(10), .seconds(1)) }

    nonisolated let log: any ActionLog
    nonisolated let configuration: DurabilityConfiguration
    nonisolated let coding: EntryCoding
    /// Names this life of the store.
    nonisolated let origin: String
    nonisolated let thread = BlockingThread(named: "ActorStorePersistence.writer")
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    nonisolated let reader: SnapshotReader
    var connection: (any ActionLogConnection)?
    var lease: ActionLogLease?
    /// What the log ends with, as far as it is known.
    var end = ActionLogPoint.start
    /// What the next group waits for; nil if it does not.
    private var gathering: GroupGathering?
    /// Since when writing fails, and how often it has.
    private var failing: (since: ContinuousClock.Instant, attempts: Int)?
    var upload: SnapshotUpload

    init(_ log: any ActionLog, _ configuration: DurabilityConfiguration) throws(ActionLogError) {
        self.log = log
        reader = SnapshotReader(log)
        self.configuration = configuration
        coding = try EntryCoding(configuration.coding, reducer: configuration.reducerVersion, log: log)
        origin = String(UInt64.random(in: .min ... .max), radix: 36)
        upload = SnapshotUpload(configuration.retention)
    }

    /// A store that nobody has shut down lets the log go as well. On the thread, because that may wait.
    isolated deinit {
        if let lease { try? connection?.release(lease) }
        connection = nil
    }

    // MARK: Writing

    /// Writes until there is nothing left to do. Between two groups it does a piece of what else there is, so that
    /// either goes on under any load, and now and then it leaves the thread to others: the renewal of the right to write,
    /// and barriers.
    func writeAll(of shared: DurableLog<State, Action>) {
        let start = ContinuousClock.now
        while ContinuousClock.now - start < Self.turn {
            if let gathering { wait(gathering, shared) }
            gathering = nil
            let work = shared.take(atMost: Self.bytesPerGroup, hasOtherWork: !upload.isIdle)
            if let encoded = work.encoded { upload.begin(encoded) }
            guard !work.entries.isEmpty || !upload.isIdle else { return }
            do throws(ActionLogError) {
                let connection = try connect(shared)
                do throws(ActionLogError) {
                    gathering = try append(work.entries, by: connection, shared)
                } catch {
                    throw error.code == .fenced ? takenOver(error, by: connection) : error
                }
                failing = nil
                if !upload.isIdle {
                    try doPiece(shared)
                    // Which has taken long enough.
                    gathering = nil
                }
            } catch {
                if !fail(error, shared) { return }
            }
        }
        thread.run { [self] in assumeIsolated { $0.writeAll(of: shared) } }
    }

    /// Waits until the entries are there that the next group should have.
    private func wait(_ gathering: GroupGathering, _ shared: DurableLog<State, Action>) {
        var gathering = gathering
        let start = ContinuousClock.now
        while gathering.goesOn(with: shared.untaken, after: ContinuousClock.now - start) {
            // This thread is there to wait.
            Thread.sleep(forTimeInterval: GroupGathering.step / .seconds(1))
        }
    }

    /// - Returns: Whether to go on.
    private func fail(_ error: ActionLogError, _ shared: DurableLog<State, Action>) -> Bool {
        if error.code == .disconnected { connection = nil }
        guard error.isPassing else {
            end(shared, error)
            return false
        }
        let now = ContinuousClock.now
        let known = failing ?? (now, 0)
        failing = (known.since, known.attempts + 1)
        guard now - known.since < configuration.retryLimit else {
            end(shared, error)
            return false
        }
        let wait = Self.waits.first * Double(1 << min(known.attempts, 10))
        shared.retry(error, after: min(wait, Self.waits.last))
        return false
    }

    private func connect(_ shared: DurableLog<State, Action>) throws(ActionLogError) -> any ActionLogConnection {
        // Nothing is begun after the end, also by what was under way then.
        if let failure = shared.failure { throw failure }
        if let connection { return connection }
        let made = try log.connect()
        shared.watch(made.interruption)
        connection = made
        return made
    }

    /// Asks the log, by another connection if the one that there is has broken off.
    private func ask<Answer>(
        _ shared: DurableLog<State, Action>,
        _ body: (any ActionLogConnection) throws(ActionLogError) -> Answer
    ) throws(ActionLogError) -> Answer {
        try askAgain(ifConnected: connection != nil, disconnect: { connection = nil }) { () throws(ActionLogError) in
            try body(try connect(shared))
        }
    }

    /// - Returns: What the next group waits for; nil if nothing was appended.
    private func append(
        _ entries: [ActionLogEntry],
        by connection: any ActionLogConnection,
        _ shared: DurableLog<State, Action>
    ) throws(ActionLogError) -> GroupGathering? {
        if failing != nil { try lookForAnswers(by: connection, shared) }
        let appended = shared.appended
        let entries = entries.filter { $0.identity.number > appended }
        guard let last = entries.last else { return nil }
        let start = ContinuousClock.now
        let first: UInt64
        do throws(ActionLogError) {
            first = try connection.append(entries, if: AppendCondition(.end(end), lease: lease))
        } catch {
            // What a connection that has broken off had sent can arrive later than it was looked for.
            guard failing != nil, error.code == .unexpectedEnd || error.code == .unexpectedNumber else { throw error }
            try lookForAnswers(by: connection, shared)
            guard shared.appended > appended else { throw error }
            return try append(entries, by: connection, shared)
        }
        end = ActionLogPoint(position: first + UInt64(entries.count) - 1, identity: last.identity)
        let duration = ContinuousClock.now - start
        let released = shared.noteAppended(through: last.identity.number, within: duration)
        return GroupGathering(released: released, lastGroup: duration)
    }

    /// What failed may be in the log all the same: its answer was lost. It is appended once more, so that the engine
    /// makes sure that it is as durable as it promises: what can be read may not be on a standby yet.
    private func lookForAnswers(
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

    /// Writes a part of a snapshot, or deletes some of what need not be kept.
    private func doPiece(_ shared: DurableLog<State, Action>) throws(ActionLogError) {
        let isWriting = upload.isWriting
        do throws(ActionLogError) {
            let step = try ask(shared) { connection throws(ActionLogError) in
                try upload.advance(by: connection, end: end.position)
            }
            switch step {
            case .goesOn, .waits: break
            case .finished(let snapshot, let isTaken):
                verify(isTaken ? snapshot : try equal(of: snapshot, by: try connect(shared)), shared)
                shared.endSnapshot(nil)
            case .trimmed:
                let status = try ask(shared) { connection throws(ActionLogError) in try connection.status() }
                shared.noteFirst(status.first)
            }
        } catch {
            // Neither is what the store lives by; what is wrong with the log shows in what is appended.
            if error.code == .disconnected { connection = nil }
            upload.cancel(by: connection)
            if isWriting { shared.endSnapshot(error) } else { shared.noteProblem(error) }
            if error.code == .fenced { throw error }
        }
    }

    /// The snapshot that the log has in the place of one that it has not taken: of an earlier attempt, of which the answer
    /// was lost.
    private func equal(
        of snapshot: ActionLogSnapshot,
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
            "The log has a newer snapshot, which this store has not made, and did not take this one."
        )
    }

    /// Reads a snapshot back before anything is deleted behind it.
    private func verify(_ snapshot: ActionLogSnapshot, _ shared: DurableLog<State, Action>) {
        guard configuration.retention != .everything else { return }
        read(back: snapshot) { writer in
            guard let limit = writer.upload.retained.limit() else { return }
            writer.upload.trim(through: limit)
            shared.wake()
        } failed: { error in
            shared.noteProblem(error)
        }
    }

    private func read(
        back snapshot: ActionLogSnapshot,
        then body: @escaping @Sendable (isolated LogWriter) -> Void,
        failed: @escaping @Sendable (ActionLogError) -> Void
    ) {
        let (coding, thread) = (coding, thread)
        reader.read { connection throws(ActionLogError) in
            let _: LoggedState<State> = try SnapshotCoding(coding: coding).load(snapshot, by: connection)
        } then: { result in
            switch result {
            case .success:
                thread.run {
                    self.assumeIsolated { writer in
                        writer.upload.retained.note(snapshot.point.position)
                        body(writer)
                    }
                }
            case .failure(let error): failed(error)
            }
        }
    }

    /// Waits until the newest snapshot has been read back, and what need not be kept is deleted.
    func finishRetention(_ shared: DurableLog<State, Action>) async {
        await reader.idle()
        // The thread deletes without a pause, so that this waits only while the log does not answer.
        while !upload.isIdle, shared.failure == nil { try? await Task.sleep(for: .milliseconds(1)) }
    }

    /// Deletes what need not be kept for a number of snapshots, each of which is read back before.
    func compact(keeping count: Int, _ shared: DurableLog<State, Action>) async throws(ActionLogError) {
        let snapshots = try ask(shared) { connection throws(ActionLogError) in
            try connection.snapshots().prefix(max(count, 1))
        }
        for snapshot in snapshots {
            let result: Result<Void, ActionLogError> = await withCheckedContinuation { continuation in
                read(back: snapshot) { _ in
                    continuation.resume(returning: .success(()))
                } failed: {
                    continuation.resume(returning: .failure($0))
                }
            }
            // What the retention has deleted meanwhile need not be read.
            if case .failure(let error) = result, try connect(shared).snapshots().contains(snapshot) { throw error }
        }
        guard let position = upload.retained.limit(keeping: count) else { return }
        while try connect(shared).trim(through: position) { await Task.yield() }
        shared.noteFirst(try connect(shared).status().first)
    }

    // MARK: The right to write, and the end

    /// Makes sure that nobody else has written to the log.
    func checkEnd(_ shared: DurableLog<State, Action>) throws(ActionLogError) {
        let found = try ask(shared) { connection throws(ActionLogError) in
            if failing != nil { try lookForAnswers(by: connection, shared) }
            return try connection.status().end
        }
        guard found != end else { return }
        let error = takenOver(
            ActionLogError(
                .fenced,
                in: log.name,
                at: found.position,
                """
                The log ends at \(found.position), and not at \(end.position) where this store has left it: another one \
                has taken it over.
                """
            ),
            by: try connect(shared)
        )
        end(shared, error)
        throw error
    }

    /// Why the log is no longer this store's: also because it has lost its end, and the right to write with it.
    ///
    /// - Parameter fencing: What it is if nothing was lost.
    private func takenOver(_ fencing: ActionLogError, by connection: any ActionLogConnection) -> ActionLogError {
        do throws(ActionLogError) {
            if try connection.identity(at: end.position) == end.identity { return fencing }
        } catch {
            // Also where it was deleted behind a snapshot: then another one has gone on.
            return fencing
        }
        return ActionLogError(
            .lostEntries,
            in: log.name,
            at: end.position,
            """
            The log has lost what it had acknowledged: it no longer has entry \(end.position), with which this store has \
            left it. Restore a newer copy, or open the store anew to go on with what the log has.
            """
        )
    }

    /// Renews the right to write, and goes on to do so until the end.
    func renew(of shared: DurableLog<State, Action>) {
        guard let lease, shared.failure == nil else { return }
        do throws(ActionLogError) {
            let claim = LeaseClaim(renewing: lease, for: configuration.leaseDuration)
            let connection = try connect(shared)
            let renewed = try connection.claim(claim)
            if renewed != lease {
                let error = ActionLogError(
                    .fenced,
                    in: log.name,
                    "Another store has taken the log over, because this one did not renew its right in time."
                )
                return end(shared, takenOver(error, by: connection))
            }
        } catch {
            if error.code == .disconnected { connection = nil }
            shared.noteProblem(error)
        }
        renewLater(of: shared)
    }

    private func renewLater(of shared: DurableLog<State, Action>) {
        thread.run(after: configuration.leaseDuration / 3) { [weak self, weak shared] in
            guard let self, let shared else { return }
            assumeIsolated { $0.renew(of: shared) }
        }
    }

    /// Nothing is written any more.
    private func end(_ shared: DurableLog<State, Action>, _ error: ActionLogError) {
        upload.cancel(by: connection)
        shared.end(error)
    }

    /// Gives the right to write back, and closes the log.
    func close(_ shared: DurableLog<State, Action>) async {
        await reader.end()
        end(shared, ActionLogError(.closed, in: log.name, "The store has been shut down."))
        if let lease { try? connection?.release(lease) }
        (connection, lease) = (nil, nil)
    }

    /// Begins to renew the right to write.
    func start(_ shared: DurableLog<State, Action>) {
        if let connection { shared.watch(connection.interruption) }
        renewLater(of: shared)
    }
}
