#if Journal
    extension JournalFile {
        /// How many rows go in one transaction.
        private static var piece: Int { 5_000 }

        /// Deletes some of what is not needed to keep a number of snapshots and all that came after the oldest of them.
        ///
        /// - Returns: whether there is more to delete.
        func deleteObsolete(keeping snapshots: Int) throws(JournalError) -> Bool {
            let kept = try snapshotRevisions().prefix(max(snapshots, 1))
            guard kept.count >= max(snapshots, 1), let oldest = kept.last else { return false }
            return try perform { connection throws(SQLiteFailure) in
                try connection.transaction { () throws(SQLiteFailure) in
                    let limit = Int64(bitPattern: oldest)
                    // Snapshots first: one without the actions after it is of no use to anybody.
                    if let snapshot = try connection.integer(
                        "SELECT min(revision) FROM snapshots WHERE revision < ?",
                        limit
                    ) {
                        try delete(from: "snapshots", "revision <= ?", snapshot)
                        try delete(from: "snapshot_parts", "revision <= ?", snapshot)
                        return true
                    }
                    guard let first = try connection.integer("SELECT min(revision) FROM actions"), first <= limit
                    else { return false }
                    let last = min(limit, first + Int64(Self.piece) - 1)
                    try delete(from: "actions", "revision <= ?", last)
                    return last < limit
                }
            }
        }

        private func delete(from table: String, _ condition: String, _ parameter: Int64) throws(SQLiteFailure) {
            let deletion = try connection.prepare("DELETE FROM \(table) WHERE \(condition)")
            deletion.bind(parameter, at: 1)
            try deletion.run()
        }

        /// Gives some of the room of what was deleted back to the disk.
        ///
        /// - Returns: whether there is more to give back.
        func releaseRoom() throws(JournalError) -> Bool {
            try perform { connection throws(SQLiteFailure) in
                try connection.execute("PRAGMA incremental_vacuum(\(Self.piece))")
                return try connection.integer("PRAGMA freelist_count") ?? 0 > 0
            }
        }
    }
#endif
