#if SQLite
    import ActionLogConformance
    import ActorStorePersistence
    import ActorStoreSQLite
    import CSQLite
    import Foundation

    /// A folder of a test, which is deleted at its end.
    final class TemporaryFolder: Sendable {
        let path: String

        init() throws {
            path = NSTemporaryDirectory() + "actor-store-sqlite-\(UUID().uuidString)"
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }

        /// The path of a file in it.
        func callAsFunction(_ name: String) -> String { path + "/" + name }

        /// The contents of a file; nil if it is missing.
        func contents(_ name: String) -> Data? { FileManager.default.contents(atPath: self(name)) }
    }

    /// Statements on a connection like any other program's.
    func shell(_ path: String, _ statements: String) throws {
        var handle: OpaquePointer?
        defer { sqlite3_close_v2(handle) }
        guard sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK,
            sqlite3_busy_timeout(handle, 60_000) == SQLITE_OK,
            sqlite3_exec(handle, statements, nil, nil, nil) == SQLITE_OK
        else { throw ShellFailure(message: handle.map { String(cString: sqlite3_errmsg($0)) } ?? "no memory") }
    }

    struct ShellFailure: Error { let message: String }

    /// Another program that has a log open.
    final class SQLiteReader {
        private var handle: OpaquePointer?

        init(_ path: String) throws {
            guard sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK else {
                throw ShellFailure(message: "cannot open \(path)")
            }
        }

        deinit { sqlite3_close_v2(handle) }

        /// Begins a view of the current file.
        func begin() throws {
            try execute("BEGIN")
            _ = try count()
        }

        func end() { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }

        func execute(_ statement: String) throws {
            guard sqlite3_exec(handle, statement, nil, nil, nil) == SQLITE_OK else {
                throw ShellFailure(message: String(cString: sqlite3_errmsg(handle)))
            }
        }

        /// The number of entries.
        func count() throws -> Int {
            var statement: OpaquePointer?
            defer { sqlite3_finalize(statement) }
            guard sqlite3_prepare_v2(handle, "SELECT count(*) FROM entries", -1, &statement, nil) == SQLITE_OK,
                sqlite3_step(statement) == SQLITE_ROW
            else { throw ShellFailure(message: String(cString: sqlite3_errmsg(handle))) }
            return Int(sqlite3_column_int64(statement, 0))
        }
    }

    /// Puts a file into the state that it had when its end was at a position, without a claimed lease.
    func loseEnd(of path: String, after position: UInt64) throws {
        try shell(
            path,
            """
            BEGIN IMMEDIATE;
            CREATE TEMP TABLE lost AS SELECT origin, min(number) AS number FROM entries
                WHERE position > \(position) GROUP BY origin;
            UPDATE origins SET number = (SELECT lost.number - 1 FROM lost WHERE lost.origin = origins.origin)
                WHERE origin IN (SELECT origin FROM lost);
            DELETE FROM entries WHERE position > \(position);
            DELETE FROM snapshots WHERE position > \(position);
            DELETE FROM origins WHERE number = 0;
            DELETE FROM leases;
            UPDATE log SET token = 0;
            COMMIT;
            """
        )
    }

    /// An entry of an origin.
    func entry(_ number: UInt64, of origin: String = "a", _ payload: String = "action") -> ActionLogEntry {
        ActionLogEntry(.init(origin: origin, number: number), header: "{}", payload: Data(payload.utf8))
    }

    extension ActionLogConnection {
        /// Appends entries with these numbers at the end of the log.
        func append(_ numbers: ClosedRange<UInt64>, of origin: String = "a") throws {
            try append(numbers.map { entry($0, of: origin) }, if: AppendCondition(.contains(.start)))
        }

        /// Writes a whole snapshot of the state at a position, which must be that of an entry.
        @discardableResult
        func save(at position: UInt64, _ parts: [String] = ["state"]) throws -> ActionLogSnapshot {
            let point = ActionLogPoint(position: position, identity: try identity(at: position))
            let snapshot = ActionLogSnapshot(at: point, header: "{}", parts: parts.count)
            for (number, part) in parts.enumerated() { try write(Data(part.utf8), number, of: snapshot) }
            try finish(snapshot)
            return snapshot
        }
    }
#endif
