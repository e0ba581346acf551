import ActorStore
import Foundation

/// Follows the log, on a thread of its own, and has the store reduce what is in it.
actor ReplicaFollower<State: Codable & Sendable, Action: Codable & Sendable> {
    private nonisolated let log: any ActionLog
    private nonisolated let coding: EntryCoding
    private nonisolated let origin: String
    private nonisolated let replay: LogReplay<State, Action>
    private nonisolated let thread = BlockingThread(named: "ActorStorePersistence.replica.follower")
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    private var connection: (any ActionLogConnection)?
    /// How many attempts have failed since the last success.
    private var failures = 0
    /// What the store knows of the log once it has reduced what it was given.
    private var account = LogAccount()
    private var reader: VerifiedReader
    private var headers = EntryHeaderReader()
    /// Entries of this replica that came while it went on with a snapshot: the number of the last of them, and where
    /// the log ended then.
    private var missed: (number: UInt64, end: UInt64)?
    /// The token of the newest lease that the store was told of.
    private var announcedLease: UInt64 = 0
    /// Whether the store reduces nothing any more.
    private var isOver = false

    init(_ writer: ReplicaWriter<State, Action>, _ replay: LogReplay<State, Action>) {
        log = writer.log
        coding = writer.coding
        origin = writer.origin
        self.replay = replay
        reader = VerifiedReader(writer.log.name)
    }

    // MARK: Opening

    /// What a replica begins with.
    struct Opening: Sendable {
        let logged: LoggedState<State>
        let report: RecoveryReport
        let first: UInt64
    }

    /// Makes the state of what is in the log, and appends the first entry of this replica, by which others learn of its
    /// reducer. Nothing is changed before that has succeeded.
    func open() throws(ActionLogError) -> Opening {
        let connection = try log.connect()
        var attempts = 0
        while true {
            do throws(ActionLogError) {
                let opening = try open(by: connection)
                self.connection = connection
                account = opening.logged.account
                reader.begin(behind: account.point)
                return opening
            } catch {
                // Others have gone on meanwhile, and deleted what this one was about to read.
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
        let entry = ActionLogEntry(identity, header: try header.text, payload: Data())
        while true {
            let newest = logged.account.reducer ?? .min
            let point = logged.account.point
            // The first one of a newer reducer must not be behind anything that it has not seen: that could be an action
            // for the older one.
            let place: AppendCondition.Place =
                newest < coding.reducer ? .end(point) : .contains(point.isKnown ? point : .start)
            do throws(ActionLogError) {
                try connection.append([entry], if: AppendCondition(place))
                break
            } catch {
                guard error.code == .unexpectedEnd else { throw error }
            }
            try replay.catchUp(&logged, by: connection, &report)
        }
        report.revision = logged.account.revision
        return Opening(logged: logged, report: report, first: status.first)
    }

    // MARK: Following

    typealias Root = Replica<State, Action>.Root

    /// Follows the log until the replica ends, or waits.
    ///
    /// - Parameter leaseAcquired: What is sent when this replica has got the lease.
    func follow(_ root: Root, of replica: Replica<State, Action>, leaseAcquired: Action?) async {
        while replica.failure == nil, !isOver {
            do throws(ActionLogError) {
                let connection = try connect(replica)
                try reader.verify(by: connection)
                if let lost = try lostOwn(by: connection, replica) { throw lost }
                if let lost = try lostAwaited(by: connection, replica) { replica.noteLost(lost) }
                var entries = try reader.next(by: connection, within: nil)
                // Not before: a replica that cannot read keeps the lease from no other one.
                replica.noteReading(nil)
                while replica.failure == nil {
                    if try hasLost(entries, by: connection, replica) {
                        // Another server may have taken the place of this one.
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
        let connection = if let connection { connection } else { try log.connect() }
        self.connection = connection
        try replica.watch(connection.interruption, for: self)
        return connection
    }

    /// The connection cannot be used any more.
    private func lose(_ error: ActionLogError, _ replica: Replica<State, Action>) async {
        connection = nil
        guard replica.failure == nil else { return }
        if error.code == .closed {
            isOver = true
            // A shutdown of the replica ends it when it is over; one of the store alone does not.
            if !replica.isClosing { replica.end(error) }
            return
        }
        guard error.isPassing else { return replica.end(error) }
        replica.noteReading(error)
        failures += 1
        try? await Task.sleep(for: replica.configuration.reconnection.endlessWait(afterAttempt: failures))
    }

    // MARK: What the log has acknowledged

    /// What the log has acknowledged of this replica, and lost before it was read here; nil if it has all of it. Nobody
    /// would be told of that otherwise: it does not come any more, and nothing that was read is missing.
    private func lostOwn(
        by connection: any ActionLogConnection,
        _ replica: Replica<State, Action>
    ) throws(ActionLogError) -> ActionLogError? {
        guard let number = replica.awaited?.number else { return nil }
        let last = try connection.lastNumber(of: origin)
        return last < number ? .lostOwn(of: origin, from: last + 1, through: number, in: log.name) : nil
    }

    /// Where the log had entries when a barrier asked, and has none any more; nil if it has all of them.
    private func lostAwaited(
        by connection: any ActionLogConnection,
        _ replica: Replica<State, Action>
    ) throws(ActionLogError) -> ClosedRange<UInt64>? {
        guard let position = replica.awaitedPosition, position > account.point.position else { return nil }
        let end = try connection.status().end.position
        return end < position ? end + 1...position : nil
    }

    /// Whether this connection does not have what is waited for: the log ends before that, or has another entry in its
    /// place.
    ///
    /// - Parameter entries: What comes next in the log.
    private func hasLost(
        _ entries: [ActionLogEntry],
        by connection: any ActionLogConnection,
        _ replica: Replica<State, Action>
    ) throws(ActionLogError) -> Bool {
        if entries.isEmpty, try lostAwaited(by: connection, replica) != nil { return true }
        guard let awaited = replica.awaited else { return false }
        let last = account.point.position
        if let point = awaited.point, point.position > last, point.position - last <= entries.count {
            if entries[Int(point.position - last) - 1].identity == point.identity { return false }
        } else if !entries.isEmpty {
            return false
        }
        return try lostOwn(by: connection, replica) != nil
    }

    // MARK: Going on with a snapshot

    /// Goes on with a snapshot, because what comes next was deleted behind it.
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
                // As before the first entry of a replica with a newer reducer.
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
            await lose(error, replica)
        }
    }

    /// The newest snapshot that can be read.
    ///
    /// - Returns: Nil if others have made another one meanwhile, and deleted the one that was being read.
    private func newestBase(
        by connection: any ActionLogConnection,
        _ status: ActionLogStatus
    ) throws(ActionLogError) -> LoggedState<State>? {
        var report = RecoveryReport()
        // What is left out here would not be left out by the others.
        var replay = replay
        replay.policy = .strict
        do throws(ActionLogError) {
            let logged: LoggedState<State> = try replay.base(by: connection, status, through: .max, &report)
            if logged.account.point.position > account.point.position { return logged }
            throw ActionLogError(
                .trimmed,
                in: log.name,
                at: account.point.position,
                "The entries behind this one were deleted, and there is no snapshot of what they have made."
            )
        } catch {
            guard error.code == .trimmed, try connection.status().first > status.first else { throw error }
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
                // The others may be able to read it, so that it must not be left out here.
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
                ReplicatedEntry(identity: entry.identity, header: header, action: action, size: entry.size)
            )
        }
        try await reduce(batch, root, replica)
    }

    /// Finds out if another one writes in the name of this replica.
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
            "The entry has the origin of this replica, \(identity.origin), and was not written by it."
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

    /// Has the store reduce entries, and tells those who wait for it.
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
            if let hold { store.send(.entry(entry), holding: hold) } else { root.send(.entry(entry)) }
        }
        await root.settle()
        try check(replica)
        noteReduced(replica, number)
    }

    /// Makes sure that the store has reduced what it was given: one that has been shut down reduces nothing.
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

    /// Tells the store that this replica has got the lease, once all has been reduced that came before it.
    private func announceLease(_ root: Root, _ replica: Replica<State, Action>, _ leaseAcquired: Action?) async {
        guard let token = replica.lease?.token, token > announcedLease, account.lease == token else { return }
        if let leaseAcquired {
            let ticket = Ticket()
            _ = try? await root.dispatch(.local(leaseAcquired, LocalSender(ticket: ticket, lease: token)))
            // It comes again after the next look at the log if it was refused.
            guard case .accepted = ticket.outcome else { return }
        }
        announcedLease = token
        replica.announceLease(token)
    }
}
