import ActorStore
import Foundation

extension LogWriter {
    /// The recovered contents of a log.
    struct Opening: Sendable {
        let logged: LoggedState<State>
        let report: RecoveryReport
        let first: UInt64
    }

    /// Opens the log and rebuilds its state, as soon as no other store or program has it. No entry and no snapshot is
    /// changed before the state has been rebuilt.
    func open(_ replay: LogReplay<State, Action>) async throws(ActionLogError) -> Opening {
        var deadline = ContinuousClock.now + configuration.openingTimeout
        let connection = try unlocked(until: deadline) { () throws(ActionLogError) in try log.connect() }
        let recovered = try recover(by: connection, replay, until: &deadline)
        let lease = try await claim(after: recovered?.logged.account.lease ?? 0, until: deadline, by: connection)
        do throws(ActionLogError) {
            let opened: LogReplay<State, Action>.Recovered
            var first: UInt64?
            do throws(ActionLogError) {
                opened = try open(replay, recovered, lease, until: deadline, by: connection)
            } catch {
                guard error.code == .full, makeRoom(by: connection, holding: lease) else { throw error }
                opened = try open(replay, recovered, lease, until: deadline, by: connection)
                first = try? connection.status().first
            }
            upload.retained.replace(with: opened.report.snapshot.map { [$0] } ?? [])
            if opened.report.beginsWithSnapshot {
                countedFrom = opened.logged.account.point.position
            } else {
                savedSnapshot = opened.report.snapshot
                countedFrom = opened.report.unreadableSnapshot + 1
            }
            startsFromOtherReducer = opened.report.startsFromOtherReducer
            self.connection = connection
            self.lease = lease
            end = opened.logged.account.point
            return Opening(logged: opened.logged, report: opened.report, first: first ?? opened.status.first)
        } catch {
            log.release(lease, by: connection)
            throw error
        }
    }

    /// Repeats a call until a deadline while another program has locked the log, such as one that was suspended while
    /// it wrote. Blocks the thread, which belongs to this writer.
    private func unlocked<Answer>(
        until deadline: ContinuousClock.Instant,
        _ call: () throws(ActionLogError) -> Answer
    ) throws(ActionLogError) -> Answer {
        while true {
            do throws(ActionLogError) { return try call() } catch {
                guard error.code == .busy, ContinuousClock.now < deadline, !Task.isCancelled else { throw error }
                usleep(20_000)
            }
        }
    }

    /// Rebuilds the state before this store has the lease.
    ///
    /// - Parameter deadline: The end of the waits. It is extended by the recovery, which is work.
    /// - Returns: What was recovered; nil if the current writer may have to write a snapshot first.
    private func recover(
        by connection: any ActionLogConnection,
        _ replay: LogReplay<State, Action>,
        until deadline: inout ContinuousClock.Instant
    ) throws(ActionLogError) -> LogReplay<State, Action>.Recovered? {
        var start = ContinuousClock.now
        defer { deadline += start.duration(to: .now) }
        do throws(ActionLogError) {
            return try unlocked(until: deadline) { () throws(ActionLogError) in
                start = .now
                return try replay.recover(from: connection)
            }
        } catch {
            guard error.isMendedBySnapshot, configuration.openingTimeout > .zero else { throw error }
            return nil
        }
    }

    /// Deletes what takes the room of the first entry: parts of snapshots that killed programs have left, and what
    /// finished snapshots make unnecessary.
    ///
    /// - Returns: Whether there may be room now.
    private func makeRoom(by connection: any ActionLogConnection, holding lease: ActionLogLease) -> Bool {
        if let limit = upload.readBack(State.self, coding: coding, by: connection) { upload.trim(through: limit) }
        let claim = LeaseClaim(renewing: lease, for: configuration.leaseDuration)
        // What looks like remains may belong to another store. The renewal itself can have no room.
        return upload.makeAllRoom(by: connection) { (try? connection.claim(claim)).map { $0 == lease } ?? true }
    }

    /// Reduces what the previous writer has appended meanwhile, and appends the first entry of this store.
    private func open(
        _ replay: LogReplay<State, Action>,
        _ known: LogReplay<State, Action>.Recovered?,
        _ lease: ActionLogLease,
        until deadline: ContinuousClock.Instant,
        by connection: any ActionLogConnection
    ) throws(ActionLogError) -> LogReplay<State, Action>.Recovered {
        func recover() throws(ActionLogError) -> LogReplay<State, Action>.Recovered {
            try unlocked(until: deadline) { () throws(ActionLogError) in try replay.recover(from: connection) }
        }
        func isCurrent(_ known: LogReplay<State, Action>.Recovered) throws(ActionLogError) -> Bool {
            try unlocked(until: deadline) { () throws(ActionLogError) in try replay.isCurrent(known, by: connection) }
        }
        var recovered = if let known, try isCurrent(known) { known } else { try recover() }
        var refused: ActionLogPoint?
        while true {
            do throws(ActionLogError) {
                try unlocked(until: deadline) { () throws(ActionLogError) in
                    try replay.catchUp(&recovered.logged, by: connection, &recovered.report)
                }
            } catch {
                // The former writer may have deleted entries in favour of a snapshot, or appended actions that this
                // program cannot decode or reduce.
                guard error.isMendedBySnapshot else { throw error }
                recovered = try recover()
            }
            // A recovery can take longer than the lease lasts.
            try unlocked(until: deadline) { () throws(ActionLogError) in
                _ = try connection.claim(LeaseClaim(renewing: lease, for: configuration.leaseDuration))
            }
            let point = recovered.logged.account.point
            guard refused != point else {
                throw ActionLogError(
                    .damaged,
                    in: log.name,
                    at: point.position,
                    "The end of the log differs from the last entry that it returns. Restore a backup."
                )
            }
            refused = point
            if try open(&recovered.logged.account, lease, until: deadline, by: connection) { break }
        }
        recovered.report.revision = recovered.logged.account.revision
        return recovered
    }

    private func claim(
        after token: UInt64,
        until deadline: ContinuousClock.Instant,
        by connection: any ActionLogConnection
    ) async throws(ActionLogError) -> ActionLogLease {
        while true {
            let claim = LeaseClaim(name: "writer", holder: origin, for: configuration.leaseDuration, after: token)
            let lease = try unlocked(until: deadline) { () throws(ActionLogError) in try connection.claim(claim) }
            if lease.holder == origin { return lease }
            guard ContinuousClock.now < deadline else {
                throw ActionLogError(
                    .inUse,
                    in: log.name,
                    """
                    Another store writes to the log, and a log has one writer. Shut the other store down first. If its \
                    program has crashed, its lease ends at most \(configuration.leaseDuration) after that: to wait for \
                    the end when opening, set the openingTimeout of the DurabilityConfiguration.
                    """
                )
            }
            do { try await Task.sleep(for: .milliseconds(20)) } catch {
                throw ActionLogError(
                    .inUse,
                    in: log.name,
                    "Another store writes to the log, and the wait for it was cancelled. Shut it down first."
                )
            }
        }
    }

    /// Appends the first entry of this store.
    ///
    /// - Returns: Whether the log had the expected end.
    private func open(
        _ account: inout LogAccount,
        _ lease: ActionLogLease,
        until deadline: ContinuousClock.Instant,
        by connection: any ActionLogConnection
    ) throws(ActionLogError) -> Bool {
        var header = EntryHeader(.opening)
        header.lease = lease.token
        header.revision = account.revision
        let identity = ActionLogEntry.Identity(origin: origin, number: 1)
        let entry = ActionLogEntry(identity, header: try header.text, payload: Data())
        let condition = AppendCondition(.end(account.point), lease: lease)
        var isRepeated = false
        do throws(ActionLogError) {
            try unlocked(until: deadline) { () throws(ActionLogError) in
                defer { isRepeated = true }
                do throws(ActionLogError) { try connection.append([entry], if: condition) } catch {
                    // An attempt of which the answer was lost may have appended it.
                    guard isRepeated, [.unexpectedEnd, .unexpectedNumber].contains(error.code),
                        try connection.lastNumber(of: origin) == identity.number
                    else { throw error }
                }
            }
        } catch {
            guard error.code == .unexpectedEnd else { throw error }
            return false
        }
        _ = account.admit(header, of: identity)
        return true
    }
}
