#if SQLite
    import ActorStorePersistence
    @testable import ActorStoreSQLite
    import CSQLite
    import Foundation
    import Testing

    @Suite("SQLite statements")
    struct SQLiteStatementTests {
        @Test("A value that SQLite does not accept is an error, and nothing is written in its place")
        func refusedValues() throws {
            let folder = try TemporaryFolder()
            try Data().write(to: URL(fileURLWithPath: folder("file")))
            let connection = try SQLiteConnection(path: folder("file"))
            try connection.execute("CREATE TABLE items (item)")
            sqlite3_limit(connection.handle, SQLITE_LIMIT_LENGTH, 100)
            for value in [SQLiteValue.data(Data(count: 101)), .text(String(repeating: "x", count: 101))] {
                let error = #expect(throws: ActionLogError.self) {
                    try connection.prepared("INSERT INTO items VALUES (?)").run(value)
                }
                #expect(error?.code == .tooLarge)
            }
            try connection.prepared("INSERT INTO items VALUES (?)").run(.data(Data(count: 90)))
            #expect(try connection.integer("SELECT count(*) FROM items") == 1)
        }

        @Test("Each connection syncs to the disk itself, also those that write no entries")
        func fullSyncs() throws {
            let folder = try TemporaryFolder()
            try Data().write(to: URL(fileURLWithPath: folder("file")))
            let connection = try SQLiteConnection(path: folder("file"))
            #expect(try connection.integer("PRAGMA fullfsync") == 1)
            #expect(try connection.integer("PRAGMA checkpoint_fullfsync") == 1)
        }

        @Test("A quota that is exceeded is reported like a full disk, unless a sync has failed")
        func quotas() {
            for number in [ENOSPC, EDQUOT] {
                #expect(ActionLogError.database(SQLITE_IOERR, nil, system: number, in: "log").code == .full)
                // SQLITE_IOERR_FSYNC.
                let sync = SQLITE_IOERR | 4 << 8
                #expect(ActionLogError.database(sync, nil, system: number, in: "log").code == .refused)
            }
            #expect(ActionLogError.database(SQLITE_IOERR, nil, system: EIO, in: "log").code == .disconnected)
        }

        @Test("A lost race for the locks of a file is transient")
        func lostRaces() {
            for code in [SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL] {
                #expect(ActionLogError.database(code, nil, in: "log").code == .busy)
            }
        }
    }
#endif
