#if Journal
    import ActorStorePersistence

    /// Journals as text: a line of JSON for each action, to be kept elsewhere, looked at, or made a journal of again.
    ///
    /// ```swift
    /// try await orders.export(to: "orders.jsonl")
    /// try await JournalArchive.restore(from: "orders.jsonl", to: "copy.journal")
    /// ```
    public enum JournalArchive {
        /// Makes a journal of an archive, all of it or nothing.
        ///
        /// - Parameters:
        ///   - archive: The file that `export(to:)` has written.
        ///   - path: The journal, which must not be there, or be empty.
        /// - Returns: the revision of its end.
        /// - Throws: ``JournalError`` if the archive is damaged or cut off, or there is a journal already.
        @discardableResult
        public static func restore(
            from archive: String,
            to path: String,
            isolation: isolated (any Actor)? = #isolation
        ) async throws(JournalError) -> UInt64 {
            try await ArchiveRestoration().restore(from: archive, to: path)
        }

        /// Writes an archive of what is in a file now.
        static func write(_ file: JournalFile, to path: String) throws(JournalError) -> UInt64 {
            let archive = try ArchiveFile(writing: path)
            try archive.write(ArchiveLine(.journal, schema: ArchiveLine.format))
            try file.holdView()
            var sequence = RecordSequence(file: file.path)
            if try file.actionRange()?.lowerBound != 1, let base = try file.snapshotRevisions().last,
                let snapshot = try file.readSnapshot(at: base)
            {
                try sequence.begin(with: snapshot)
                try archive.write(ArchiveLine(.snapshot, snapshot))
            }
            try file.readActions(after: sequence.revision, through: .max) { (record) throws(JournalError) in
                try sequence.add(record)
                try archive.write(ArchiveLine(.action, record))
            }
            try archive.write(ArchiveLine(.end, revision: sequence.revision))
            try archive.finish()
            return sequence.revision
        }

        /// Makes a journal of an archive.
        static func read(_ path: String, into file: JournalFile) throws(JournalError) -> UInt64 {
            let archive = try ArchiveFile(reading: path)
            guard let first = try archive.readLine(1), first.kind == .journal else {
                throw JournalError(path, .notAJournal)
            }
            guard first.schema == ArchiveLine.format else { throw JournalError(path, .unknownFormat(first.schema)) }
            var sequence = RecordSequence(file: path)
            var number = 2
            while let line = try archive.readLine(number) {
                let record = line.record
                switch line.kind {
                case .journal: throw JournalError(path, .undecodable("Line \(number) is a second beginning."))
                case .snapshot:
                    try sequence.begin(with: record)
                    var parts = SnapshotParts(record)
                    try file.perform(at: record.revision) { _ throws(SQLiteFailure) in
                        while true {
                            let part = parts.next
                            try file.write(part, of: record)
                            if part.isLast { break }
                            parts.advance()
                        }
                    }
                case .action:
                    try sequence.add(record)
                    try file.perform(at: record.revision) { _ throws(SQLiteFailure) in try file.append(record) }
                case .end:
                    guard line.revision == sequence.revision else {
                        throw JournalError(
                            path,
                            revision: sequence.revision + 1,
                            .missingRecords(next: line.revision + 1)
                        )
                    }
                    return sequence.revision
                }
                number += 1
            }
            throw JournalError(path, revision: sequence.revision + 1, .undecodable("The archive is cut off."))
        }
    }

    /// Checks that records are intact, and follow one another.
    private struct RecordSequence {
        let file: String
        private(set) var revision: UInt64 = 0

        init(file: String) { self.file = file }

        mutating func begin(with snapshot: JournalRecord) throws(JournalError) {
            guard snapshot.isIntact else { throw JournalError(file, revision: snapshot.revision, .brokenRecord) }
            revision = snapshot.revision
        }

        mutating func add(_ record: JournalRecord) throws(JournalError) {
            guard record.isIntact else { throw JournalError(file, revision: record.revision, .brokenRecord) }
            guard record.revision == revision + 1 else {
                throw JournalError(file, revision: revision + 1, .missingRecords(next: record.revision))
            }
            revision = record.revision
        }
    }

    /// Restores on a thread of its own.
    private actor ArchiveRestoration {
        private nonisolated let thread = BlockingThread(named: "ActorStoreJournal.archive")
        nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

        func restore(from archive: String, to path: String) throws(JournalError) -> UInt64 {
            let lock = try JournalLock(of: path)
            let file = try JournalFile(at: path, .writing(.full))
            guard try file.actionRange() == nil, try file.snapshotRevisions().isEmpty else {
                throw JournalError(path, .notEmpty)
            }
            try file.perform { connection throws(SQLiteFailure) in try connection.execute("BEGIN IMMEDIATE") }
            // Without this end the file is closed in the middle of a transaction, of which nothing is left then.
            let revision = try JournalArchive.read(archive, into: file)
            try file.perform { connection throws(SQLiteFailure) in try connection.execute("COMMIT") }
            lock.note(revision)
            return revision
        }
    }

    extension DurableStore {
        /// Writes everything that the journal has into an archive; see ``JournalArchive``. The store goes on meanwhile.
        ///
        /// - Parameter path: The archive, which is replaced if it is there.
        /// - Returns: the revision of its end: at least that of the store when this was called.
        /// - Throws: ``JournalError`` if a record is broken or missing, or the archive cannot be written.
        @discardableResult
        public func export(to path: String, isolation: isolated (any Actor)? = #isolation) async throws -> UInt64 {
            try await journal.commit()
            return try await reader.export(to: path)
        }
    }
#endif
