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

    /// Begins the look for a restore that has not ended, behind the snapshot from which a recovery starts.
    func beginRestoreCheck(
        behind point: ActionLogPoint,
        by connection: any ActionLogConnection,
        _ report: inout RecoveryReport
    ) throws(ActionLogError) {
        guard let identity = point.identity, EntryHeader.Archive.isOrigin(identity.origin) else { return }
        report.restore.begin(behind: identity, isEnd: try isEnd(point.position, of: identity, by: connection))
    }

    /// Returns whether an entry is the end of its restore; nil if it was deleted or cannot be read.
    private func isEnd(
        _ position: UInt64,
        of identity: ActionLogEntry.Identity,
        by connection: any ActionLogConnection
    ) throws(ActionLogError) -> Bool? {
        do throws(ActionLogError) {
            guard let entry = try connection.read(after: position - 1, atMost: 1).first else { return nil }
            var headers = EntryHeaderReader()
            return try headers.read(entry, at: position, in: coding.log).archive?.isEnd(of: identity) ?? false
        } catch {
            guard !error.isTransient else { throw error }
            return nil
        }
    }

    /// Detects a log that has a part of the archive from which it is restored.
    ///
    /// - Parameters:
    ///   - position: The position of the last entry.
    ///   - isRecovery: Whether the entries were read by a recovery, which is repeated if some were deleted meanwhile.
    ///     Others accept no loss: the restore may have ended since they have read its first entry.
    func checkRestore(
        at position: UInt64,
        _ report: inout RecoveryReport,
        isRecovery: Bool
    ) throws(ActionLogError) {
        let error = ActionLogError(
            .damaged,
            in: coding.log,
            at: position,
            """
            The log has only a part of the archive from which it is restored. Wait for the end of the restore. If it was \
            interrupted, delete the log, and restore the archive again.
            """
        )
        // What was accepted is no longer true.
        if report.restore.hasContinued { throw error }
        guard report.restore.acceptLoss() else { return }
        guard isRecovery else { throw error }
        report.hasLost = true
        try accept(error, &report)
    }
}
