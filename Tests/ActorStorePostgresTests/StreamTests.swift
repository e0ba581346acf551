#if Postgres
    import ActionLogConformance
    import ActorStore
    import ActorStorePersistence
    import ActorStorePostgres
    import Foundation
    import Testing

    @Suite("Logs in PostgreSQL: streams", .mayWait)
    struct StreamTests {
        private let process: PostgresProcess
        private let stream = "stream \(UUID())"

        init() throws { process = try PostgresProcess.shared.get() }

        private var server: PostgresServer { process.server(allowsLoss: true) }
        private var log: PostgresLog { PostgresLog(server, stream: stream) }

        @Test(
            "Streams in one database have separate positions, numbers, leases and snapshots",
            .timeLimit(.minutes(10))
        )
        func independence() throws {
            let (first, second) = (try log.connect(), try PostgresLog(server, stream: stream + " 2").connect())
            try first.append(entries("a", 1...3))
            try second.append(entries("a", 1...1))
            #expect(try first.status().identity != second.status().identity)
            #expect(try first.status().end.position == 3)
            #expect(try second.status().end.position == 1)
            #expect(try second.lastNumber(of: "a") == 1)
            let lease = try first.claim(LeaseClaim(name: "effects", holder: "a", for: .seconds(600)))
            #expect(try second.claim(LeaseClaim(name: "effects", holder: "b", for: .seconds(600))).holder == "b")
            #expect(
                failure {
                    try second.append(entries("a", 2...2), if: AppendCondition(.contains(.start), lease: lease))
                }?
                .code == .fenced
            )
            let snapshot = ActionLogSnapshot(at: try first.status().end, header: "", parts: 0)
            #expect(try first.finish(snapshot))
            while try first.trim(through: 3) {}
            #expect(try second.snapshots().isEmpty)
            #expect(try second.readAll() == entries("a", 1...1))
        }

        @Test("The documented statement deletes one stream, and nothing else", .timeLimit(.minutes(10)))
        func documentedDeletion() throws {
            let schema = "schema_\(UUID().uuidString.prefix(8))"
            let first = PostgresLog(server, stream: "stock", schema: schema)
            let second = PostgresLog(server, stream: "other", schema: schema)
            for log in [first, second] {
                let connection = try log.connect()
                try connection.append(entries("a", 1...3))
                _ = try connection.claim(LeaseClaim(name: "effects", holder: "a", for: .seconds(600)))
                try connection.report(ReplicaPresence(origin: "a", position: 1))
                for position in [2, 3] as [UInt64] {
                    let identity = try connection.identity(at: position)
                    let point = ActionLogPoint(position: position, identity: identity)
                    let snapshot = ActionLogSnapshot(at: point, header: "", parts: 1)
                    try connection.write(Data("state".utf8), 0, of: snapshot)
                    if position == 2 { #expect(try connection.finish(snapshot)) }
                }
            }
            let article = URL(filePath: #filePath).deletingLastPathComponent().appending(
                path: "../../Sources/ActorStorePersistence/ActorStorePersistence.docc/OperatingADurableStore.md"
            )
            let text = try String(contentsOf: article, encoding: .utf8)
            let statement = try #require(text.firstMatch(of: /```sql\n(?<statement>[^`]+)```/)).statement
            let administrator = try Administrator(process.connectionString)
            _ = try administrator.run(String(statement).replacing("actor_store.", with: "\"\(schema)\"."))
            for table in try administrator.run("SELECT tablename FROM pg_tables WHERE schemaname = '\(schema)'") {
                let name = try #require(table.first ?? nil)
                if name == "meta" { continue }
                let column = name == "streams" ? "identity" : "stream"
                let streams = try administrator.run("SELECT DISTINCT \(column) FROM \"\(schema)\".\(name)")
                #expect(streams.count == 1, "\(name)")
            }
            #expect(try second.connect().readAll() == entries("a", 1...3))
            #expect(try first.connect().status().end == .start)
        }

        @Test("Groups of 1,000 entries, and entries of 1 MB, are read as they were appended", .timeLimit(.minutes(10)))
        func sizes() throws {
            let connection = try log.connect()
            try connection.append(entries("a", 1...1_000))
            let large = (UInt64(1)...12).map { number in
                ActionLogEntry(
                    ActionLogEntry.Identity(origin: "b", number: number),
                    header: "{}",
                    payload: Data(
                        [[UInt8]](repeating: (0..<1 << 10).map { UInt8($0 &* number % 251) }, count: 1 << 10).joined()
                    )
                )
            }
            #expect(try connection.append(large) == 1_001)
            #expect(try connection.readAll() == entries("a", 1...1_000) + large)
        }

        @Test("An archive is not made of a log whose last entry is missing", .timeLimit(.minutes(10)))
        func exportWithoutEnd() async throws {
            let store = try await Store.durable(in: log, initialState: 0) { (state: inout Int, action: Int) in
                state += action
            }
            // The server of this suite does not sync.
            #expect(store.statistics.settings["fsync"] == "off")
            for number in 1...3 { try await store.dispatch(number) }
            let administrator = try Administrator(process.connectionString)
            let identity = try log.connect().status().identity
            try administrator.run("DELETE FROM actor_store.entries WHERE stream = '\(identity)' AND position = 4")
            let archive = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).jsonl").path
            await #expect {
                try await store.export(to: archive)
            } throws: {
                ($0 as? ActionLogError)?.code == .damaged && ($0 as? ActionLogError)?.position == 4
            }
            #expect(!FileManager.default.fileExists(atPath: archive))
            await store.shutdown(drain: .finishEffects)
        }

        @Test("A group larger than the server accepts is refused before it is sent")
        func tooLarge() throws {
            let connection = try log.connect()
            let payload = Data(repeating: 1, count: 1 << 20)
            let group = (UInt64(1)...257).map { number in
                ActionLogEntry(ActionLogEntry.Identity(origin: "a", number: number), header: "", payload: payload)
            }
            #expect(failure { try connection.append(group) }?.code == .tooLarge)
            // Longer than the server's index accepts.
            let origin = (0..<1_000).map { _ in UUID().uuidString }.joined()
            #expect(failure { try connection.append(entries(origin, 1...1)) }?.code == .tooLarge)
            #expect(try connection.append(entries("a", 1...1)) == 1)
        }

        @Test("A text with a NUL character is refused, and the connection continues")
        func nulCharacters() throws {
            let connection = try log.connect()
            let entry = ActionLogEntry(ActionLogEntry.Identity(origin: "a", number: 1), header: "a\0b", payload: Data())
            let error = failure { try connection.append([entry]) }
            #expect(error?.code == .refused)
            #expect(error?.reason.contains("NUL") == true)
            #expect(failure { _ = try connection.lastNumber(of: "a\0") }?.code == .refused)
            #expect(failure { _ = try PostgresLog(server, stream: "a\0b").connect() }?.code == .refused)
            #expect(failure { _ = try PostgresLog(server, stream: "a", schema: "a\0b").connect() }?.code == .refused)
            #expect(try connection.append(entries("a", 1...1)) == 1)
        }

        @Test("An empty group, and a group of two origins, is refused")
        func otherGroups() throws {
            let connection = try log.connect()
            #expect(failure { try connection.append([]) }?.code == .refused)
            #expect(failure { try connection.append(entries("a", 1...1) + entries("b", 1...1)) }?.code == .refused)
        }

        @Test("Positions and numbers beyond the server's do not exist, and nothing traps")
        func largeNumbers() throws {
            let connection = try log.connect()
            try connection.append(entries("a", 1...2))
            #expect(try connection.identity(at: .max) == nil)
            #expect(try connection.read(after: .max, atMost: .max).isEmpty)
            #expect(try connection.read(after: 0, atMost: .min).count == 1)
            let point = ActionLogPoint(position: .max, identity: ActionLogEntry.Identity(origin: "a", number: .max))
            for place in [AppendCondition.Place.end(point), .contains(point)] {
                #expect(
                    failure { try connection.append(entries("a", 3...3), if: AppendCondition(place)) }?.code
                        == .lostEntries
                )
            }
            #expect(failure { try connection.append(entries("a", .max ... .max)) }?.code == .unexpectedNumber)
            #expect(failure { try connection.report(ReplicaPresence(origin: "a", position: .max)) }?.code == .refused)
            try connection.release(ActionLogLease(name: "effects", token: .max, holder: "a"))
            try connection.wait(after: .max, for: .zero)
            let lease = LeaseClaim(name: "effects", holder: "a", for: .seconds(Int64.max))
            #expect(try connection.claim(lease).holder == "a")
            #expect(try connection.presences(since: .seconds(Int64.max)).isEmpty)
            while try connection.trim(through: .max) {}
            #expect(try connection.status().first == 3)
        }

        @Test("Connections that create the same schema concurrently all succeed", .timeLimit(.minutes(10)))
        func racingCreation() throws {
            let log = PostgresLog(server, stream: stream, schema: "race \"'$$ \(UUID())")
            let works = (0..<8).map { number in
                BackgroundWork {
                    let connection = try log.connect()
                    try connection.append(entries("origin \(number)", 1...2))
                    return try connection.status().identity
                }
            }
            let identities = try works.map { try $0.value() }
            #expect(Set(identities).count == 1)
            #expect(try log.connect().status().end.position == 16)
        }

        @Test("Tables of a later version, and tables of others, are refused as an unknown format")
        func unknownFormat() throws {
            let administrator = try Administrator(process.connectionString)
            let names = ["later_\(UInt32.random(in: 0 ... .max))", "other_\(UInt32.random(in: 0 ... .max))"]
            _ = try PostgresLog(server, stream: stream, schema: names[0]).connect()
            try administrator.run("UPDATE \(names[0]).meta SET version = 2")
            try administrator.run("CREATE SCHEMA \(names[1]); CREATE TABLE \(names[1]).meta (key text)")
            for name in names {
                let error = failure { _ = try PostgresLog(server, stream: stream, schema: name).connect() }
                #expect(error?.code == .unknownFormat, "\(error as Any)")
            }
        }

        @Test("A user with rights to the tables only is accepted, and one without rights is refused")
        func rights() throws {
            let administrator = try Administrator(process.connectionString)
            let (user, schema) = ("user_\(UInt32.random(in: 0 ... .max))", "schema_\(UInt32.random(in: 0 ... .max))")
            _ = try PostgresLog(server, stream: stream, schema: schema).connect()
            try administrator.run("CREATE ROLE \(user) LOGIN")
            let limited = PostgresLog(
                PostgresServer("host=127.0.0.1 port=\(process.port) dbname=postgres user=\(user)", allowsLoss: true),
                stream: stream,
                schema: schema
            )
            #expect(failure { _ = try limited.connect() }?.code == .refused)
            try administrator.run(
                """
                GRANT USAGE ON SCHEMA \(schema) TO \(user);
                GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA \(schema) TO \(user)
                """
            )
            let connection = try limited.connect()
            try connection.append(entries("a", 1...2))
            _ = try connection.claim(LeaseClaim(name: "effects", holder: "a", for: .seconds(1)))
            #expect(try connection.status().end.position == 2)
        }

        @Test("Rows are found although the system's libraries order texts in another way", .timeLimit(.minutes(10)))
        func otherOrder() throws {
            let database = "database_\(UInt32.random(in: 0 ... .max))"
            let server = try Administrator(process.connectionString)
            try server.run(
                "CREATE DATABASE \(database) TEMPLATE template0 ENCODING UTF8 LOCALE_PROVIDER icu ICU_LOCALE 'en'"
            )
            let string = "host=127.0.0.1 port=\(process.port) user=postgres dbname=\(database)"
            func log(_ number: Int) -> PostgresLog {
                PostgresLog(PostgresServer(string, allowsLoss: true), stream: "stream \(number)")
            }
            _ = try log(1).connect()
            try Administrator(string).run(
                """
                INSERT INTO actor_store.streams (name, last_position, last_origin, last_number)
                SELECT 'stream ' || number, 1, 'origin', 1 FROM generate_series(2, 1000) AS number;
                INSERT INTO actor_store.origins (stream, origin, number)
                SELECT identity, 'origin ' || number, number FROM actor_store.streams, generate_series(1, 1000) AS number
                WHERE name = 'stream 2';
                """
            )
            // The server has this property since version 15, and under another name since version 17.
            let names = try server.run(
                "SELECT attname FROM pg_attribute WHERE attrelid = 'pg_database'::regclass AND attname ~ '^dat(icu)?locale$'"
            )
            let property = try #require(names.first?.first ?? nil)
            // 10 behind 9.
            try server.run("UPDATE pg_database SET \(property) = 'en-u-kn' WHERE datname = '\(database)'")
            for number in stride(from: 2, through: 1_000, by: 37) {
                #expect(try log(number).connect().status().end.position == 1, "\(number)")
            }
            let connection = try log(2).connect()
            for number in UInt64(1)...1_000 { #expect(try connection.lastNumber(of: "origin \(number)") == number) }
            #expect(try Administrator(string).run("SELECT count(*) FROM actor_store.streams") == [["1000"]])
        }

        @Test("The owner of a schema needs no right to the database")
        func ownSchema() throws {
            let name = "owner_\(UInt32.random(in: 0 ... .max))"
            try Administrator(process.connectionString).run(
                "CREATE ROLE \(name) LOGIN; CREATE SCHEMA \(name) AUTHORIZATION \(name)"
            )
            let log = PostgresLog(
                PostgresServer("host=127.0.0.1 port=\(process.port) dbname=postgres user=\(name)", allowsLoss: true),
                stream: stream,
                schema: name
            )
            try log.connect().append(entries("a", 1...2))
            #expect(try log.connect().readAll() == entries("a", 1...2))
        }

        @Test("A snapshot finished twice is kept, and one with missing parts is refused")
        func finishing() throws {
            let connection = try log.connect()
            try connection.append(entries("a", 1...2))
            let snapshot = ActionLogSnapshot(at: try connection.status().end, header: "h", parts: 2)
            try connection.write(Data("one".utf8), 0, of: snapshot)
            #expect(failure { _ = try connection.finish(snapshot) }?.code == .damaged)
            try connection.write(Data("two".utf8), 1, of: snapshot)
            #expect(try connection.finish(snapshot))
            #expect(try connection.finish(snapshot))
            #expect(try connection.part(1, of: snapshot) == Data("two".utf8))
        }

        @Test("A trim deletes the rows of entries, of former snapshots, and of unfinished snapshots")
        func trimmedRows() throws {
            let connection = try log.connect()
            let administrator = try Administrator(process.connectionString)
            try connection.append(entries("a", 1...2_500))
            func snapshot(at position: UInt64) -> ActionLogSnapshot {
                let identity = ActionLogEntry.Identity(origin: "a", number: position)
                return ActionLogSnapshot(
                    at: ActionLogPoint(position: position, identity: identity),
                    header: "",
                    parts: 1
                )
            }
            let (former, newest, abandoned, recent) = (
                snapshot(at: 5), snapshot(at: 2_400), snapshot(at: 2_410), snapshot(at: 2_420)
            )
            for snapshot in [former, newest, abandoned, recent] {
                try connection.write(Data("p".utf8), 0, of: snapshot)
            }
            #expect(try connection.finish(former))
            #expect(try connection.finish(newest))
            let tables = "actor_store.streams s JOIN actor_store"
            try administrator.run(
                """
                UPDATE actor_store.snapshot_parts SET written = now() - interval '25 hours'
                WHERE snapshot = '\(abandoned.id)'
                """
            )
            var calls = 0
            while try connection.trim(through: 2_400) { calls += 1 }
            #expect(calls > 2)
            let rows = try administrator.run(
                "SELECT count(*), min(position) FROM \(tables).entries ON stream = identity WHERE name = '\(stream)'"
            )
            #expect(rows == [["100", "2401"]])
            #expect(try connection.part(0, of: former) == nil)
            #expect(try connection.part(0, of: abandoned) == nil)
            #expect(try connection.part(0, of: recent) != nil)
            #expect(try connection.part(0, of: newest) != nil)
        }

        @Test(
            "A deletion does not visit deleted rows again, also while an older transaction keeps them in the index",
            .timeLimit(.minutes(10)),
            arguments: [UInt64(20_000), 500]
        )
        func deletedOnce(entriesPerDeletion: UInt64) throws {
            let database = "trim\(UUID().uuidString.prefix(8))"
            try Administrator(process.connectionString).run("CREATE DATABASE \"\(database)\"")
            let text = process.connectionString.replacing("dbname=postgres", with: "dbname=\(database)")
            let (reader, administrator) = (try Administrator(text), try Administrator(text))
            do {
                let connection = try PostgresLog(PostgresServer(text, allowsLoss: true), stream: "trim").connect()
                for group in UInt64(0)..<20 {
                    try connection.append(entries("a", group * 1_000 + 1...group * 1_000 + 1_000))
                }
                let end = try connection.status().end
                #expect(try connection.finish(ActionLogSnapshot(at: end, header: "", parts: 0)))
                try reader.run("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1")
                for position in stride(from: entriesPerDeletion, through: 20_000, by: Int(entriesPerDeletion)) {
                    while try connection.trim(through: position) {}
                }
            }
            // The server's statistics include a connection after its end.
            let read = "FROM pg_stat_user_indexes WHERE indexrelname = 'entries_pkey'"
            try administrator.wait(for: "t", from: "SELECT idx_tup_read >= 20000 \(read)")
            let count = try administrator.run("SELECT idx_tup_read \(read)").first?.first.flatMap { $0 }.flatMap {
                Int($0)
            }
            #expect(count.map { $0 < 60_000 } == true, "\(count ?? -1)")
        }

        @Test("A deletion of large entries takes several short calls", .timeLimit(.minutes(10)))
        func largeDeletion() throws {
            let connection = try log.connect()
            let payload = Data(count: 8 << 20)
            for number in UInt64(1)...6 {
                let identity = ActionLogEntry.Identity(origin: "a", number: number)
                try connection.append([ActionLogEntry(identity, header: "", payload: payload)])
            }
            #expect(try connection.finish(ActionLogSnapshot(at: try connection.status().end, header: "", parts: 0)))
            var calls = 0
            while try connection.trim(through: 6) { calls += 1 }
            #expect(calls >= 3)
            let (identity, administrator) = (
                try connection.status().identity, try Administrator(process.connectionString)
            )
            let rows = try administrator.run("SELECT FROM actor_store.entries WHERE stream = '\(identity)'")
            #expect(rows.isEmpty)
        }

        @Test("Functions that an earlier version of the library has not created are created", .timeLimit(.minutes(10)))
        func laterFunctions() throws {
            let server = server
            func log() -> PostgresLog { PostgresLog(server, stream: stream, schema: "earlier \(stream)") }
            let schema = "\"earlier \(stream)\""
            do {
                let connection = try log().connect()
                try connection.append(entries("a", 1...3))
            }
            try Administrator(process.connectionString).run(
                """
                DROP FUNCTION \(schema).delete_trimmed(uuid, bigint, bigint);
                DROP FUNCTION \(schema).discard_parts(uuid, uuid, timestamptz, bigint);
                DROP FUNCTION \(schema).claim_after(uuid, text, text, bigint, boolean, bigint, bigint);
                """
            )
            let connection = try log().connect()
            #expect(try connection.finish(ActionLogSnapshot(at: try connection.status().end, header: "", parts: 0)))
            while try connection.trim(through: 3) {}
            #expect(try connection.status().first == 4)
        }

        @Test("A missing entry in the middle is an error, and no later one is read in its place")
        func missingEntry() throws {
            let connection = try log.connect()
            try connection.append(entries("a", 1...5))
            let status = try connection.status()
            try Administrator(process.connectionString).run(
                "DELETE FROM actor_store.entries WHERE stream = '\(status.identity)' AND position = 3"
            )
            let error = failure { _ = try connection.readAll() }
            #expect(error?.code == .damaged)
            #expect(error?.position == 3)
        }

        @Test("Connections to a deleted stream request a new connection")
        func deletedStream() throws {
            let connection = try log.connect()
            let former = try connection.status().identity
            try Administrator(process.connectionString).run("DELETE FROM actor_store.streams WHERE name = '\(stream)'")
            #expect(failure { _ = try connection.status() }?.code == .disconnected)
            #expect(failure { _ = try connection.read(after: 0, atMost: 1) }?.code == .disconnected)
            #expect(failure { try connection.append(entries("a", 1...1)) }?.code == .disconnected)
            #expect(
                failure { _ = try connection.claim(LeaseClaim(name: "a", holder: "a", for: .seconds(1))) }?.code
                    == .disconnected
            )
            #expect(try log.connect().status().identity != former)
        }
    }
#endif
