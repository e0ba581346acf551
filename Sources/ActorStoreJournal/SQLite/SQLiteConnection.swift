#if Journal
    import CSQLite

    /// An open database. Not thread-safe: it belongs to whoever made it.
    package final class SQLiteConnection {
        let handle: OpaquePointer

        /// Opens a database.
        ///
        /// - Parameters:
        ///   - path: The file.
        ///   - creates: Whether it is made if it is not there.
        package init(path: String, creates: Bool) throws(SQLiteFailure) {
            var handle: OpaquePointer?
            let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (creates ? SQLITE_OPEN_CREATE : 0)
            let code = sqlite3_open_v2(path, &handle, flags, nil)
            guard code == SQLITE_OK, let handle else {
                let failure = SQLiteFailure(in: handle)
                sqlite3_close_v2(handle)
                throw failure
            }
            self.handle = handle
            sqlite3_extended_result_codes(handle, 1)
            // Others are at it only for moments: a reader that begins, or a checkpoint.
            sqlite3_busy_timeout(handle, 10_000)
        }

        deinit { sqlite3_close_v2(handle) }

        /// Runs statements that return nothing of interest.
        package func execute(_ text: String) throws(SQLiteFailure) {
            guard sqlite3_exec(handle, text, nil, nil, nil) == SQLITE_OK else { throw SQLiteFailure(in: handle) }
        }

        package func prepare(_ text: String) throws(SQLiteFailure) -> SQLiteStatement {
            try SQLiteStatement(text, in: self)
        }

        /// The integer that a statement returns in its only row; nil if there is none, or if it is NULL.
        package func integer(_ text: String, _ parameters: Int64...) throws(SQLiteFailure) -> Int64? {
            let statement = try prepare(text)
            for (index, parameter) in parameters.enumerated() { statement.bind(parameter, at: index + 1) }
            guard try statement.step(), !statement.isNull(at: 0) else { return nil }
            return statement.integer(at: 0)
        }

        /// Does all of it or nothing.
        package func transaction<Result>(_ body: () throws(SQLiteFailure) -> Result) throws(SQLiteFailure) -> Result {
            try execute("BEGIN IMMEDIATE")
            do {
                let result = try body()
                try execute("COMMIT")
                return result
            } catch {
                // SQLite has gone back by itself after some failures. What matters is the first one.
                if sqlite3_get_autocommit(handle) == 0 { try? execute("ROLLBACK") }
                throw error
            }
        }
    }
#endif
