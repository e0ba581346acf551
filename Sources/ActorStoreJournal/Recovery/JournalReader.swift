#if Journal
    import ActorStorePersistence

    /// Reads the past of a journal while others write, by connections of its own, on a thread of its own.
    actor JournalReader<State: Codable & Sendable, Action: Codable & Sendable> {
        private let path: String
        private let replay: JournalReplay<State, Action>
        private nonisolated let thread = BlockingThread(named: "ActorStoreJournal.reader")
        nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

        init(_ path: String, _ replay: JournalReplay<State, Action>) {
            self.path = path
            self.replay = replay
        }

        func state(at revision: UInt64) throws(JournalError) -> State {
            let file = try JournalFile(at: path, .reading)
            // A compaction deletes snapshots and actions in several transactions.
            try file.holdView()
            let (state, report) = try replay.state(in: file, at: revision)
            guard report.revision == revision else { throw JournalError(path, revision: revision, .unknownRevision) }
            return state
        }

        func export(to archive: String) throws(JournalError) -> UInt64 {
            try JournalArchive.write(JournalFile(at: path, .reading), to: archive)
        }
    }
#endif
