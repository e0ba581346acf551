#if SQLite
    import ActorStorePersistence
    import CSQLite
    import Foundation

    /// Opens the database of a log, and creates its tables.
    ///
    /// - `log` has one row: what there is beside entries.
    /// - `entries` has one for each position, without gaps, from the first one that is kept on.
    /// - `origins` has the newest number of each origin, also if its entries have been deleted.
    /// - `snapshots` has those that are whole; `parts` those of any. `leases` and `replicas` are what they say.
    enum LogFile {
        /// Marks the file as a log: "ASL1".
        static let application: Int64 = 0x4153_4C31
        /// The version of the tables.
        static let format: Int64 = 1

        /// Opens the file, creates what is not there, and changes nothing otherwise.
        static func open(_ log: SQLiteLog) throws(ActionLogError) -> SQLiteConnection {
            let connection = try SQLiteConnection(path: log.name)
            if try isEmpty(connection) { try create(in: connection) }
            try check(connection)
            // What SQLite answers is what it does: where it cannot, it keeps another mode in silence.
            let mode = try connection.prepared("PRAGMA journal_mode").first { $0.text(at: 0) }
            guard mode == "wal" else {
                throw ActionLogError(
                    .unsafe,
                    in: log.name,
                    "The file system does not let SQLite keep a write-ahead log. Use a local disk, or another engine."
                )
            }
            try connection.execute("PRAGMA synchronous=\(log.acknowledgement == .disk ? "FULL" : "NORMAL")")
            // Elsewhere than on Linux a sync does not reach the disk by itself.
            try connection.execute("PRAGMA fullfsync=1; PRAGMA checkpoint_fullfsync=1")
            // Checkpoints are made beside the writer, see `LogCheckpoints`.
            try connection.execute("PRAGMA wal_autocheckpoint=0; PRAGMA journal_size_limit=67108864")
            return connection
        }

        private static func isEmpty(_ connection: SQLiteConnection) throws(ActionLogError) -> Bool {
            guard try connection.integer("SELECT count(*) FROM sqlite_schema") == 0 else { return false }
            return try connection.integer("PRAGMA application_id") == 0
        }

        private static func create(in connection: SQLiteConnection) throws(ActionLogError) {
            try connection.execute("PRAGMA auto_vacuum=INCREMENTAL; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL")
            try connection.transaction { () throws(ActionLogError) in
                // Another one can have been faster.
                guard try isEmpty(connection) else { return }
                try connection.execute(
                    """
                    PRAGMA application_id=\(application);
                    PRAGMA user_version=\(format);
                    CREATE TABLE log (
                        identity BLOB NOT NULL, trimmed INTEGER NOT NULL, origin TEXT, number INTEGER,
                        token INTEGER NOT NULL
                    );
                    CREATE TABLE entries (
                        position INTEGER PRIMARY KEY, origin TEXT NOT NULL, number INTEGER NOT NULL,
                        header TEXT NOT NULL, payload BLOB NOT NULL, checksum INTEGER NOT NULL
                    );
                    CREATE TABLE origins (origin TEXT PRIMARY KEY, number INTEGER NOT NULL) WITHOUT ROWID;
                    CREATE TABLE snapshots (
                        id BLOB PRIMARY KEY, position INTEGER NOT NULL, origin TEXT NOT NULL, number INTEGER NOT NULL,
                        header TEXT NOT NULL, parts INTEGER NOT NULL, checksum INTEGER NOT NULL
                    ) WITHOUT ROWID;
                    CREATE TABLE parts (
                        snapshot BLOB NOT NULL, number INTEGER NOT NULL, payload BLOB NOT NULL,
                        checksum INTEGER NOT NULL, time INTEGER NOT NULL
                    );
                    CREATE UNIQUE INDEX parts_of_snapshots ON parts (snapshot, number);
                    CREATE TABLE leases (
                        name TEXT PRIMARY KEY, token INTEGER NOT NULL, holder TEXT NOT NULL, session INTEGER NOT NULL,
                        boot TEXT NOT NULL, deadline INTEGER NOT NULL
                    ) WITHOUT ROWID;
                    CREATE TABLE replicas (
                        origin TEXT PRIMARY KEY, position INTEGER NOT NULL, boot TEXT NOT NULL, time INTEGER NOT NULL
                    ) WITHOUT ROWID;
                    """
                )
                try connection.prepared("INSERT INTO log VALUES (?, 0, NULL, NULL, 0)").run(.data(UUID().data))
            }
        }

        private static func check(_ connection: SQLiteConnection) throws(ActionLogError) {
            let (found, version) = (
                try connection.integer("PRAGMA application_id"), try connection.integer("PRAGMA user_version")
            )
            guard found == application else {
                throw ActionLogError(
                    .unknownFormat,
                    in: connection.name,
                    "The file is a database of something else; nothing was changed. Name another file."
                )
            }
            guard version == format else {
                throw ActionLogError(
                    .unknownFormat,
                    in: connection.name,
                    "Its format \(version ?? 0) is that of another version of this library, which knows \(format)."
                )
            }
        }
    }
#endif
