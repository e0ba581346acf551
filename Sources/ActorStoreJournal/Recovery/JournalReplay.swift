#if Journal
    import ActorStorePersistence

    /// Makes states of what is in a journal's file.
    struct JournalReplay<State: Codable & Sendable, Action: Codable & Sendable>: Sendable {
        let coding: StateCoding
        /// Whether the records at these revisions are left out if they cannot be read, or are missing.
        var skips: @Sendable (_ revisions: Range<UInt64>) -> Bool
        let initialState: State
        /// The store's own reducer, whose effects are thrown away.
        let reduce: @Sendable (_ state: inout State, _ action: Action) -> Void

        /// The newest state that can be had, or that at a revision.
        func state(in file: JournalFile, at end: UInt64 = .max) throws(JournalError) -> (State, RecoveryReport) {
            var report = RecoveryReport()
            var state = try base(in: file, through: end, &report)
            let start = report.revision
            try file.readActions(after: start, through: end) { (record) throws(JournalError) in
                if record.revision != report.revision + 1 {
                    let missing = report.revision + 1..<record.revision
                    // A compaction has deleted what comes before, and may not be through with it.
                    if end < .max, report.revision == start, !skips(missing) {
                        throw JournalError(file.path, revision: end, .unknownRevision)
                    }
                    let gap = JournalError.Cause.missingRecords(next: record.revision)
                    try skip(missing, JournalError(file.path, revision: missing.lowerBound, gap), &report)
                }
                report.revision = record.revision
                let action: Action
                do throws(JournalError) {
                    action = try coding.action(of: record, in: file.path)
                } catch {
                    return try skip(record.revision..<record.revision + 1, error, &report)
                }
                reduce(&state, action)
                report.replayedActions += 1
            }
            return (state, report)
        }

        /// The newest snapshot that can be read, or the initial state.
        private func base(
            in file: JournalFile,
            through end: UInt64,
            _ report: inout RecoveryReport
        ) throws(JournalError) -> State {
            for revision in try file.snapshotRevisions(through: end) {
                do throws(JournalError) {
                    guard let record = try file.readSnapshot(at: revision) else { continue }
                    let state: State = try coding.state(of: record, in: file.path)
                    report.snapshot = revision
                    report.revision = revision
                    return state
                } catch {
                    // A snapshot only saves time.
                    report.skipped.append(error)
                }
            }
            return initialState
        }

        private func skip(
            _ revisions: Range<UInt64>,
            _ error: JournalError,
            _ report: inout RecoveryReport
        ) throws(JournalError) {
            guard skips(revisions) else { throw error }
            report.skipped.append(error)
            report.skippedRecords.insert(contentsOf: revisions)
        }
    }
#endif
