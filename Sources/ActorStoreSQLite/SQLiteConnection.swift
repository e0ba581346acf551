#if SQLite
    import ActorStore
    import ActorStorePersistence
    import CSQLite

    /// An open database. Not thread-safe: it belongs to whoever made it; its ``interruption`` is for all.
    final class SQLiteConnection {
        /// What errors call the file.
        let name: String
        let handle: OpaquePointer
        /// Ends what is under way, from any thread.
        let interruption: SQLiteInterruption
        private var statements: [String: SQLiteStatement] = [:]
        /// Why it is not used any more.
        private var failure: ActionLogError?

        /// Opens a database that is there.
        ///
        /// - Parameters:
        ///   - path: The file, absolute, so that nothing at its beginning has a meaning to SQLite.
        ///   - isReadOnly: Whether nothing can be written by it.
        init(path: String, isReadOnly: Bool = false) throws(ActionLogError) {
            name = path
            var handle: OpaquePointer?
            let access = isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
            let code = sqlite3_open_v2(path, &handle, access | SQLITE_OPEN_NOMUTEX, nil)
            guard code == SQLITE_OK, let handle else {
                let error = ActionLogError.database(code, sqlite3_errmsg(handle), in: path)
                sqlite3_close_v2(handle)
                throw error
            }
            self.handle = handle
            interruption = SQLiteInterruption(handle)
            sqlite3_extended_result_codes(handle, 1)
            // Others are at it only for moments: a reader that begins, or another writer's commit.
            sqlite3_busy_timeout(handle, 1_000)
            // Closing must not change a file whose log has damage in it, and what is intact behind that.
            try check(actor_store_keep_log_on_close(handle))
        }

        deinit { close() }

        /// Closes it, which can be done once more. Nothing else is called afterwards.
        func close() {
            guard interruption.end() else { return }
            statements = [:]
            sqlite3_close_v2(handle)
        }

        /// Has nothing be done by this connection any more.
        ///
        /// - Returns: Why.
        func fail(_ error: ActionLogError) -> ActionLogError {
            failure = error
            return error
        }

        /// Throws what went wrong, unless the code says that nothing did.
        func check(_ code: Int32) throws(ActionLogError) {
            guard code != SQLITE_OK else { return }
            let extended = sqlite3_extended_errcode(handle)
            let error = ActionLogError.database(
                extended & 0xFF == code & 0xFF ? extended : code,
                sqlite3_errmsg(handle),
                in: name
            )
            // Linux says once that it could not write, and drops what it had to: a second attempt would find all in
            // order, whatever is on the disk.
            if error.code == .refused, extended & 0xFF == SQLITE_IOERR { failure = error }
            throw error
        }

        /// Runs statements that return nothing of interest.
        func execute(_ text: String) throws(ActionLogError) {
            try throwIfUnusable()
            try check(sqlite3_exec(handle, text, nil, nil, nil))
        }

        /// A statement, which is prepared once. It must be ready to be run again before it is asked for again.
        func prepared(_ text: String) throws(ActionLogError) -> SQLiteStatement {
            try throwIfUnusable()
            if let known = statements[text] { return known }
            let statement = try SQLiteStatement(text, in: self)
            statements[text] = statement
            return statement
        }

        private func throwIfUnusable() throws(ActionLogError) {
            if let failure { throw failure }
            if interruption.isNoted { throw ActionLogError(.closed, in: name, "The connection was interrupted.") }
        }

        /// The integer that a statement returns in its first row; nil if there is none.
        func integer(_ text: String) throws(ActionLogError) -> Int64? {
            try prepared(text).first { $0.integer(at: 0) }
        }

        /// Does all of it or nothing.
        func transaction<Result>(_ body: () throws(ActionLogError) -> Result) throws(ActionLogError) -> Result {
            try prepared("BEGIN IMMEDIATE").run()
            do throws(ActionLogError) {
                let result = try body()
                try prepared("COMMIT").run()
                return result
            } catch {
                rollBack()
                throw error
            }
        }

        /// Has all that is read meanwhile be of one view of the file.
        func view<Result>(_ body: () throws(ActionLogError) -> Result) throws(ActionLogError) -> Result {
            try prepared("BEGIN").run()
            defer { rollBack() }
            return try body()
        }

        /// SQLite has gone back by itself after some failures. What matters is the first one.
        private func rollBack() {
            if sqlite3_get_autocommit(handle) == 0 { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
        }
    }

    /// Ends what a connection is doing, from any thread.
    final class SQLiteInterruption: Sendable {
        private struct Handle: @unchecked Sendable {
            // Sound: it is used for `sqlite3_interrupt` alone, which any thread may call while the connection is there.
            let pointer: OpaquePointer
        }

        /// Nil when the connection has gone, whose memory SQLite would otherwise write to.
        private let connection: LockedValue<Handle?>
        private let noted = LockedValue(false)

        init(_ connection: OpaquePointer) { self.connection = LockedValue(Handle(pointer: connection)) }

        var isNoted: Bool { noted.withLock { $0 } }

        func note() {
            noted.withLock { $0 = true }
            connection.withLock { if let handle = $0 { sqlite3_interrupt(handle.pointer) } }
        }

        /// - Returns: Whether the connection was there until then.
        func end() -> Bool {
            connection.withLock { connection in
                defer { connection = nil }
                return connection != nil
            }
        }
    }

    extension ActionLogError {
        /// What a result code of SQLite means to who uses a log.
        static func database(_ code: Int32, _ message: UnsafePointer<CChar>?, in log: String) -> ActionLogError {
            let said = "SQLite says: \(message.map { String(cString: $0) } ?? "out of memory") (\(code))."
            let (meaning, advice): (ActionLogError.Code, String) =
                switch code & 0xFF {
                case SQLITE_FULL: (.full, " Make room on the disk; what was not acknowledged can be appended again.")
                case SQLITE_BUSY, SQLITE_LOCKED:
                    (.busy, " Another program keeps the file locked: a shell with a transaction, or a backup.")
                case SQLITE_INTERRUPT: (.closed, "")
                case SQLITE_CORRUPT: (.damaged, " The file was changed by something else, or its disk is broken.")
                case SQLITE_NOTADB: (.unknownFormat, " The file is no log; nothing was changed.")
                case SQLITE_TOOBIG: (.tooLarge, " SQLite takes at most 1,000,000,000 bytes.")
                case SQLITE_NOMEM: (.busy, "")
                case SQLITE_IOERR where isFailedSync(code):
                    (.refused, " It is not known what is on disk: open the log anew when the disk is in order.")
                case SQLITE_IOERR: (.disconnected, " The system could not read or write the file.")
                default: (.refused, "")
                }
            return ActionLogError(meaning, in: log, said + advice)
        }

        /// Whether the code is `SQLITE_IOERR_FSYNC` or `SQLITE_IOERR_DIR_FSYNC`, which are macros with arithmetic that
        /// Swift does not import.
        private static func isFailedSync(_ code: Int32) -> Bool { [4, 5].contains(code >> 8) }
    }
#endif
