import ActorStorePersistence
import ActorStoreSQLite
import CSQLite
import Foundation

/// Logs in files of the benchmark's own folder.
struct SQLiteEngine: DurableEngine {
    let folder: Folder
    private let slowSync: SlowSync?

    init(_ syncTime: SyncTime) throws {
        folder = try Folder()
        slowSync = syncTime.nanoseconds.map { SlowSync(nanoseconds: $0) }
    }

    func makeLog() throws -> any ActionLog { try SQLiteLog(at: folder.path + "/log-\(UUID().uuidString)") }

    /// The store controls the checkpoints of its log.
    func checkpoint() {}
}

/// Plain SQLite in the same mode: a write-ahead log synced by each transaction.
final class PlainSQLite: PlainInserts, @unchecked Sendable {
    // Sound: a benchmark has one producer, so that one thread at a time uses the connection.
    private let database: OpaquePointer
    private let insertion: OpaquePointer
    private let engine: SQLiteEngine

    init(on engine: SQLiteEngine) throws {
        self.engine = engine
        var opened: OpaquePointer?
        guard sqlite3_open(engine.folder.path + "/plain-\(UUID().uuidString)", &opened) == SQLITE_OK,
            let database = opened
        else { throw SetUpError("SQLite does not open a file.") }
        try Self.execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL", in: database)
        try Self.execute("CREATE TABLE actions (position INTEGER PRIMARY KEY, payload BLOB NOT NULL)", in: database)
        insertion = try Self.prepare("INSERT INTO actions VALUES (NULL, ?)", in: database)
        self.database = database
    }

    deinit {
        sqlite3_finalize(insertion)
        sqlite3_close(database)
    }

    func insert(_ count: Int, atOnce: Int) throws {
        var left = count
        while left > 0 {
            let group = min(left, atOnce)
            if group > 1 { try Self.execute("BEGIN IMMEDIATE", in: database) }
            for _ in 0..<group {
                let bytes = Booking.bytes
                // Nil: the bytes stay in place until the statement has been run.
                sqlite3_bind_blob(insertion, 1, bytes, Int32(bytes.count), nil)
                let code = withExtendedLifetime(bytes) { sqlite3_step(insertion) }
                guard code == SQLITE_DONE else { throw Self.error(in: database) }
                sqlite3_reset(insertion)
            }
            if group > 1 { try Self.execute("COMMIT", in: database) }
            left -= group
        }
    }

    func readAll(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        let rows = try Self.prepare("SELECT payload FROM actions ORDER BY position", in: database)
        defer { sqlite3_finalize(rows) }
        while sqlite3_step(rows) == SQLITE_ROW {
            try body(
                UnsafeRawBufferPointer(start: sqlite3_column_blob(rows, 0), count: Int(sqlite3_column_bytes(rows, 0)))
            )
        }
    }

    private static func execute(_ text: String, in database: OpaquePointer) throws {
        guard sqlite3_exec(database, text, nil, nil, nil) == SQLITE_OK else { throw error(in: database) }
    }

    private static func prepare(_ text: String, in database: OpaquePointer) throws -> OpaquePointer {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(database, text, -1, &statement, nil) == SQLITE_OK, let statement else {
            throw error(in: database)
        }
        return statement
    }

    private static func error(in database: OpaquePointer) -> SetUpError {
        SetUpError("SQLite says: \(String(cString: sqlite3_errmsg(database)))")
    }
}
