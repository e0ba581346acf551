/// Whether a log has all that it should have.
extension LogReplay {
    /// Returns the last entry that the engine has acknowledged, if the log no longer has it.
    func lostEnd(
        _ status: ActionLogStatus,
        _ connection: any ActionLogConnection
    ) throws(ActionLogError) -> ActionLogPoint? {
        guard let known = status.acknowledged, known.position >= status.first || status.first == 1 else { return nil }
        if known.position > status.end.position { return known }
        return try connection.identity(at: known.position) == known.identity ? nil : known
    }

    /// Detects a lost end.
    func check(
        _ status: ActionLogStatus,
        _ connection: any ActionLogConnection,
        _ report: inout RecoveryReport
    ) throws(ActionLogError) {
        guard let known = try lostEnd(status, connection) else { return }
        report.hasLost = true
        try accept(
            ActionLogError(
                .lostEntries,
                in: coding.log,
                at: known.position,
                """
                The log had acknowledged \(known.position) entries, and has \(status.end.position): its end was lost, \
                or an older copy has replaced it. Restore a newer one, or open it with `recovery: .acceptingLoss`.
                """
            ),
            &report
        )
    }

    /// Detects a log whose restore from an archive has not ended: it has a part of the archive's entries, and none of
    /// its snapshots.
    func checkRestore(
        _ status: ActionLogStatus,
        _ connection: any ActionLogConnection,
        _ report: inout RecoveryReport
    ) throws(ActionLogError) {
        guard status.first == 1, status.end != .start,
            let archive = try firstHeader(by: connection)?.archive,
            archive.hasState || status.end.position - 1 < archive.entries
        else { return }
        // The state before its first entry may be missing, too.
        (report.hasLost, report.hasGap, report.offset) = (true, true, nil)
        try accept(
            ActionLogError(
                .damaged,
                in: coding.log,
                at: status.end.position,
                """
                The log has \(status.end.position - 1) of the \(archive.entries) entries of the archive from which it is \
                restored\(archive.hasState ? ", and lacks the state before them" : ""). Wait for the end of the restore. If \
                it was interrupted, delete the log, and restore the archive again.
                """
            ),
            &report
        )
    }

    /// Returns the header of the first entry; nil if it cannot be read, which the replay reports.
    private func firstHeader(by connection: any ActionLogConnection) throws(ActionLogError) -> EntryHeader? {
        do throws(ActionLogError) {
            var headers = EntryHeaderReader()
            return try connection.read(after: 0, atMost: 1).first.map { (entry) throws(ActionLogError) in
                try headers.read(entry, at: 1, in: coding.log)
            }
        } catch {
            guard !error.isTransient else { throw error }
            return nil
        }
    }
}
