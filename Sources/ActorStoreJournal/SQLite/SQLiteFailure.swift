#if Journal
    import CSQLite

    /// What SQLite said when it could not do something.
    package struct SQLiteFailure: Error, Equatable {
        /// The extended result code.
        package let code: Int32
        package let message: String

        /// The result code without its details, such as `SQLITE_FULL`.
        var primaryCode: Int32 { code & 0xFF }

        package init(code: Int32, message: String) {
            self.code = code
            self.message = message
        }

        /// What went wrong last in a connection; it may be nil if there was no memory for one.
        init(in connection: OpaquePointer?) {
            code = sqlite3_extended_errcode(connection)
            message = String(cString: sqlite3_errmsg(connection))
        }
    }
#endif
