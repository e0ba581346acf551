#if SQLite
    import ActorStorePersistence
    import CSQLite
    import Foundation

    /// Opens the database of a log and creates its tables.
    ///
    /// - `log` has one row with the log's own fields.
    /// - `entries` has one row per position, without gaps, from the first entry that is kept.
    /// - `origins` has the newest number of each origin, even if its entries have been deleted.
    /// - `snapshots` has the finished snapshots; `parts` has the parts of all snapshots. `leases` and `replicas` have
    ///   the leases and the reports of replicas.
    enum LogFile {
        /// Marks the file as a log: "ASL1".
        static let application: Int64 = 0x4153_4C31
        /// The version of the tables.
        static let format: Int64 = 1

        /// Opens the file, and creates what is missing. It changes nothing else.
        static func open(_ log: SQLiteLog) throws(ActionLogError) -> SQLiteConnection {
            let connection = try SQLiteConnection(path: log.name)
            if try isEmpty(connection) { try create(in: connection) }
            try check(connection)
            // SQLite returns the mode that it uses: where WAL is impossible, it silently keeps another mode.
            let mode = try connection.prepared("PRAGMA journal_mode").first { $0.text(at: 0) }
            guard mode == "wal" else {
                throw ActionLogError(
                    .unsafe,
                    in: log.name,
                    "SQLite cannot use a write-ahead log on this file system. Use a local disk, or another engine."
                )
            }
            try connection.execute("PRAGMA synchronous=\(log.acknowledgement.synchronous)")
            // `LogCheckpoints` runs checkpoints beside the writer.
            try connection.execute("PRAGMA wal_autocheckpoint=0; PRAGMA journal_size_limit=67108864")
            // Of a connection and not of the file; the default depends on how SQLite was built.
            try connection.execute("PRAGMA secure_delete=ON")
            return connection
        }

        private static func isEmpty(_ connection: SQLiteConnection) throws(ActionLogError) -> Bool {
            guard try connection.integer("SELECT count(*) FROM sqlite_schema") == 0 else { return false }
            return try connection.integer("PRAGMA application_id") == 0
        }

        private static func create(in connection: SQLiteConnection) throws(ActionLogError) {
            try connection.execute("PRAGMA auto_vacuum=INCREMENTAL; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL")
            try connection.transaction { () throws(ActionLogError) in
                // Another connection may have been faster.
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
                    "The file is a database of another program. Nothing was changed. Use another path."
                )
            }
            guard version == format else {
                throw ActionLogError(
                    .unknownFormat,
                    in: connection.name,
                    "The log has format \(version ?? 0), but this version of the library supports \(format). Use another version."
                )
            }
        }
    }
#endif
