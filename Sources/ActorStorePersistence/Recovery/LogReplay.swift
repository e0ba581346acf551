/// Makes states of what is in a log.
struct LogReplay<State: Codable & Sendable, Action: Codable & Sendable>: Sendable {
    let coding: EntryCoding
    let initialState: State
    /// What is done about entries that cannot be read.
    var policy: RecoveryPolicy
    /// With which positions to do it, if not with all.
    var leftOut: Set<UInt64>?
    /// How many entries in a row are left out at most. More are not what was lost of a log: a position was damaged, and
    /// what seems to be missing before it has never been.
    var missingLimit = 1_000_000
    /// How many actions there are from one digest to the next.
    let digestInterval: UInt64?
    /// The store's own reducer, whose effects are thrown away.
    let reduce: @Sendable (_ state: inout State, _ action: Action) -> Void

    /// How many bytes are read at a time.
    private static var bytesPerRead: Int { 1 << 20 }

    private var snapshots: SnapshotCoding { SnapshotCoding(coding: coding) }

    /// What a recovery has come to.
    struct Recovered: Sendable {
        var logged: LoggedState<State>
        let status: ActionLogStatus
        var report: RecoveryReport
    }

    /// The newest state that can be had.
    func recover(from connection: any ActionLogConnection) throws(ActionLogError) -> Recovered {
        try connection.readUndisturbed { (connection, status) throws(ActionLogError) in
            var report = RecoveryReport()
            try check(status, connection, &report)
            var logged = try base(by: connection, status, through: .max, &report)
            try replay(&logged, through: .max, by: connection, &report)
            try check(logged.account)
            report.revision = logged.account.revision
            return Recovered(logged: logged, status: status, report: report)
        } isWhole: {
            $0.report.problems.isEmpty
        }
    }

    /// Reduces what was appended since.
    func catchUp(
        _ logged: inout LoggedState<State>,
        by connection: any ActionLogConnection,
        _ report: inout RecoveryReport
    ) throws(ActionLogError) {
        try replay(&logged, through: .max, by: connection, &report)
        try check(logged.account)
    }

    /// Finds out if what this program would append is passed over by others.
    func check(_ account: LogAccount) throws(ActionLogError) {
        guard let version = account.reducer, version > coding.reducer else { return }
        throw ActionLogError.newerReducer(version, than: coding.reducer, account.point.position, in: coding.log)
    }

    /// The state at an earlier revision.
    ///
    /// - Throws: ``ActionLogError/Code/unknownRevision`` if it has not been reached, or lies before what is kept.
    func state(at revision: UInt64, by connection: any ActionLogConnection) throws(ActionLogError) -> State {
        try connection.readUndisturbed { (connection, status) throws(ActionLogError) in
            var report = RecoveryReport()
            var logged: LoggedState<State>
            do throws(ActionLogError) {
                logged = try base(by: connection, status, through: revision, &report)
            } catch {
                throw error.code == .trimmed ? unknown(revision) : error
            }
            try replay(&logged, through: revision, by: connection, &report)
            guard logged.account.revision == revision else { throw unknown(revision) }
            return logged.state
        }
    }

    private func unknown(_ revision: UInt64) -> ActionLogError {
        ActionLogError(
            .unknownRevision,
            in: coding.log,
            "There is no state of revision \(revision): it has not been reached, or was deleted behind a snapshot."
        )
    }

    // MARK: The beginning

    /// Finds an end that was lost, by what the engine knows to have acknowledged.
    private func check(
        _ status: ActionLogStatus,
        _ connection: any ActionLogConnection,
        _ report: inout RecoveryReport
    ) throws(ActionLogError) {
        guard let known = status.acknowledged, known.position >= status.first || status.first == 1 else { return }
        let isLost =
            if known.position > status.end.position { true } else {
                try connection.identity(at: known.position) != known.identity
            }
        guard isLost else { return }
        report.hasLost = true
        try accept(
            ActionLogError(
                .lostEntries,
                in: coding.log,
                at: known.position,
                """
                The log had acknowledged \(known.position) entries, and has \(status.end.position): its end was lost, \
                or an older copy was put in its place. Restore a newer one, or open it with `recovery: .acceptingLoss`.
                """
            ),
            &report
        )
    }

    /// The newest snapshot that can be read, or the initial state.
    func base(
        by connection: any ActionLogConnection,
        _ status: ActionLogStatus,
        through revision: UInt64,
        _ report: inout RecoveryReport
    ) throws(ActionLogError) -> LoggedState<State> {
        for snapshot in try connection.snapshots() {
            if let found = snapshots.revision(of: snapshot), found > revision { continue }
            // Entries behind it must be there, and before it what it was made of.
            guard status.first == 0 || snapshot.point.position >= status.first - 1,
                try connection.identity(at: snapshot.point.position) == snapshot.point.identity
            else { continue }
            do throws(ActionLogError) {
                let logged: LoggedState<State> = try snapshots.load(snapshot, by: connection)
                report.snapshotRevision = logged.account.revision
                report.snapshotPosition = snapshot.point.position
                return logged
            } catch {
                guard !error.isPassing else { throw error }
                report.problems.append(error)
            }
        }
        let initial = LoggedState(state: initialState)
        guard status.first > 1 else { return initial }
        let error = ActionLogError(
            .trimmed,
            in: coding.log,
            at: status.first - 1,
            """
            The entries up to here were deleted behind a snapshot, and none can be read. \
            \(report.problems.map(\.reason).joined(separator: " "))
            """
        )
        // What is missing is not a few actions: without it there is nothing to build on.
        guard policy == .acceptingLoss, leftOut == nil else { throw error }
        report.problems.append(error)
        report.hasLost = true
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

    // MARK: The entries

    /// Reduces what comes behind a state.
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
                try leaveOut(nil, error, &logged, &report)
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
        if header.isDigest(ofSchema: coding.coding.version) { try compare(header, at: position, digests) }
        guard logged.account.verdict(on: header) == .reduced else {
            _ = logged.account.admit(header, of: entry.identity)
            return
        }
        // Before anything is noted, so that one that cannot be read changes nothing.
        let action: Action = try coding.action(of: entry, header, at: position)
        _ = logged.account.admit(header, of: entry.identity)
        reduce(&logged.state, action)
        report.replayedActions += 1
        if digests.isDue(at: logged.account.revision) { digests.keep(logged) }
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

    /// Leaves an entry out, if that is allowed.
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
        logged.account.leaveOut(identity)
    }

    private func accept(_ error: ActionLogError, _ report: inout RecoveryReport) throws(ActionLogError) {
        guard policy == .acceptingLoss else { throw error }
        report.problems.append(error)
    }
}

extension ActionLogError {
    /// A replica of a newer program writes to the log.
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
            A replica with version \(version) of the reducer has joined, and this program has \(own): it would make \
            something else of the actions from here on. Update this program.
            """
        )
    }

    /// The same actions have led to another state.
    static func diverged(at revision: UInt64, _ position: UInt64, in log: String) -> ActionLogError {
        ActionLogError(
            .diverged,
            in: log,
            at: position,
            """
            At revision \(revision) the state is not the one that the log says: the reducer does not make the same of \
            the same actions, because it was changed, or looks at something else than the state and the action.
            """
        )
    }
}
