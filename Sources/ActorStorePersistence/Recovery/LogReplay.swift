/// Rebuilds states from the contents of a log.
struct LogReplay<State: Codable & Sendable, Action: Codable & Sendable>: Sendable {
    let coding: EntryCoding
    let initialState: State
    /// The policy for unreadable entries.
    var policy: RecoveryPolicy
    /// The positions to which the policy applies; nil for all positions.
    var leftOut: Set<UInt64>?
    /// The maximum number of consecutive entries to skip. A longer gap is not a loss: a position was damaged, and the
    /// entries that seem to be missing before it never existed.
    var missingLimit = 1_000_000
    /// The number of actions between two digests.
    let digestInterval: UInt64?
    /// The reducer of the store. Its effects are discarded.
    let reduce: @Sendable (_ state: inout State, _ action: Action) -> Void

    /// The number of bytes that are read at a time.
    private static var bytesPerRead: Int { 1 << 20 }

    private var snapshots: SnapshotCoding { SnapshotCoding(coding: coding) }

    /// The result of a recovery.
    struct Recovered: Sendable {
        var logged: LoggedState<State>
        let status: ActionLogStatus
        var report: RecoveryReport
    }

    /// Returns the newest state that can be recovered.
    func recover(from connection: any ActionLogConnection) throws(ActionLogError) -> Recovered {
        try connection.readUndisturbed { (connection, status) throws(ActionLogError) in
            var report = RecoveryReport()
            try check(status, connection, &report)
            var logged = try base(by: connection, status, through: .max, &report)
            report.isOfReplicas = logged.account.reducer != nil
            try beginRestoreCheck(behind: logged.account.point, by: connection, &report)
            do throws(ActionLogError) {
                try catchUp(&logged, by: connection, &report, isRecovery: true)
            } catch {
                throw explained(error, report)
            }
            report.revision = logged.account.revision
            return Recovered(logged: logged, status: status, report: report)
        } isWhole: {
            $0.report.problems.isEmpty
        }
    }

    /// Adds to the error for an action of another reducer why a snapshot behind that action is not used. Otherwise the
    /// error would demand a snapshot that exists.
    private func explained(_ error: ActionLogError, _ report: RecoveryReport) -> ActionLogError {
        guard error.code == .otherReducer, let position = error.position, position <= report.unreadableSnapshot,
            let problem = report.problems.first(where: { $0.position == report.unreadableSnapshot })
        else { return error }
        return ActionLogError(
            .otherReducer,
            in: coding.log,
            at: position,
            "\(error.reason) The snapshot at \(report.unreadableSnapshot) cannot be used. \(problem.reason)"
        )
    }

    /// Reduces entries that were appended since.
    func catchUp(
        _ logged: inout LoggedState<State>,
        by connection: any ActionLogConnection,
        _ report: inout RecoveryReport,
        isRecovery: Bool = false
    ) throws(ActionLogError) {
        try replay(&logged, through: .max, by: connection, &report)
        try checkRestore(at: logged.account.point.position, &report, isRecovery: isRecovery)
        try check(logged.account)
        try check(report)
    }

    /// Returns whether a log still continues what was recovered from it before.
    func isCurrent(
        _ recovered: Recovered,
        by connection: any ActionLogConnection
    ) throws(ActionLogError) -> Bool {
        // Entries that were missing while another store was the writer may exist now.
        guard !recovered.report.needsSnapshot else { return false }
        let point = recovered.logged.account.point
        do throws(ActionLogError) {
            // The log may have lost its end since.
            guard try lostEnd(connection.status(), connection) == nil else { return false }
            if point == .start { return true }
            return try connection.identity(at: point.position) == point.identity
        } catch {
            guard error.isMendedBySnapshot else { throw error }
            return false
        }
    }

    /// Throws if other programs would skip what this program appends.
    func check(_ account: LogAccount) throws(ActionLogError) {
        guard let version = account.reducer, version > coding.reducer else { return }
        throw ActionLogError.newerReducer(version, than: coding.reducer, account.point.position, in: coding.log)
    }

    /// Throws if actions of another version were skipped, unless this version is the last one.
    private func check(_ report: RecoveryReport) throws(ActionLogError) {
        guard report.lastReducer != coding.reducer,
            let problem = report.problems.last(where: { $0.code == .otherReducer })
        else { return }
        let version = report.lastReducer ?? 0
        throw ActionLogError(
            .otherReducer,
            in: coding.log,
            at: problem.position,
            """
            This action was written for another version of the reducer than \(coding.reducer), and would be lost. Open \
            the log with version \(version) of the reducer, with which the log was written last, and write a snapshot.
            """
        )
    }

    /// Returns the state at an earlier revision.
    ///
    /// - Throws: ``ActionLogError/Code/unknownRevision`` if the revision has not been reached, or lies before the first
    ///   entry that is kept.
    func state(at revision: UInt64, by connection: any ActionLogConnection) throws(ActionLogError) -> State {
        do throws(ActionLogError) {
            return try connection.readUndisturbed { (connection, status) throws(ActionLogError) in
                var report = RecoveryReport()
                var logged = try base(by: connection, status, through: revision, &report)
                try replay(&logged, through: revision, by: connection, &report)
                guard logged.account.revision == revision else {
                    throw unknown(revision, "has not been reached. The newest one is \(logged.account.revision).")
                }
                return logged.state
            }
        } catch {
            // Only then, because a snapshot can be deleted in favour of a newer one before it is read.
            guard error.code == .trimmed else { throw error }
            throw unknown(revision, "was deleted in favour of a snapshot. To keep more, choose another retention.")
        }
    }

    private func unknown(_ revision: UInt64, _ reason: String) -> ActionLogError {
        ActionLogError(.unknownRevision, in: coding.log, "The revision \(revision) \(reason)")
    }

    // MARK: Initial states

    /// Returns the newest readable snapshot, or the initial state.
    func base(
        by connection: any ActionLogConnection,
        _ status: ActionLogStatus,
        through revision: UInt64,
        _ report: inout RecoveryReport
    ) throws(ActionLogError) -> LoggedState<State> {
        for snapshot in try connection.snapshots() {
            if let found = snapshots.revision(of: snapshot), found > revision { continue }
            // The entries behind it must exist, and it must belong to the entries before it.
            guard status.first == 0 || snapshot.point.position >= status.first - 1,
                try connection.identity(at: snapshot.point.position) == snapshot.point.identity
            else { continue }
            do throws(ActionLogError) {
                let logged: LoggedState<State> = try snapshots.load(snapshot, by: connection)
                report.snapshotRevision = logged.account.revision
                report.snapshot = snapshot
                report.startsFromOtherReducer = snapshots.reducer(of: snapshot) != coding.reducer
                return logged
            } catch {
                guard !error.isTransient else { throw error }
                report.problems.append(error)
                report.unreadableSnapshot = max(report.unreadableSnapshot, snapshot.point.position)
            }
        }
        let initial = LoggedState(state: initialState)
        guard status.first > 1 else { return initial }
        // Another program can read it, so that nothing is lost yet. One in an unknown format, however, may be damaged.
        if let unsupported = report.problems.first(where: { $0.code == .unknownSchema }) { throw unsupported }
        let error = ActionLogError(
            .trimmed,
            in: coding.log,
            at: status.first - 1,
            """
            The entries up to here were deleted in favour of a snapshot, and no snapshot can be read. \
            \(report.problems.map(\.reason).joined(separator: " "))
            """
        )
        // This is not a loss of a few actions: without the snapshot, there is no state to continue from.
        guard policy == .acceptingLoss, leftOut == nil else { throw error }
        report.problems.append(error)
        (report.hasLost, report.hasGap, report.offset) = (true, true, nil)
        var logged = initial
        logged.account.begin(behind: try lastTrimmed(by: connection, status))
        return logged
    }

    private func lastTrimmed(
        by connection: any ActionLogConnection,
        _ status: ActionLogStatus
    ) throws(ActionLogError) -> ActionLogPoint {
        ActionLogPoint(position: status.first - 1, identity: try connection.identity(at: status.first - 1))
    }

    // MARK: Entries

    /// Reduces the entries behind a state.
    private func replay(
        _ logged: inout LoggedState<State>,
        through revision: UInt64,
        by connection: any ActionLogConnection,
        _ report: inout RecoveryReport
    ) throws(ActionLogError) {
        var headers = EntryHeaderReader()
        var digests = DigestCheck<State>(interval: digestInterval)
        var missing = 0
        while logged.account.revision < revision {
            let entries: [ActionLogEntry]
            do throws(ActionLogError) {
                entries = try connection.read(after: logged.account.point.position, atMost: Self.bytesPerRead)
            } catch {
                guard error.code == .damaged, missing < missingLimit else { throw error }
                missing += 1
                let identity = try identity(at: logged.account.point.position + 1, by: connection)
                try leaveOut(identity, error, &logged, &report)
                continue
            }
            missing = 0
            if entries.isEmpty { return }
            for entry in entries where logged.account.revision < revision {
                let position = logged.account.point.position + 1
                do throws(ActionLogError) {
                    let header = try headers.read(entry, at: position, in: coding.log)
                    try reduce(entry, header, at: position, &logged, &digests, &report)
                } catch {
                    try leaveOut(entry.identity, error, &logged, &report)
                }
            }
        }
    }

    private func reduce(
        _ entry: ActionLogEntry,
        _ header: EntryHeader,
        at position: UInt64,
        _ logged: inout LoggedState<State>,
        _ digests: inout DigestCheck<State>,
        _ report: inout RecoveryReport
    ) throws(ActionLogError) {
        report.restore.note(header.archive, of: entry.identity)
        // A restore that has ended deletes this entry in favour of the state.
        if header.archive?.part == .beginningWithState { (report.hasGap, report.offset) = (true, nil) }
        if report.hasGap, let revision = header.revisionOfOpening {
            report.offset = Int64(clamping: revision) - Int64(clamping: logged.account.revision)
        }
        noteReducer(of: header, &report)
        let header = header.shifted(by: report.offset)
        // Behind a loss, the states are others.
        if header.isDigest(ofSchema: coding.coding.version), !report.hasGap {
            try compare(header, at: position, digests)
        }
        let verdict = logged.account.verdict(on: header)
        guard verdict == .reduced else {
            _ = logged.account.admit(header, of: entry.identity)
            if case .unexpected = verdict { noteRefusal(of: header, at: position, &report) }
            return
        }
        // Decoded before anything is recorded, so that an unreadable entry changes nothing.
        let action: Action = try coding.action(of: entry, header, at: position)
        _ = logged.account.admit(header, of: entry.identity)
        reduce(&logged.state, action)
        report.replayedActions += 1
        if digests.schedule.isDue(at: logged.account.revision) { digests.keep(logged) }
    }

    private func noteReducer(of header: EntryHeader, _ report: inout RecoveryReport) {
        if header.beginsStore {
            let isOfReplica = header.reducer != nil
            if isOfReplica != report.isOfReplicas { (report.isOfReplicas, report.lastReducer) = (isOfReplica, nil) }
        }
        guard let version = header.reducer else { return }
        // Replicas do not return to an older version. Late actions of one can follow the first entry of a newer
        // version, also if that entry cannot be read.
        report.lastReducer = report.isOfReplicas ? max(report.lastReducer ?? version, version) : version
    }

    /// Reports an action behind a loss that is not reduced because it was sent for another revision. Without the lost
    /// entries, it is not certain that it was refused in its time, too.
    private func noteRefusal(of header: EntryHeader, at position: UInt64, _ report: inout RecoveryReport) {
        guard report.hasGap, report.refusals < 100 else { return }
        report.refusals += 1
        report.problems.append(
            ActionLogError(
                .unexpectedRevision,
                in: coding.log,
                at: position,
                """
                This action was sent for another revision than the one that is left after the loss, and is not reduced. \
                It may have been refused in its time. At most 100 such actions are reported.
                """
            )
        )
    }

    private func compare(
        _ header: EntryHeader,
        at position: UInt64,
        _ digests: DigestCheck<State>
    ) throws(ActionLogError) {
        guard let revision = header.revision, let expected = header.digest, let state = digests.state(at: revision),
            let own = try? StateDigest(of: state), own != expected
        else { return }
        throw ActionLogError.diverged(at: revision, position, in: coding.log)
    }

    /// Returns the identity of an entry that the log cannot return. If it is the last entry, this program appends
    /// behind it.
    private func identity(
        at position: UInt64,
        by connection: any ActionLogConnection
    ) throws(ActionLogError) -> ActionLogEntry.Identity? {
        do throws(ActionLogError) {
            return try connection.identity(at: position)
        } catch {
            guard !error.isTransient else { throw error }
            return nil
        }
    }

    /// Skips an entry, if the policy allows it.
    private func leaveOut(
        _ identity: ActionLogEntry.Identity?,
        _ error: ActionLogError,
        _ logged: inout LoggedState<State>,
        _ report: inout RecoveryReport
    ) throws(ActionLogError) {
        let position = logged.account.point.position + 1
        if let leftOut, !leftOut.contains(position) { throw error }
        try accept(error, &report)
        report.leftOut.insert(position)
        if let identity { report.restore.note(nil, of: identity) }
        logged.account.leaveOut(identity)
        guard error.code != .diverged else { return }
        report.hasGap = true
        // The first entry of a store is its opening. Of other entries that cannot be read at all, most are actions.
        if identity?.number != 1 { report.offset? += 1 }
    }

    func accept(_ error: ActionLogError, _ report: inout RecoveryReport) throws(ActionLogError) {
        guard policy == .acceptingLoss else { throw error }
        report.problems.append(error)
    }
}

extension ActionLogError {
    /// The error when a replica of a newer program writes to the log.
    static func newerReducer(
        _ version: Int,
        than own: Int,
        _ position: UInt64,
        in log: String
    ) -> ActionLogError {
        ActionLogError(
            .otherReducer,
            in: log,
            at: position,
            """
            A replica with version \(version) of the reducer has joined, and this program has \(own): the results of \
            later actions could differ. Update this program.
            """
        )
    }

    /// The error when the same actions have led to a different state.
    static func diverged(at revision: UInt64, _ position: UInt64, in log: String) -> ActionLogError {
        ActionLogError(
            .diverged,
            in: log,
            at: position,
            """
            At revision \(revision), the state differs from its digest in the log: the reducer has produced different \
            states from the same actions. It was changed, or depends on more than the state and the action.
            """
        )
    }
}
