import ActorStore
import Foundation

/// Follows the log on a separate thread, and sends its entries to the store.
actor ReplicaFollower<State: Codable & Sendable, Action: Codable & Sendable> {
    private nonisolated let log: any ActionLog
    private nonisolated let coding: EntryCoding
    private nonisolated let origin: String
    private nonisolated let replay: LogReplay<State, Action>
    private nonisolated let configuration: ReplicationConfiguration
    private nonisolated let thread = BlockingThread(named: "ActorStorePersistence.replica.follower")
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    private var connection: (any ActionLogConnection)?
    /// The number of failed attempts since the last success.
    private var failures = 0
    /// The bookkeeping of the log, as the store will have it after all sent entries.
    private var account = LogAccount()
    private var reader: VerifiedReader
    private var headers = EntryHeaderReader()
    /// The entries of this replica that a snapshot has replaced: the last number, and the end of the log at that time.
    private var missed: (number: UInt64, end: UInt64)?
    /// The token of the newest lease that was announced to the store.
    private var announcedLease: UInt64 = 0
    /// Whether the store no longer reduces entries.
    private var isOver = false

    init(_ writer: ReplicaWriter<State, Action>, _ replay: LogReplay<State, Action>) {
        log = writer.log
        coding = writer.coding
        origin = writer.origin
        configuration = writer.configuration
        self.replay = replay
        reader = VerifiedReader(writer.log.name)
    }

    // MARK: Opening

    /// The recovered contents of a log.
    struct Opening: Sendable {
        let logged: LoggedState<State>
        let report: RecoveryReport
        let first: UInt64
        let settings: [String: String]
    }

    /// Rebuilds the state from the log, and appends the first entry of this replica, which announces its reducer.
    /// Nothing is changed before the state has been rebuilt.
    func open() throws(ActionLogError) -> Opening {
        let connection = try log.connect()
        var (attempts, hasMadeRoom) = (0, false)
        while true {
            do throws(ActionLogError) {
                let opening = try open(by: connection)
                self.connection = connection
                account = opening.logged.account
                reader.begin(behind: account.point)
                return opening
            } catch {
                if error.code == .full, !hasMadeRoom, makeRoom(by: connection) {
                    hasMadeRoom = true
                    continue
                }
                // Other replicas have meanwhile deleted entries before this one could read them.
                attempts += 1
                guard error.code == .trimmed, attempts < 5, try connection.status().first > (error.position ?? 0) else {
                    throw error
                }
            }
        }
    }

    private func open(by connection: any ActionLogConnection) throws(ActionLogError) -> Opening {
        let recovered = try replay.recover(from: connection)
        var (logged, status, report) = (recovered.logged, recovered.status, recovered.report)
        var header = EntryHeader(.opening)
        header.reducer = coding.reducer
        let identity = ActionLogEntry.Identity(origin: origin, number: 1)
        var isFirst = true
        while true {
            let newest = logged.account.reducer ?? .min
            let point = logged.account.point
            // The first entry of a newer reducer must directly follow the entries that it has seen: others could be
            // actions for the older reducer. Any other one should, so that it has the revision for recoveries with
            // losses; but other replicas may append all the time, and what they append may take long to read.
            // That of a replica which accepts the loss of a part of an archive must, because the restore may continue.
            let mustFollow = newest < coding.reducer || report.restore.isAccepted
            let isDirect = mustFollow || point.isKnown && isFirst
            let place: AppendCondition.Place = isDirect ? .end(point) : .contains(point.isKnown ? point : .start)
            header.revision = isDirect ? logged.account.revision : nil
            let entry = ActionLogEntry(identity, header: try header.text, payload: Data())
            do throws(ActionLogError) {
                try connection.append([entry], if: AppendCondition(place))
                break
            } catch {
                guard error.code == .unexpectedEnd else { throw error }
            }
            isFirst = false
            if mustFollow { try replay.catchUp(&logged, by: connection, &report) }
        }
        report.revision = logged.account.revision
        return Opening(logged: logged, report: report, first: status.first, settings: connection.settings)
    }

    /// Deletes what takes the room of the first entry. Running replicas do that, too, but this can be the first one.
    ///
    /// - Returns: Whether there may be room now.
    private func makeRoom(by connection: any ActionLogConnection) -> Bool {
        var upload = SnapshotUpload(configuration.retention, isOnlyWriter: false)
        let age = configuration.replicaPatience
        if let limit = upload.readBack(State.self, coding: coding, by: connection) {
            guard let others = try? connection.leastPosition(ofOthersThan: origin, since: age) ?? limit else {
                return false
            }
            upload.trim(through: min(limit, others))
        } else {
            upload.trimUnfinished(at: .now)
        }
        return upload.makeAllRoom(by: connection)
    }

    // MARK: Following

    typealias Root = Replica<State, Action>.Root

    /// Follows the log until the replica ends or waits.
    ///
    /// - Parameter leaseAcquired: The action that is sent when this replica gets the lease.
    func follow(_ root: Root, of replica: Replica<State, Action>, leaseAcquired: Action?) async {
        while replica.failure == nil, !isOver {
            do throws(ActionLogError) {
                let connection = try connect(replica)
                try reader.verify(by: connection)
                if let lost = try lostOwn(by: connection, replica) { throw lost }
                if let lost = try lostAwaited(by: connection, replica) { replica.noteLost(lost) }
                var entries = try reader.next(by: connection, within: nil)
                // Not earlier: a replica that cannot read must not hold the lease.
                replica.noteReading(nil)
                while replica.failure == nil {
                    if try hasLost(entries, by: connection, replica) {
                        // Another server may have replaced this one.
                        self.connection = nil
                        break
                    }
                    if !entries.isEmpty { try await reduce(entries, root, replica) }
                    await announceLease(root, replica, leaseAcquired)
                    guard replica.failure == nil else { return }
                    entries = try reader.next(by: connection, within: .seconds(1))
                    failures = 0
                }
            } catch {
                if error.code == .trimmed {
                    await goOn(root, replica)
                } else {
                    await lose(error, replica)
                }
            }
        }
        connection = nil
    }

    private func connect(_ replica: Replica<State, Action>) throws(ActionLogError) -> any ActionLogConnection {
        let known = connection
        let connection = if let known { known } else { try log.connect() }
        if known == nil { replica.noteSettings(connection.settings) }
        self.connection = connection
        try replica.watch(connection.interruption, for: self)
        return connection
    }

    /// Handles an error of the connection.
    private func lose(_ error: ActionLogError, _ replica: Replica<State, Action>) async {
        connection = nil
        guard replica.failure == nil else { return }
        if error.code == .closed {
            isOver = true
            // A shutdown of the replica ends it later; a shutdown of the store alone does not.
            if !replica.isClosing { replica.end(error) }
            return
        }
        guard error.isTransient else { return replica.end(error) }
        replica.noteReading(error)
        failures += 1
        try? await Task.sleep(for: replica.configuration.reconnection.endlessWait(afterAttempt: failures))
    }

    // MARK: Acknowledged entries

    /// Returns the error if the log has lost acknowledged entries of this replica before they were read here; nil
    /// otherwise. Other checks do not detect that: the entries never arrive, and no entry that was read is missing.
    private func lostOwn(
        by connection: any ActionLogConnection,
        _ replica: Replica<State, Action>
    ) throws(ActionLogError) -> ActionLogError? {
        guard let number = replica.awaited?.number else { return nil }
        let last = try connection.lastNumber(of: origin)
        return last < number ? .lostOwn(of: origin, from: last + 1, through: number, in: log.name) : nil
    }

    /// Returns the positions at which the log had entries when a barrier began, and has none now; nil if no entries are
    /// missing.
    private func lostAwaited(
        by connection: any ActionLogConnection,
        _ replica: Replica<State, Action>
    ) throws(ActionLogError) -> ClosedRange<UInt64>? {
        guard let position = replica.awaitedPosition, position > account.point.position else { return nil }
        let end = try connection.status().end.position
        return end < position ? end + 1...position : nil
    }

    /// Returns whether this connection lacks awaited entries: the log ends before them, or has another entry at their
    /// position.
    ///
    /// - Parameter entries: The next entries of the log.
    private func hasLost(
        _ entries: [ActionLogEntry],
        by connection: any ActionLogConnection,
        _ replica: Replica<State, Action>
    ) throws(ActionLogError) -> Bool {
        if entries.isEmpty, try lostAwaited(by: connection, replica) != nil { return true }
        guard let awaited = replica.awaited else { return false }
        let last = account.point.position
        if let point = awaited.point, point.position > last, !entries.isEmpty {
            // The entry may follow later.
            guard point.position - last <= entries.count else { return false }
            if entries[Int(point.position - last) - 1].identity == point.identity { return false }
        }
        // Also if the position is unknown, or was read: a log that other replicas keep busy has no other such moment.
        return try lostOwn(by: connection, replica) != nil
    }

    // MARK: Continuing from a snapshot

    /// Continues from a snapshot, because the next entries were deleted behind it.
    private func goOn(_ root: Root, _ replica: Replica<State, Action>) async {
        do throws(ActionLogError) {
            let connection = try connect(replica)
            let status = try connection.status()
            try reader.verifyNumbers(by: connection)
            if let lost = try lostOwn(by: connection, replica) { throw lost }
            guard let logged = try newestBase(by: connection, status) else { return }
            do throws(ActionLogError) {
                try replay.check(logged.account)
            } catch {
                // The same as before the first entry of a replica with a newer reducer.
                return replica.end(error, isWaiting: true)
            }
            missed = (try connection.lastNumber(of: origin), try connection.status().end.position)
            _ = root.send(.install(logged))
            await root.settle()
            account = logged.account
            reader.begin(behind: account.point)
            try check(replica)
            noteReduced(replica, nil)
        } catch {
            // As before an action of such a schema: another program can continue.
            if error.code == .unknownSchema { return replica.end(error, isWaiting: true) }
            await lose(error, replica)
        }
    }

    /// Returns the newest readable snapshot.
    ///
    /// - Returns: A state; nil if other replicas have meanwhile written a newer snapshot and deleted this one.
    private func newestBase(
        by connection: any ActionLogConnection,
        _ status: ActionLogStatus
    ) throws(ActionLogError) -> LoggedState<State>? {
        var report = RecoveryReport()
        // Other replicas would not skip the entries that this one would.
        var replay = replay
        replay.policy = .strict
        do throws(ActionLogError) {
            let logged: LoggedState<State> = try replay.base(by: connection, status, through: .max, &report)
            if logged.account.point.position > account.point.position { return logged }
            throw ActionLogError(
                .trimmed,
                in: log.name,
                at: account.point.position,
                "The entries after this one were deleted, and no snapshot contains their state."
            )
        } catch {
            let mayBeDeleted = [.trimmed, .unknownSchema].contains(error.code)
            guard mayBeDeleted, try connection.status().first > status.first else { throw error }
            return nil
        }
    }

    // MARK: Reducing

    private func reduce(
        _ entries: [ActionLogEntry],
        _ root: Root,
        _ replica: Replica<State, Action>
    ) async throws(ActionLogError) {
        var batch: [ReplicatedEntry<Action>] = []
        for entry in entries {
            let position = account.point.position + 1
            let header: EntryHeader
            let action: Action?
            do throws(ActionLogError) {
                header = try headers.read(entry, at: position, in: log.name)
                if header.kind == .opening, let version = header.reducer, version > coding.reducer {
                    throw ActionLogError.newerReducer(version, than: coding.reducer, position, in: log.name)
                }
                let isReduced = account.verdict(on: header) == .reduced
                action = isReduced ? try coding.action(of: entry, header, at: position) : nil
            } catch {
                try await reduce(batch, root, replica)
                // Other replicas may be able to read the entry, so it must not be skipped here.
                return replica.end(error, isWaiting: true)
            }
            if entry.identity.origin == origin {
                try checkOwn(entry.identity, at: position, replica)
            } else if header.isDigest(ofSchema: coding.coding.version) {
                try await reduce(batch, root, replica)
                batch = []
                try compare(header, at: position, replica)
            }
            _ = account.admit(header, of: entry.identity)
            reader.note(account.point, size: entry.size)
            batch.append(
                ReplicatedEntry(
                    position: position,
                    identity: entry.identity,
                    header: header,
                    action: action,
                    size: entry.size
                )
            )
        }
        try await reduce(batch, root, replica)
    }

    /// Throws if another program writes in the name of this replica.
    private func checkOwn(
        _ identity: ActionLogEntry.Identity,
        at position: UInt64,
        _ replica: Replica<State, Action>
    ) throws(ActionLogError) {
        guard identity.number > replica.accepted else { return }
        throw ActionLogError(
            .damaged,
            in: log.name,
            at: position,
            "The entry has the origin of this replica, \(identity.origin), but another program wrote it."
        )
    }

    private func compare(
        _ header: EntryHeader,
        at position: UInt64,
        _ replica: Replica<State, Action>
    ) throws(ActionLogError) {
        guard let revision = header.revision, let expected = header.digest,
            let state = replica.keptState(at: revision), let own = try? StateDigest(of: state), own != expected
        else { return }
        throw ActionLogError.diverged(at: revision, position, in: log.name)
    }

    /// Sends entries to the store, and resumes waiters when they are reduced.
    private func reduce(
        _ batch: [ReplicatedEntry<Action>],
        _ root: Root,
        _ replica: Replica<State, Action>
    ) async throws(ActionLogError) {
        guard !batch.isEmpty else { return }
        let store = root.weak
        var number: UInt64?
        for entry in batch {
            var hold: EffectHold?
            if entry.identity.origin == origin {
                number = entry.identity.number
                hold = replica.takeHold(of: entry.identity.number)
            }
            if let hold {
                store.send(.entry(entry), holding: hold, orFail: ActionLogError.closed(in: log.name))
            } else {
                root.send(.entry(entry))
            }
        }
        await root.settle()
        try check(replica)
        noteReduced(replica, number)
    }

    /// Verifies that the store has reduced the entries: after a shutdown, it does not.
    private func check(_ replica: Replica<State, Action>) throws(ActionLogError) {
        guard replica.progress.point != account.point else { return }
        throw ActionLogError(.closed, in: log.name, "The replica has been shut down.")
    }

    private func noteReduced(_ replica: Replica<State, Action>, _ number: UInt64?) {
        var number = number
        if let missed, account.point.position >= missed.end {
            number = max(number ?? 0, missed.number)
            self.missed = nil
            replica.noteMissed(through: missed.number)
        }
        replica.noteReduced(through: account.point, number)
    }

    /// Announces to the store that this replica has got the lease, once all earlier entries have been reduced.
    private func announceLease(_ root: Root, _ replica: Replica<State, Action>, _ leaseAcquired: Action?) async {
        guard let token = replica.lease?.token, token > announcedLease, account.lease == token else { return }
        if let leaseAcquired {
            let ticket = Ticket()
            _ = try? await root.dispatch(.local(leaseAcquired, LocalSender(ticket: ticket, lease: token)))
            // After a refusal, this is repeated after the next read of the log.
            guard case .accepted = ticket.outcome else { return }
        }
        announcedLease = token
        replica.announceLease(token)
    }
}
