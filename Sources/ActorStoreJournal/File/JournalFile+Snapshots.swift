#if Journal
    import Foundation

    extension JournalFile {
        /// The revisions of all snapshots up to one, the newest first.
        func snapshotRevisions(through end: UInt64 = .max) throws(JournalError) -> [UInt64] {
            try perform { connection throws(SQLiteFailure) in
                let statement = try connection.prepare(
                    "SELECT revision FROM snapshots WHERE revision <= ? ORDER BY revision DESC"
                )
                statement.bind(Int64(clamping: end), at: 1)
                var revisions: [UInt64] = []
                while try statement.step() { revisions.append(UInt64(bitPattern: statement.integer(at: 0))) }
                return revisions
            }
        }

        /// Reads a snapshot as it is in the file; nil if it is not there.
        func readSnapshot(at revision: UInt64) throws(JournalError) -> JournalRecord? {
            try perform(at: revision) { connection throws(SQLiteFailure) in
                let row = try connection.prepare("SELECT schema, checksum FROM snapshots WHERE revision = ?")
                row.bind(Int64(bitPattern: revision), at: 1)
                guard try row.step() else { return nil }
                let parts = try connection.prepare(
                    "SELECT payload FROM snapshot_parts WHERE revision = ? ORDER BY number"
                )
                parts.bind(Int64(bitPattern: revision), at: 1)
                var payload = Data()
                while try parts.step() { payload.append(parts.data(at: 0)) }
                return JournalRecord(
                    revision: revision,
                    schema: Int(row.integer(at: 0)),
                    payload: payload,
                    checksum: UInt32(truncatingIfNeeded: row.integer(at: 1))
                )
            }
        }

        /// Writes the next piece of a snapshot, and with the last one says that it is whole. In a transaction.
        func write(_ part: SnapshotParts.Part, of snapshot: JournalRecord) throws(SQLiteFailure) {
            let revision = Int64(bitPattern: snapshot.revision)
            if part.number == 0 {
                // There can be one that did not load.
                for table in ["snapshots", "snapshot_parts"] {
                    let deletion = try connection.prepare("DELETE FROM \(table) WHERE revision = ?")
                    deletion.bind(revision, at: 1)
                    try deletion.run()
                }
            }
            let insertion = try connection.prepare("INSERT INTO snapshot_parts VALUES (?, ?, ?)")
            insertion.bind(revision, at: 1)
            insertion.bind(Int64(part.number), at: 2)
            insertion.bind(part.payload, at: 3)
            try insertion.run()
            guard part.isLast else { return }
            let row = try connection.prepare("INSERT INTO snapshots VALUES (?, ?, ?)")
            row.bind(revision, at: 1)
            row.bind(Int64(snapshot.schema), at: 2)
            row.bind(Int64(snapshot.checksum), at: 3)
            try row.run()
        }
    }
#endif
