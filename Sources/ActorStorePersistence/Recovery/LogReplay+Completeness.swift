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

    /// Detects a log that ends with a part of the archive from which it is restored.
    ///
    /// - Parameter end: The last entry of the log.
    func checkRestore(
        _ end: ActionLogPoint,
        by connection: any ActionLogConnection,
        _ report: inout RecoveryReport
    ) throws(ActionLogError) {
        guard !report.isPartOfArchive, let origin = end.identity?.origin, EntryHeader.Archive.mayBeOrigin(origin),
            let archive = try archive(of: origin, by: connection, report),
            archive.hasState || end.position - 1 < archive.entries
        else { return }
        (report.isPartOfArchive, report.hasLost) = (true, true)
        try accept(
            ActionLogError(
                .damaged,
                in: coding.log,
                at: end.position,
                """
                The log has only a part of the archive from which it is restored. Wait for the end of the restore. If it \
                was interrupted, delete the log, and restore the archive again.
                """
            ),
            &report
        )
    }

    /// Returns the archive that the first entry of an origin describes; nil if the log does not begin with it, or if
    /// the entry cannot be read.
    private func archive(
        of origin: String,
        by connection: any ActionLogConnection,
        _ report: RecoveryReport
    ) throws(ActionLogError) -> EntryHeader.Archive? {
        // It may have been deleted in favour of the state since it was reduced.
        if let known = report.archive, report.archiveOrigin == origin { return known }
        do throws(ActionLogError) {
            guard let first = try connection.read(after: 0, atMost: 1).first, first.identity.origin == origin else {
                return nil
            }
            var headers = EntryHeaderReader()
            return try headers.read(first, at: 1, in: coding.log).archive
        } catch {
            guard !error.isTransient else { throw error }
            return nil
        }
    }
}
