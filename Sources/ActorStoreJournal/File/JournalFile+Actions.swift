#if Journal
    extension JournalFile {
        /// The revisions of the oldest and of the newest action; nil if there is none.
        func actionRange() throws(JournalError) -> ClosedRange<UInt64>? {
            try perform { connection throws(SQLiteFailure) in
                guard let first = try connection.integer("SELECT min(revision) FROM actions"),
                    let last = try connection.integer("SELECT max(revision) FROM actions")
                else { return nil }
                // A broken file can have anything.
                guard first <= last, first >= 0 else { return nil }
                return UInt64(first)...UInt64(last)
            }
        }

        /// Reads actions in order, as they are in the file, in one view of it: what is written meanwhile does not show.
        ///
        /// - Parameters:
        ///   - revision: The one before the first.
        ///   - end: The last one.
        ///   - body: Called with each.
        func readActions(
            after revision: UInt64,
            through end: UInt64,
            _ body: (JournalRecord) throws(JournalError) -> Void
        ) throws(JournalError) {
            let statement = try perform { connection throws(SQLiteFailure) in
                try connection.prepare(
                    """
                    SELECT revision, schema, payload, checksum FROM actions
                    WHERE revision > ? AND revision <= ? ORDER BY revision
                    """
                )
            }
            statement.bind(Int64(clamping: revision), at: 1)
            statement.bind(Int64(clamping: end), at: 2)
            var last = revision
            while try perform(at: last + 1, { _ throws(SQLiteFailure) in try statement.step() }) {
                let record = JournalRecord(
                    revision: UInt64(bitPattern: statement.integer(at: 0)),
                    schema: Int(statement.integer(at: 1)),
                    payload: statement.data(at: 2),
                    checksum: UInt32(truncatingIfNeeded: statement.integer(at: 3))
                )
                last = record.revision
                try body(record)
            }
        }
    }
#endif
