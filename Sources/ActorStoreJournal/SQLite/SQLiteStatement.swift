#if Journal
    import CSQLite
    import Foundation

    /// A prepared statement. Places of parameters count from one, those of columns from zero, as in SQLite.
    package final class SQLiteStatement {
        private let handle: OpaquePointer
        private let connection: SQLiteConnection

        /// Has SQLite copy what is bound. It is C's `(sqlite3_destructor_type)-1`, a mark that SQLite compares and
        /// never calls, so that no function needs to be there.
        private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

        init(_ text: String, in connection: SQLiteConnection) throws(SQLiteFailure) {
            var handle: OpaquePointer?
            let code = sqlite3_prepare_v3(
                connection.handle,
                text,
                -1,
                UInt32(SQLITE_PREPARE_PERSISTENT),
                &handle,
                nil
            )
            guard code == SQLITE_OK, let handle else { throw SQLiteFailure(in: connection.handle) }
            self.handle = handle
            self.connection = connection
        }

        deinit { sqlite3_finalize(handle) }

        package func bind(_ value: Int64, at index: Int) { sqlite3_bind_int64(handle, Int32(index), value) }

        package func bind(_ value: Data, at index: Int) {
            value.withUnsafeBytes { bytes in
                if bytes.isEmpty {
                    _ = sqlite3_bind_zeroblob(handle, Int32(index), 0)
                } else {
                    _ = sqlite3_bind_blob64(handle, Int32(index), bytes.baseAddress, UInt64(bytes.count), Self.copied)
                }
            }
        }

        /// Goes on to the next row.
        ///
        /// - Returns: whether there is one.
        package func step() throws(SQLiteFailure) -> Bool {
            switch sqlite3_step(handle) {
            case SQLITE_ROW: return true
            case SQLITE_DONE: return false
            default: throw SQLiteFailure(in: connection.handle)
            }
        }

        /// Runs it to its end, and makes it ready to be run again, also if it fails.
        package func run() throws(SQLiteFailure) {
            defer { sqlite3_reset(handle) }
            while try step() {}
        }

        package func reset() { sqlite3_reset(handle) }

        package func isNull(at column: Int) -> Bool { sqlite3_column_type(handle, Int32(column)) == SQLITE_NULL }

        package func integer(at column: Int) -> Int64 { sqlite3_column_int64(handle, Int32(column)) }

        package func data(at column: Int) -> Data {
            guard let bytes = sqlite3_column_blob(handle, Int32(column)) else { return Data() }
            return Data(bytes: bytes, count: Int(sqlite3_column_bytes(handle, Int32(column))))
        }
    }
#endif
