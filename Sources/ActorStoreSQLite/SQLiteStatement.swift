#if SQLite
    import ActorStorePersistence
    import CSQLite
    import Foundation

    /// A prepared statement. Places of parameters count from one, those of columns from zero, as in SQLite.
    final class SQLiteStatement {
        private let handle: OpaquePointer
        /// It keeps its statements, so that they must not keep it.
        private unowned let connection: SQLiteConnection

        /// Has SQLite copy what is bound. It is C's `(sqlite3_destructor_type)-1`, a mark that SQLite compares and
        /// never calls, so that no function needs to be there.
        private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

        init(_ text: String, in connection: SQLiteConnection) throws(ActionLogError) {
            var handle: OpaquePointer?
            let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
            let code = sqlite3_prepare_v3(connection.handle, text, -1, flags, &handle, nil)
            try connection.check(code)
            guard let handle else { fatalError("\"\(text)\" is no statement.") }
            self.handle = handle
            self.connection = connection
        }

        deinit { sqlite3_finalize(handle) }

        /// Gives all parameters their values, in order.
        func bind(_ values: [SQLiteValue]) throws(ActionLogError) {
            for (index, value) in values.enumerated() { try bind(value, at: Int32(index) + 1) }
        }

        private func bind(_ value: SQLiteValue, at index: Int32) throws(ActionLogError) {
            let code =
                switch value {
                case .null: sqlite3_bind_null(handle, index)
                case .integer(let number): sqlite3_bind_int64(handle, index, number)
                case .text(let text):
                    // With its length, because a text can have zeros in it.
                    text.utf8CString.withUnsafeBufferPointer { bytes in
                        sqlite3_bind_text64(
                            handle,
                            index,
                            bytes.baseAddress,
                            UInt64(bytes.count - 1),
                            Self.copied,
                            UInt8(SQLITE_UTF8)
                        )
                    }
                case .data(let data) where data.isEmpty: sqlite3_bind_zeroblob(handle, index, 0)
                case .data(let data):
                    data.withUnsafeBytes { bytes in
                        sqlite3_bind_blob64(handle, index, bytes.baseAddress, UInt64(bytes.count), Self.copied)
                    }
                }
            try connection.check(code)
        }

        /// Goes on to the next row.
        ///
        /// - Returns: Whether there is one.
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

        /// Runs it to its end, and makes it ready to be run again, also if it fails.
        func run(_ values: SQLiteValue...) throws(ActionLogError) {
            defer { reset() }
            try bind(values)
            while try step() {}
        }

        /// The first row, read by a closure; nil if there is none. Ready to be run again afterwards.
        func first<Row>(
            _ values: SQLiteValue...,
            read: (SQLiteStatement) -> Row
        ) throws(ActionLogError) -> Row? {
            defer { reset() }
            try bind(values)
            return try step() ? read(self) : nil
        }

        /// All rows. Ready to be run again afterwards.
        func all<Row>(_ values: SQLiteValue..., read: (SQLiteStatement) -> Row) throws(ActionLogError) -> [Row] {
            defer { reset() }
            try bind(values)
            var rows: [Row] = []
            while try step() { rows.append(read(self)) }
            return rows
        }

        /// Ends it, so that it holds no view of the file any more, and lets go of what was bound.
        func reset() {
            // Both return the error of the last step, which has been thrown.
            sqlite3_reset(handle)
            sqlite3_clear_bindings(handle)
        }

        func isNull(at column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

        func integer(at column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

        /// A number that is never negative in a log that is in order.
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

    /// What a parameter of a statement is given.
    enum SQLiteValue {
        case null
        case integer(Int64)
        case text(String)
        case data(Data)

        /// A position, a number or a token. One beyond what SQLite can count is taken for the greatest one that it can,
        /// which no log has.
        static func number(_ number: UInt64) -> SQLiteValue { .integer(Int64(clamping: number)) }
    }
#endif
