#if Journal
    import ActorStorePersistence
    import Foundation

    /// Writes what is handed over, on a thread of its own. It alone writes to the file.
    actor JournalWriter<State: Codable & Sendable, Action: Codable & Sendable> {
        nonisolated let path: String
        nonisolated let configuration: JournalConfiguration
        nonisolated let thread = BlockingThread(named: "ActorStoreJournal.writer")
        nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

        private var lock: JournalLock?
        private(set) var file: JournalFile?
        /// What has been encoded and is not on disk.
        private var backlog: [JournalRecord] = []
        private var parts: SnapshotParts?
        private var hasObsolete = false

        init(path: String, configuration: JournalConfiguration) {
            self.path = path
            self.configuration = configuration
        }

        /// On the thread, because the last connection to a database copies its log into it. The lock goes last, so that
        /// nobody else is at the file while that goes on.
        isolated deinit {
            file = nil
            lock = nil
        }

        // MARK: Opening and closing

        /// Opens the file, and makes the state of what is in it.
        func open(_ replay: JournalReplay<State, Action>) throws(JournalError) -> (State, RecoveryReport) {
            let lock = try JournalLock(of: path)
            let file = try JournalFile(at: path, .writing(configuration.level == .none ? .normal : .full))
            let (state, found) = try replay.state(in: file)
            var report = found
            if lock.revision > report.revision {
                let error = JournalError(path, revision: report.revision, .lostEnd(expected: lock.revision))
                guard configuration.brokenRecords == .skip else { throw error }
                report.skipped.append(error)
            }
            // Without waiting for the disk nothing is there for sure.
            lock.note(configuration.level == .none ? 0 : report.revision)
            self.lock = lock
            self.file = file
            return (state, report)
        }

        /// Closes the file, and lets the next writer have it.
        func close(_ journal: Journal<State, Action>) {
            guard file != nil else { return }
            file = nil
            lock = nil
            end(journal, JournalError(path, .closed))
        }

        /// Nothing is written any more.
        private func end(_ journal: Journal<State, Action>, _ error: JournalError) {
            parts = nil
            journal.noteFailure(error, isFinal: true)
            journal.noteEndOfSnapshot(error)
        }

        // MARK: Writing

        /// Writes until there is nothing left to do.
        func writeAll(of journal: Journal<State, Action>) {
            while let work = journal.take(hasOtherWork: parts != nil || hasObsolete) {
                guard let file else { return end(journal, JournalError(path, .closed)) }
                if let snapshot = work.snapshot { encode(snapshot, for: journal) }
                do throws(JournalError) {
                    try encode(work)
                } catch {
                    // What came before it is whole, and there may be somebody who waits for that.
                    try? commit(to: file, with: nil)
                    return end(journal, error)
                }
                do throws(JournalError) {
                    try commit(to: file, journal)
                } catch {
                    return journal.noteFailure(error, isFinal: false)
                }
                if hasObsolete { deleteObsolete(from: file, journal) }
            }
        }

        private func encode(_ work: HandOver<State, Action, Journal<State, Action>.Waiter>.Work) throws(JournalError) {
            backlog.reserveCapacity(backlog.count + work.actions.count)
            for (offset, action) in work.actions.enumerated() {
                let revision = work.first + UInt64(offset)
                backlog.append(try configuration.coding.record(of: action, at: revision, in: path))
            }
        }

        /// Writes the backlog, and a piece of the snapshot if there is one; without that if there is no room for both.
        private func commit(to file: JournalFile, _ journal: Journal<State, Action>) throws(JournalError) {
            do throws(JournalError) {
                try commit(to: file, with: parts)
                let isLast = parts?.next.isLast == true
                parts?.advance()
                if isLast { endSnapshot(nil, journal) }
            } catch {
                guard parts != nil else { throw error }
                endSnapshot(error, journal)
                try commit(to: file, with: nil)
            }
            if let last = backlog.last, configuration.level != .none { lock?.note(last.revision) }
            let bytes = backlog.reduce(0) { $0 + $1.payload.count }
            backlog.removeAll(keepingCapacity: backlog.count < 4_096)
            journal.noteCommit(of: bytes)
        }

        private func commit(to file: JournalFile, with part: SnapshotParts?) throws(JournalError) {
            try file.perform(at: backlog.first?.revision) { connection throws(SQLiteFailure) in
                try connection.transaction { () throws(SQLiteFailure) in
                    for record in backlog { try file.append(record) }
                    if let part { try file.write(part.next, of: part.record) }
                }
            }
        }

        // MARK: Snapshots

        /// Encodes a snapshot elsewhere, which may take long, and has it written then.
        private func encode(
            _ snapshot: HandOver<State, Action, Journal<State, Action>.Waiter>.Snapshot,
            for journal: Journal<State, Action>
        ) {
            let (coding, path, thread) = (configuration.coding, path, thread)
            DispatchQueue.global(qos: .utility).async {
                let result = Result { () throws(JournalError) in
                    SnapshotParts(try coding.record(of: snapshot.state, at: snapshot.revision, in: path))
                }
                thread.run { self.assumeIsolated { $0.begin(result, journal) } }
            }
        }

        private func begin(_ encoded: Result<SnapshotParts, JournalError>, _ journal: Journal<State, Action>) {
            guard file != nil else { return }
            switch encoded {
            case .success(let parts):
                self.parts = parts
                journal.wake()
            case .failure(let error): endSnapshot(error, journal)
            }
        }

        private func endSnapshot(_ error: JournalError?, _ journal: Journal<State, Action>) {
            parts = nil
            if error == nil, case .snapshots = configuration.retention { hasObsolete = true }
            journal.noteEndOfSnapshot(error)
        }

        // MARK: Compaction

        /// Deletes a piece of what need not be kept.
        private func deleteObsolete(from file: JournalFile, _ journal: Journal<State, Action>) {
            do throws(JournalError) {
                guard case .snapshots(let count) = configuration.retention else { return hasObsolete = false }
                hasObsolete = try file.deleteObsolete(keeping: count)
                if !hasObsolete { _ = try file.releaseRoom() }
            } catch {
                hasObsolete = false
                journal.noteProblem(error)
            }
        }

        /// Deletes everything before the oldest of a number of snapshots, and gives the room back. Others get their
        /// turn between the pieces.
        func compact(keeping snapshots: Int) async throws {
            while try openFile.deleteObsolete(keeping: snapshots) { await Task.yield() }
            while try openFile.releaseRoom() { await Task.yield() }
            try openFile.perform { connection throws(SQLiteFailure) in
                try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            }
        }

        private var openFile: JournalFile {
            get throws(JournalError) {
                guard let file else { throw JournalError(path, .closed) }
                return file
            }
        }

        /// See ``JournalFile/limitPages(to:)``.
        func limitPages(to count: Int64?) throws(JournalError) { try openFile.limitPages(to: count) }
    }
#endif
