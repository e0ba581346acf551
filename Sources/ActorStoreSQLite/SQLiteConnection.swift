#if SQLite
    import ActorStore
    import ActorStorePersistence
    import CSQLite

    /// An open database. It is not thread-safe; only its ``interruption`` may be used from any thread.
    final class SQLiteConnection {
        /// The name of the file in errors.
        let name: String
        let handle: OpaquePointer
        /// Interrupts the current call, from any thread.
        let interruption: SQLiteInterruption
        // Sound: only SQLite's calls on this connection read it, and `deinit` closes the connection first.
        private let lockWait: UnsafeMutablePointer<actor_store_lock_wait>
        /// Other connections hold locks only briefly: a reader that begins, or another writer's commit.
        private static let busyTimeout = Duration.seconds(1)

        private var statements: [String: SQLiteStatement] = [:]
        /// The failure after which the connection is unusable.
        private var failure: ActionLogError?

        /// Opens an existing database.
        ///
        /// - Parameters:
        ///   - path: The absolute path of the file, whose beginning has no special meaning to SQLite.
        ///   - isReadOnly: Whether the connection cannot write.
        init(path: String, isReadOnly: Bool = false) throws(ActionLogError) {
            name = path
            var handle: OpaquePointer?
            let access = isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
            let code = sqlite3_open_v2(path, &handle, access | SQLITE_OPEN_NOMUTEX, nil)
            guard code == SQLITE_OK, let handle else {
                let number = sqlite3_system_errno(handle)
                let error = ActionLogError.database(code, sqlite3_errmsg(handle), system: number, in: path)
                sqlite3_close_v2(handle)
                throw error
            }
            self.handle = handle
            interruption = SQLiteInterruption(handle)
            lockWait = .allocate(capacity: 1)
            lockWait.initialize(to: actor_store_lock_wait(limit: 0, start: 0))
            sqlite3_extended_result_codes(handle, 1)
            setBusyTimeout(Self.busyTimeout)
            try check(actor_store_set_lock_wait(handle, lockWait))
            // Closing must not change a file whose write-ahead log is damaged, nor intact entries behind the damage.
            try check(actor_store_keep_log_on_close(handle))
            // On systems other than Linux, a plain sync does not reach the disk: also that of a checkpoint or a copy.
            try execute("PRAGMA fullfsync=1; PRAGMA checkpoint_fullfsync=1")
        }

        deinit {
            close()
            lockWait.deallocate()
        }

        /// Closes the connection. Repeated calls do nothing. No other method may be called afterwards.
        func close() {
            guard interruption.end() else { return }
            statements = [:]
            sqlite3_close_v2(handle)
        }

        /// Makes the connection unusable.
        ///
        /// - Returns: The error, which every later call throws.
        func fail(_ error: ActionLogError) -> ActionLogError {
            failure = error
            return error
        }

        /// Throws the error of a result code, unless the code means success.
        func check(_ code: Int32) throws(ActionLogError) {
            guard code != SQLITE_OK else { return }
            let extended = sqlite3_extended_errcode(handle)
            let error = ActionLogError.database(
                extended & 0xFF == code & 0xFF ? extended : code,
                sqlite3_errmsg(handle),
                system: sqlite3_system_errno(handle),
                in: name
            )
            // Linux reports a failed write once, and drops the data: a second attempt would succeed, whatever is on the
            // disk.
            if error.code == .refused, extended & 0xFF == SQLITE_IOERR { failure = error }
            throw error
        }

        /// Runs statements without results.
        func execute(_ text: String) throws(ActionLogError) {
            try throwIfUnusable()
            try check(sqlite3_exec(handle, text, nil, nil, nil))
        }

        /// Returns a statement, which is prepared once. The previous use must have reset it.
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

        /// Returns the integer in the first row of a statement; nil if there is no row.
        func integer(_ text: String) throws(ActionLogError) -> Int64? {
            try prepared(text).first { $0.integer(at: 0) }
        }

        /// Runs a closure as one transaction.
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

        /// Runs a closure whose reads all see one moment of the file.
        func view<Result>(_ body: () throws(ActionLogError) -> Result) throws(ActionLogError) -> Result {
            try prepared("BEGIN").run()
            defer { rollBack() }
            return try body()
        }

        /// Copies all of the write-ahead log into the database, so that the next commit starts at its beginning again.
        ///
        /// Without the wait, one of several busy readers would almost always read the log, which then grows. Readers
        /// that begin during the wait no longer need it.
        ///
        /// - Parameter limit: How long to wait for another connection's commit, and then for running reads. After that,
        ///   the log goes on growing.
        func restartLog(within limit: Duration) throws(ActionLogError) {
            setBusyTimeout(limit)
            defer { setBusyTimeout(Self.busyTimeout) }
            try prepared("PRAGMA wal_checkpoint(RESTART)").run()
        }

        private func setBusyTimeout(_ timeout: Duration) { lockWait.pointee.limit = Int64(timeout / .nanoseconds(1)) }

        /// SQLite rolls back by itself after some failures. The first error counts.
        private func rollBack() {
            if sqlite3_get_autocommit(handle) == 0 { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
        }
    }

    /// Interrupts a connection, from any thread.
    final class SQLiteInterruption: Sendable {
        private struct Handle: @unchecked Sendable {
            // Sound: the pointer is used only for `sqlite3_interrupt`, which any thread may call while the connection
            // exists.
            let pointer: OpaquePointer
        }

        /// Nil when the connection is closed: SQLite would write to freed memory.
        private let connection: LockedValue<Handle?>
        private let noted = LockedValue(false)

        init(_ connection: OpaquePointer) { self.connection = LockedValue(Handle(pointer: connection)) }

        var isNoted: Bool { noted.withLock { $0 } }

        func note() {
            noted.withLock { $0 = true }
            connection.withLock { if let handle = $0 { sqlite3_interrupt(handle.pointer) } }
        }

        /// Marks the connection as closed.
        ///
        /// - Returns: Whether the connection was open before.
        func end() -> Bool {
            connection.withLock { connection in
                defer { connection = nil }
                return connection != nil
            }
        }
    }

    extension ActionLogError {
        /// Returns the error of a log for a result code of SQLite.
        ///
        /// - Parameters:
        ///   - code: The result code.
        ///   - message: SQLite's message.
        ///   - number: The system's number of the error, if the file could not be opened, read or written.
        ///   - log: The name of the log.
        static func database(
            _ code: Int32,
            _ message: UnsafePointer<CChar>?,
            system number: Int32 = 0,
            in log: String
        ) -> ActionLogError {
            let said = "SQLite reports: \(message.map { String(cString: $0) } ?? "out of memory") (\(code))."
            let (meaning, advice): (ActionLogError.Code, String) =
                switch code & 0xFF {
                case SQLITE_IOERR where isFailedSync(code):
                    (.refused, " What is on disk is unknown. Repair the disk, then open the log again.")
                case SQLITE_FULL,
                    SQLITE_IOERR where isLackOfRoom(number):
                    (.full, " Free space on the disk. Entries that were not acknowledged can be appended again.")
                // The last one is a lost race of many connections.
                case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL:
                    (
                        .busy,
                        " Another program has locked the file: a shell with a transaction, a backup, or a store that was "
                            + "suspended while it wrote."
                    )
                case SQLITE_INTERRUPT: (.closed, "")
                case SQLITE_CORRUPT: (.damaged, " Another program changed the file, or its disk is defective.")
                case SQLITE_NOTADB: (.unknownFormat, " The file is not a log. Nothing was changed.")
                case SQLITE_TOOBIG: (.tooLarge, " The limit of SQLite is 1,000,000,000 bytes.")
                case SQLITE_NOMEM: (.busy, "")
                case SQLITE_IOERR: (.disconnected, " The system could not read or write the file.")
                case SQLITE_CANTOPEN where isShortage(number):
                    (.disconnected, " There are no free file descriptors. Raise their limit, or close some.")
                default: (.refused, "")
                }
            return ActionLogError(meaning, in: log, said + advice)
        }

        /// Returns whether the code is `SQLITE_IOERR_FSYNC` or `SQLITE_IOERR_DIR_FSYNC`. Swift does not import these
        /// macros.
        private static func isFailedSync(_ code: Int32) -> Bool { [4, 5].contains(code >> 8) }
    }
#endif
