#if SQLite
    import ActorStorePersistence
    import CSQLite
    import Foundation

    /// A prepared statement. Parameters count from one, columns from zero, as in SQLite.
    final class SQLiteStatement {
        private let handle: OpaquePointer
        /// The connection retains its statements, so they do not retain it.
        private unowned let connection: SQLiteConnection

        /// Makes SQLite copy bound values. This is C's `(sqlite3_destructor_type)-1`, a marker that SQLite compares and
        /// never calls.
        private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

        init(_ text: String, in connection: SQLiteConnection) throws(ActionLogError) {
            var handle: OpaquePointer?
            let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
            let code = sqlite3_prepare_v3(connection.handle, text, -1, flags, &handle, nil)
            try connection.check(code)
            guard let handle else {
                fatalError("SQLite found no statement in \"\(text)\". This is a defect of ActorStoreSQLite. Report it.")
            }
            self.handle = handle
            self.connection = connection
        }

        deinit { sqlite3_finalize(handle) }

        /// Binds all parameters, in order.
        func bind(_ values: [SQLiteValue]) throws(ActionLogError) {
            for (index, value) in values.enumerated() { try bind(value, at: Int32(index) + 1) }
        }

        private func bind(_ value: SQLiteValue, at index: Int32) throws(ActionLogError) {
            let code =
                switch value {
                case .null: sqlite3_bind_null(handle, index)
                case .integer(let number): sqlite3_bind_int64(handle, index, number)
                case .text(var text):
                    // With its length, because a text may contain NUL characters.
                    text.withUTF8 { bytes in
                        bytes.withMemoryRebound(to: CChar.self) { characters in
                            sqlite3_bind_text64(
                                handle,
                                index,
                                characters.baseAddress,
                                UInt64(characters.count),
                                Self.copied,
                                UInt8(SQLITE_UTF8)
                            )
                        }
                    }
                case .data(let data) where data.isEmpty: sqlite3_bind_zeroblob(handle, index, 0)
                case .data(let data):
                    data.withUnsafeBytes { bytes in
                        sqlite3_bind_blob64(handle, index, bytes.baseAddress, UInt64(bytes.count), Self.copied)
                    }
                }
            try connection.check(code)
        }

        /// Advances to the next row.
        ///
        /// - Returns: Whether there is a row.
        func step() throws(ActionLogError) -> Bool {
            let code = sqlite3_step(handle)
            switch code {
            case SQLITE_ROW: return true
            case SQLITE_DONE: return false
            default:
                try connection.check(code)
                return false
            }
        }

        /// Runs the statement to its end and resets it, even if it fails.
        func run(_ values: SQLiteValue...) throws(ActionLogError) {
            defer { reset() }
            try bind(values)
            while try step() {}
        }

        /// Returns the first row, read by a closure; nil if there is no row. Resets the statement.
        func first<Row>(
            _ values: SQLiteValue...,
            read: (SQLiteStatement) -> Row
        ) throws(ActionLogError) -> Row? {
            defer { reset() }
            try bind(values)
            return try step() ? read(self) : nil
        }

        /// Returns all rows, and resets the statement.
        func all<Row>(_ values: SQLiteValue..., read: (SQLiteStatement) -> Row) throws(ActionLogError) -> [Row] {
            defer { reset() }
            try bind(values)
            var rows: [Row] = []
            while try step() { rows.append(read(self)) }
            return rows
        }

        /// Resets the statement, so that it no longer holds a view of the file, and releases its bound values.
        func reset() {
            // Both return the error of the last step, which was already thrown.
            sqlite3_reset(handle)
            sqlite3_clear_bindings(handle)
        }

        func isNull(at column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

        func integer(at column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

        /// A number that is never negative in an undamaged log.
        func number(at column: Int32) -> UInt64 { UInt64(clamping: integer(at: column)) }

        func text(at column: Int32) -> String {
            guard let bytes = sqlite3_column_text(handle, column) else { return "" }
            let count = Int(sqlite3_column_bytes(handle, column))
            return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
        }

        func data(at column: Int32) -> Data {
            guard let bytes = sqlite3_column_blob(handle, column) else { return Data() }
            return Data(bytes: bytes, count: Int(sqlite3_column_bytes(handle, column)))
        }
    }

    /// A value of a parameter.
    enum SQLiteValue {
        case null
        case integer(Int64)
        case text(String)
        case data(Data)

        /// Returns a position, number or token. A number beyond SQLite's range becomes the greatest integer, which no
        /// log contains.
        static func number(_ number: UInt64) -> SQLiteValue { .integer(Int64(clamping: number)) }
    }
#endif
