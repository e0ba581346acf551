#if Postgres
    import ActionLogConformance
    import ActorStorePersistence
    import ActorStorePostgres
    import Foundation
    import Synchronization
    import Testing

    @Suite("Logs in PostgreSQL: durability", .mayWait)
    struct DurabilityTests {
        @Test(
            "A killed server has all acknowledged entries, and appending again reports the others",
            .timeLimit(.minutes(10))
        )
        func kill() throws {
            let process = try PostgresProcess()
            let log = process.log("stock")
            var done: UInt64 = 0
            for _ in 0..<3 {
                let acknowledged = Atomic(done)
                let writer = BackgroundWork { [done] in try append(to: log, from: done, acknowledged: acknowledged) }
                while acknowledged.load(ordering: .acquiring) < done + 60, !writer.isFinished { usleep(1_000) }
                process.kill()
                let (error, codeAfterwards) = try writer.value()
                #expect(error.code == .disconnected)
                #expect(codeAfterwards == .disconnected)
                try process.start()

                let connection = try log.connect()
                let last = acknowledged.load(ordering: .acquiring)
                let known = try connection.lastNumber(of: "a")
                #expect(known == last || known == last + 3)
                // The group without a response.
                let next = entries("a", last + 1...last + 3)
                let again = failure { try connection.append(next) }
                #expect(again?.code == (known == last ? nil : .unexpectedNumber))
                done = last + 3
                #expect(try connection.readAll() == entries("a", 1...done))
            }
        }

        /// Appends groups of three until that fails.
        ///
        /// - Returns: The error, and the error code of a later call.
        private func append(
            to log: PostgresLog,
            from number: UInt64,
            acknowledged: borrowing Atomic<UInt64>
        ) throws -> (ActionLogError, ActionLogError.Code?) {
            let connection = try log.connect()
            var number = number
            while true {
                do throws(ActionLogError) {
                    try connection.append(entries("a", number + 1...number + 3))
                } catch {
                    return (error, failure { _ = try connection.status() }?.code)
                }
                number += 3
                acknowledged.store(number, ordering: .releasing)
            }
        }

        @Test(
            "Acknowledged entries survive a kill also if the server by default acknowledges before it writes",
            .timeLimit(.minutes(10))
        )
        func asynchronousDefault() throws {
            // The server's own writer runs every ten seconds; unwritten data is only in the memory that the kill
            // discards.
            let process = try PostgresProcess([
                "synchronous_commit": "off", "wal_writer_delay": "10s", "autovacuum": "off",
            ])
            let connection = try process.log("stock").connect()
            for number in UInt64(1)...20 { try connection.append(entries("a", number...number)) }
            process.kill()
            try process.start()
            #expect(try process.log("stock").connect().readAll() == entries("a", 1...20))
        }

        @Test(
            "A finished snapshot survives a kill, and deletions, which wait for no sync, are repeated after one",
            .timeLimit(.minutes(10))
        )
        func unsyncedDeletions() throws {
            let process = try PostgresProcess(["wal_writer_delay": "10s", "autovacuum": "off"])
            let administrator = { try Administrator(process.connectionString) }
            let first = try process.log("stock").connect()
            try first.append(entries("a", 1...9))
            let end = try first.status().end
            let snapshot = ActionLogSnapshot(at: end, header: "", parts: 2)
            for number in 0..<2 { try first.write(Data("part \(number)".utf8), number, of: snapshot) }
            #expect(try first.finish(snapshot))
            process.kill()
            try process.start()

            let second = try process.log("stock").connect()
            #expect(try second.snapshots() == [snapshot])
            #expect(try second.part(1, of: snapshot) == Data("part 1".utf8))
            while try second.trim(through: end.position) {}
            #expect(try administrator().run("SELECT count(*) FROM actor_store.entries") == [["0"]])
            process.kill()
            try process.start()

            #expect(try administrator().run("SELECT count(*) FROM actor_store.entries") == [["9"]])
            let third = try process.log("stock").connect()
            #expect(try third.status().first == 10)
            while try third.trim(through: end.position) {}
            #expect(try administrator().run("SELECT count(*) FROM actor_store.entries") == [["0"]])
        }

        @Test("A server whose settings can destroy acknowledged entries is refused unless that is allowed")
        func unsafeSettings() throws {
            for setting in ["fsync", "full_page_writes"] {
                let process = try PostgresProcess([setting: "off"])
                let error = failure { _ = try process.log("stock").connect() }
                #expect(error?.code == .unsafe)
                #expect(error?.reason.contains(setting) == true)
                let connection = try PostgresLog(process.server(allowsLoss: true), stream: "stock").connect()
                try connection.append(entries("a", 1...1))
            }
        }

        @Test("A database that cannot store all texts is refused")
        func encoding() throws {
            let process = try PostgresProcess.shared.get()
            let administrator = try Administrator(process.connectionString)
            let name = "latin_\(UInt32.random(in: 0 ... .max))"
            try administrator.run("CREATE DATABASE \(name) ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
            let server = PostgresServer(
                "host=127.0.0.1 port=\(process.port) user=postgres dbname=\(name) client_encoding=LATIN1",
                allowsLoss: true
            )
            let error = failure { _ = try PostgresLog(server, stream: "stock").connect() }
            #expect(error?.code == .unsafe)
            #expect(error?.reason.contains("LATIN1") == true)
        }
    }
#endif
