#if Journal
    import Foundation

    /// The tables of a journal in an open database. Not thread-safe: it belongs to whoever made it.
    ///
    /// - `actions` has an action for each revision, without gaps, from the first one that is kept.
    /// - `snapshots` has states, each in the pieces that `snapshot_parts` has of it. Its row is written with its last
    ///   piece, so that one without a row was not finished.
    final class JournalFile {
        /// Marks the file as a journal: "ASJ1".
        static let application: Int64 = 0x4153_4A31
        /// The version of the tables.
        static let format: Int64 = 1

        let path: String
        let connection: SQLiteConnection
        private let insertAction: SQLiteStatement

        /// Opens a journal.
        ///
        /// - Parameters:
        ///   - path: The file.
        ///   - mode: What is to be done with it.
        init(at path: String, _ mode: Mode) throws(JournalError) {
            self.path = path
            do throws(SQLiteFailure) {
                connection = try SQLiteConnection(path: path, creates: mode != .reading)
                if mode != .reading { try Self.create(in: connection) }
            } catch {
                throw JournalError(path, JournalError.Cause(error))
            }
            try Self.check(connection, path)
            do throws(SQLiteFailure) {
                if case .writing(let synchronous) = mode {
                    try connection.execute("PRAGMA synchronous=\(synchronous.rawValue)")
                    try connection.execute(
                        "DELETE FROM snapshot_parts WHERE revision NOT IN (SELECT revision FROM snapshots)"
                    )
                }
                insertAction = try connection.prepare("INSERT INTO actions VALUES (?, ?, ?, ?)")
            } catch {
                throw JournalError(path, JournalError.Cause(error))
            }
        }

        /// What a journal is opened for.
        enum Mode: Equatable {
            case reading
            case writing(Synchronous)
        }

        /// When SQLite waits for the disk.
        enum Synchronous: String {
            /// At each commit.
            case full = "FULL"
            /// When the log is copied into the database.
            case normal = "NORMAL"
        }

        private static func create(in connection: SQLiteConnection) throws(SQLiteFailure) {
            guard try connection.integer("SELECT count(*) FROM sqlite_schema") == 0,
                try connection.integer("PRAGMA application_id") == 0
            else { return }
            try connection.execute("PRAGMA auto_vacuum=INCREMENTAL")
            try connection.execute("PRAGMA journal_mode=WAL")
            try connection.execute("PRAGMA synchronous=FULL")
            try connection.transaction { () throws(SQLiteFailure) in
                try connection.execute(
                    """
                    PRAGMA application_id=\(application);
                    PRAGMA user_version=\(format);
                    CREATE TABLE actions (
                        revision INTEGER PRIMARY KEY, schema INTEGER NOT NULL, payload BLOB NOT NULL,
                        checksum INTEGER NOT NULL
                    );
                    CREATE TABLE snapshots (
                        revision INTEGER PRIMARY KEY, schema INTEGER NOT NULL, checksum INTEGER NOT NULL
                    );
                    CREATE TABLE snapshot_parts (
                        revision INTEGER NOT NULL, number INTEGER NOT NULL, payload BLOB NOT NULL,
                        PRIMARY KEY (revision, number)
                    );
                    """
                )
            }
        }

        private static func check(_ connection: SQLiteConnection, _ path: String) throws(JournalError) {
            let found: (application: Int64?, format: Int64?)
            do throws(SQLiteFailure) {
                found = (
                    try connection.integer("PRAGMA application_id"), try connection.integer("PRAGMA user_version")
                )
            } catch {
                throw JournalError(path, JournalError.Cause(error))
            }
            guard found.application == application else { throw JournalError(path, .notAJournal) }
            guard found.format == format else { throw JournalError(path, .unknownFormat(Int(found.format ?? 0))) }
        }

        /// Does something with the database, and says which file it was if that fails.
        func perform<Result>(
            at revision: UInt64? = nil,
            _ body: (SQLiteConnection) throws(SQLiteFailure) -> Result
        ) throws(JournalError) -> Result {
            do throws(SQLiteFailure) {
                return try body(connection)
            } catch {
                throw JournalError(path, revision: revision, JournalError.Cause(error))
            }
        }

        /// Has all that is read from now on be of one view of the file: what is written meanwhile does not show.
        func holdView() throws(JournalError) {
            try perform { connection throws(SQLiteFailure) in try connection.execute("BEGIN") }
        }

        /// Writes an action. In a transaction.
        func append(_ record: JournalRecord) throws(SQLiteFailure) {
            insertAction.bind(Int64(bitPattern: record.revision), at: 1)
            insertAction.bind(Int64(record.schema), at: 2)
            insertAction.bind(record.payload, at: 3)
            insertAction.bind(Int64(record.checksum), at: 4)
            try insertAction.run()
        }

        /// Has SQLite refuse to let the file grow beyond a number of pages, as a full disk does; nil takes that back.
        /// For tests.
        func limitPages(to count: Int64?) throws(JournalError) {
            try perform { connection throws(SQLiteFailure) in
                let current = try connection.integer("PRAGMA page_count") ?? 0
                try connection.execute("PRAGMA max_page_count=\(count.map { current + $0 } ?? 4_294_967_294)")
            }
        }
    }
#endif
