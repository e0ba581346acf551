#if SQLite
    import ActorStorePersistence
    import CSQLite
    import Foundation

    /// A connection to a log in a file.
    final class SQLiteLogConnection: ActionLogConnection {
        let log: SQLiteLog
        let database: SQLiteConnection
        let file: SharedFile
        let session: Int64
        let identity: UUID
        private let endNote: EndNote
        private let checkpoints: LogCheckpoints
        /// Whether the record of the end agrees with the log, where this connection does not write it.
        private var hasCheckedNote = false

        init(_ log: SQLiteLog) throws(ActionLogError) {
            self.log = log
            (file, session) = try SharedFile.begin(at: log.name)
            endNote = EndNote(of: log.name)
            checkpoints = LogCheckpoints(path: log.name)
            do throws(ActionLogError) {
                database = try LogFile.open(log)
                let bytes = try database.prepared("SELECT identity FROM log").first { $0.data(at: 0) }
                guard let bytes, let identity = UUID(bytes) else {
                    throw ActionLogError(.damaged, in: log.name, "The log has lost its identity. Restore a backup.")
                }
                self.identity = identity
                file.noteCompanions()
            } catch {
                // The failed call has closed the database.
                file.end(session)
                throw error
            }
        }

        deinit {
            checkpoints.close()
            // Closed before the file, whose end would release SQLite's locks.
            database.close()
            file.end(session)
        }

        var interruption: ActionLogInterruption {
            ActionLogInterruption { [file, interruption = database.interruption] in
                interruption.note()
                file.waiting.wake()
            }
        }

        var settings: [String: String] {
            [
                "sqlite_version": String(cString: sqlite3_libversion()),
                "journal_mode": "wal",
                "synchronous": log.acknowledgement.synchronous,
            ]
        }

        func status() throws(ActionLogError) -> ActionLogStatus {
            // Otherwise this connection could return a file that other programs no longer use.
            try checkIsInPlace()
            // Read first, because another writer may acknowledge more meanwhile.
            let acknowledged = try endNote.read()
            return try database.view { () throws(ActionLogError) in
                ActionLogStatus(
                    identity: identity,
                    first: try trimmed().position + 1,
                    end: try end(),
                    acknowledged: acknowledged
                )
            }
        }

        // MARK: Appending

        func append(_ entries: [ActionLogEntry], if condition: AppendCondition) throws(ActionLogError) -> UInt64 {
            for entry in entries where entry.size > log.largestEntry {
                throw ActionLogError(
                    .tooLarge,
                    in: log.name,
                    "Entry \(entry.identity.number) has \(entry.size) bytes. The limit of this log is \(log.largestEntry)."
                )
            }
            let first = try database.transaction { () throws(ActionLogError) in
                try check(condition.lease)
                let end = try end()
                try check(condition.place, end)
                let insertion = try database.prepared("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?)")
                // Once per origin; a group usually has one.
                var numbers: [String: UInt64] = [:]
                for (offset, entry) in entries.enumerated() {
                    let origin = entry.identity.origin
                    let last = if let known = numbers[origin] { known } else { try lastNumber(of: origin) }
                    try write(entry, after: last, at: end.position + UInt64(offset) + 1, by: insertion)
                    numbers[origin] = entry.identity.number
                }
                for (origin, number) in numbers {
                    try database.prepared("INSERT OR REPLACE INTO origins VALUES (?, ?)").run(
                        .text(origin),
                        .number(number)
                    )
                }
                return end.position + 1
            }
            try checkIsInPlace()
            if let last = entries.last {
                note(ActionLogPoint(position: first + UInt64(entries.count) - 1, identity: last.identity))
            }
            file.waiting.wake()
            noteCommit(of: entries.reduce(0) { $0 + $1.size })
            return first
        }

        /// Records the last entry that is on disk.
        private func note(_ end: ActionLogPoint) {
            guard log.acknowledgement == .system else { return endNote.write(end, of: identity) }
            guard !hasCheckedNote else { return }
            // Behind a lost end, a program appends only if it accepts the loss. The next one need not accept it again.
            do throws(ActionLogError) {
                let known = try endNote.read()
                hasCheckedNote = true
                guard let known else { return }
                if try identity(at: known.position) != known.identity { endNote.clear() }
            } catch {
                // It was deleted in favour of a snapshot, and is not looked for, or cannot be read yet.
            }
        }

        private func write(
            _ entry: ActionLogEntry,
            after last: UInt64,
            at position: UInt64,
            by insertion: SQLiteStatement
        ) throws(ActionLogError) {
            let (origin, number) = (entry.identity.origin, entry.identity.number)
            let expected = last + 1
            guard number == expected else {
                throw ActionLogError(
                    .unexpectedNumber,
                    in: log.name,
                    "Entry \(number) of \(origin) was appended where \(expected) is expected."
                )
            }
            try insertion.run(
                .number(position),
                .text(origin),
                .number(number),
                .text(entry.header),
                .data(entry.payload),
                .integer(Int64(entry.checksum(at: position)))
            )
        }

        private func check(_ lease: ActionLogLease?) throws(ActionLogError) {
            guard let lease else { return }
            let newest = try database.prepared("SELECT token FROM leases WHERE name = ?").first(.text(lease.name)) {
                $0.number(at: 0)
            }
            guard newest == lease.token else {
                throw ActionLogError(
                    .fenced,
                    in: log.name,
                    "Another holder has claimed the lease \"\(lease.name)\" since."
                )
            }
        }

        private func check(_ place: AppendCondition.Place, _ end: ActionLogPoint) throws(ActionLogError) {
            switch place {
            case .contains(let point): try check(contains: point)
            case .end(let point) where point == end: return
            case .end(let point):
                try check(contains: point)
                throw ActionLogError(
                    .unexpectedEnd,
                    in: log.name,
                    at: end.position,
                    "The log ends at \(end.position), but its writer expects \(point.position)."
                )
            }
        }

        func check(contains point: ActionLogPoint) throws(ActionLogError) {
            guard point != .start, try currentIdentity(at: point.position) != point.identity else { return }
            throw ActionLogError(
                .lostEntries,
                in: log.name,
                at: point.position,
                "The log has lost the entry that it had acknowledged at this position."
            )
        }

        /// Throws if the file was deleted or replaced: commits to the former file would be lost with this connection.
        func checkIsInPlace() throws(ActionLogError) {
            guard !file.isInPlace else { return }
            throw database.fail(
                ActionLogError(
                    .disconnected,
                    in: log.name,
                    """
                    Another program deleted or replaced the file, or its companion `-wal` or `-shm`. Close the log in all \
                    processes before you replace the file, and do not open the file in this process except through this \
                    library.
                    """
                )
            )
        }

        func noteCommit(of bytes: Int) { if checkpoints.noteCommit(of: bytes) { copyRest() } }

        /// Copies all of the write-ahead log into the file, unless another connection uses it for long.
        func completeCheckpoint() {
            checkpoints.wait()
            copyRest()
        }

        // A checkpoint that fails, or ends early because of a long read, is repeated after more commits.
        private func copyRest() { try? database.restartLog(within: .milliseconds(10)) }

        // MARK: Reading

        func lastNumber(of origin: String) throws(ActionLogError) -> UInt64 {
            try database.prepared("SELECT number FROM origins WHERE origin = ?").first(.text(origin)) {
                $0.number(at: 0)
            } ?? 0
        }

        func identity(at position: UInt64) throws(ActionLogError) -> ActionLogEntry.Identity? {
            // An entry deleted between two statements would otherwise count as unused.
            try database.view { () throws(ActionLogError) in try currentIdentity(at: position) }
        }

        /// Returns the identity of the entry at a position, within a transaction or a view.
        func currentIdentity(at position: UInt64) throws(ActionLogError) -> ActionLogEntry.Identity? {
            let trimmed = try trimmed()
            if position == trimmed.position { return trimmed.identity }
            guard position > trimmed.position else { throw isTrimmed(position, trimmed) }
            return try database.prepared("SELECT origin, number FROM entries WHERE position = ?").first(
                .number(position)
            ) { ActionLogEntry.Identity(origin: $0.text(at: 0), number: $0.number(at: 1)) }
        }

        func read(after position: UInt64, atMost bytes: Int) throws(ActionLogError) -> [ActionLogEntry] {
            try database.view { () throws(ActionLogError) in
                let trimmed = try trimmed()
                guard position >= trimmed.position else { throw isTrimmed(position + 1, trimmed) }
                guard position < Int64.max else { return [] }
                return try readEntries(after: position, atMost: bytes)
            }
        }

        private func readEntries(after position: UInt64, atMost bytes: Int) throws(ActionLogError) -> [ActionLogEntry] {
            let rows = try database.prepared(
                """
                SELECT position, origin, number, header, payload, checksum FROM entries WHERE position > ?
                ORDER BY position
                """
            )
            defer { rows.reset() }
            try rows.bind([.number(position)])
            var entries: [ActionLogEntry] = []
            var size = 0
            while try rows.step() {
                let expected = position + UInt64(entries.count) + 1
                let entry = ActionLogEntry(
                    ActionLogEntry.Identity(origin: rows.text(at: 1), number: rows.number(at: 2)),
                    header: rows.text(at: 3),
                    payload: rows.data(at: 4)
                )
                let isWhole =
                    rows.number(at: 0) == expected && rows.integer(at: 5) == Int64(entry.checksum(at: expected))
                size += entry.size
                if !entries.isEmpty, size > bytes || !isWhole { break }
                guard isWhole else {
                    throw ActionLogError(
                        .damaged,
                        in: log.name,
                        at: expected,
                        "The entry is missing or damaged. Restore a backup, or continue without it."
                    )
                }
                entries.append(entry)
            }
            return entries
        }

        func wait(after position: UInt64, for duration: Duration) throws(ActionLogError) {
            let clock = ContinuousClock()
            let deadline = clock.now + duration
            // Other processes send no notifications, so their entries are polled, at growing intervals.
            var pause = Duration.milliseconds(1)
            // A reader that only waits would otherwise never notice that other connections use another file.
            try checkIsInPlace()
            while try end().position <= position, clock.now < deadline {
                file.waiting.wait(for: min(pause, deadline - clock.now)) {
                    database.interruption.isNoted || (try? end().position > position) != false
                }
                pause = min(pause * 2, .milliseconds(50))
            }
        }

        /// Returns the last entry.
        func end() throws(ActionLogError) -> ActionLogPoint {
            let last = try database.prepared(
                "SELECT position, origin, number FROM entries ORDER BY position DESC LIMIT 1"
            ).first { row in
                ActionLogPoint(
                    position: row.number(at: 0),
                    identity: ActionLogEntry.Identity(origin: row.text(at: 1), number: row.number(at: 2))
                )
            }
            return if let last { last } else { try trimmed() }
        }

        /// Returns the last entry that was deleted in favour of a snapshot.
        func trimmed() throws(ActionLogError) -> ActionLogPoint {
            try database.prepared("SELECT trimmed, origin, number FROM log").first { row in
                ActionLogPoint(
                    position: row.number(at: 0),
                    identity: row.isNull(at: 1)
                        ? nil : ActionLogEntry.Identity(origin: row.text(at: 1), number: row.number(at: 2))
                )
            } ?? .start
        }

        private func isTrimmed(_ position: UInt64, _ trimmed: ActionLogPoint) -> ActionLogError {
            ActionLogError(
                .trimmed,
                in: log.name,
                at: position,
                "Entries up to \(trimmed.position) were deleted in favour of a snapshot."
            )
        }
    }

    extension ActionLogEntry {
        /// The checksum of everything that is stored of the entry.
        fileprivate func checksum(at position: UInt64) -> UInt32 {
            var checksum = Checksum()
            checksum.add(position)
            checksum.add(identity.origin)
            checksum.add(identity.number)
            checksum.add(header)
            checksum.add(payload)
            return checksum.value
        }
    }

    extension UUID {
        /// Creates an identifier from sixteen bytes; nil for another number of bytes.
        init?(_ data: Data) {
            guard data.count == 16 else { return nil }
            self = data.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
        }

        /// The sixteen bytes of the identifier.
        var data: Data { withUnsafeBytes(of: uuid) { Data($0) } }
    }
#endif
