#if Postgres
    import ActionLogConformance
    import ActorStorePersistence
    import ActorStorePostgres
    import Foundation
    import Synchronization
    import Testing

    @Suite("Logs in PostgreSQL: standbys", .mayWait)
    struct StandbyTests {
        /// A primary that waits for a standby on request, and that standby.
        private func makePair() throws -> (primary: PostgresProcess, standby: PostgresProcess) {
            let primary = try PostgresProcess(["wal_sender_timeout": "0"])
            let standby = try PostgresProcess(["wal_receiver_timeout": "0"], standbyOf: primary)
            let administrator = try Administrator(primary.connectionString)
            try administrator.run("ALTER SYSTEM SET synchronous_standby_names = 'standby'")
            try administrator.run("SELECT pg_reload_conf()")
            try administrator.wait(for: "sync", from: "SELECT sync_state FROM pg_stat_replication")
            return (primary, standby)
        }

        /// Both, named like a program that continues with whichever is the primary.
        private func log(
            _ pair: (primary: PostgresProcess, standby: PostgresProcess),
            _ acknowledgement: PostgresServer.Acknowledgement,
            stream: String = "stock",
            statementTimeout: Duration = .seconds(30)
        ) -> PostgresLog {
            let string =
                "host=127.0.0.1,127.0.0.1 port=\(pair.standby.port),\(pair.primary.port) user=postgres dbname=postgres "
                + "application_name=log"
            return PostgresLog(
                PostgresServer(string, acknowledgement: acknowledgement, statementTimeout: statementTimeout),
                stream: stream
            )
        }

        @Test(
            "A server that waits for no standby is refused where one has to acknowledge, also later",
            .timeLimit(.minutes(10))
        )
        func refusal() throws {
            let process = try PostgresProcess()
            let log = PostgresLog(process.server(.standby), stream: "stock")
            let error = failure { _ = try log.connect() }
            #expect(error?.code == .unsafe)
            #expect(error?.reason.contains("synchronous_standby_names") == true)
            // One that waits, for a missing standby.
            let administrator = try Administrator(process.connectionString)
            try administrator.run("ALTER SYSTEM SET synchronous_standby_names = 'standby'")
            try administrator.run("SELECT pg_reload_conf()")
            try administrator.wait(for: "standby", from: "SHOW synchronous_standby_names")
            #expect(failure { _ = try log.connect() }?.code == .busy)
        }

        @Test("A promoted standby has all entries that it had to acknowledge", .timeLimit(.minutes(10)))
        func promotion() throws {
            let pair = try makePair()
            let log = log(pair, .standby)
            let acknowledged = Atomic<UInt64>(0)
            let writer = BackgroundWork {
                let connection = try log.connect()
                while true {
                    let number = acknowledged.load(ordering: .relaxed)
                    do throws(ActionLogError) {
                        try connection.append(entries("a", number + 1...number + 1))
                    } catch {
                        return error
                    }
                    acknowledged.store(number + 1, ordering: .releasing)
                }
            }
            while acknowledged.load(ordering: .acquiring) < 100, !writer.isFinished { usleep(1_000) }
            pair.primary.kill()
            #expect(try writer.value().code == .disconnected)
            // Only a standby is left, which cannot have a log.
            #expect(failure { _ = try log.connect() }?.code == .disconnected)
            #expect(failure { _ = try pair.standby.log("stock").connect() }?.code == .disconnected)
            try Administrator(pair.standby.connectionString).run("SELECT pg_promote()")
            // It has no standby of its own.
            #expect(failure { _ = try log.connect() }?.code == .unsafe)
            let all = try self.log(pair, .primary).connect().readAll()
            let last = acknowledged.load(ordering: .acquiring)
            #expect(last >= 100)
            #expect(all == entries("a", 1...max(UInt64(all.count), 1)))
            #expect(all.count == Int(last) || all.count == Int(last) + 1)
        }

        @Test(
            "Entries that a promoted standby lacks are detected, tokens do not repeat, and the log continues",
            .timeLimit(.minutes(10))
        )
        func loss() throws {
            let pair = try makePair()
            let log = log(pair, .primary)
            let connection = try log.connect()
            try connection.append(entries("a", 1...5))
            let kept = try connection.status().end
            let administrator = try Administrator(pair.primary.connectionString)
            try administrator.wait(
                for: "t",
                from: "SELECT replay_lsn >= pg_current_wal_insert_lsn() FROM pg_stat_replication"
            )
            // The standby no longer reaches the primary.
            let standby = try Administrator(pair.standby.connectionString)
            try standby.run("ALTER SYSTEM SET primary_conninfo = 'host=127.0.0.1 port=1'")
            try standby.run("SELECT pg_reload_conf()")
            try administrator.wait(for: "0", from: "SELECT count(*) FROM pg_stat_replication")
            try connection.append(entries("a", 6...8))
            let seen = try connection.status().end
            let lease = try connection.claim(LeaseClaim(name: "effects", holder: "a", for: .seconds(600)))
            pair.primary.kill()
            try standby.run("SELECT pg_promote()")

            let later = try log.connect()
            #expect(try later.status().end == kept)
            #expect(try later.lastNumber(of: "a") == 5)
            for place in [AppendCondition.Place.end(seen), .contains(seen)] {
                let error = failure { try later.append(entries("a", 9...9), if: AppendCondition(place)) }
                #expect(error?.code == .lostEntries)
                #expect(error?.position == 8)
            }
            let other = try later.claim(LeaseClaim(name: "effects", holder: "b", for: .seconds(600)))
            #expect(other.token != lease.token)
            // The server's timeline is a part of a token: tokens of another one differ, whatever clocks say.
            #expect(lease.token >> 12 & 0xFF == 1)
            #expect(other.token >> 12 & 0xFF == 2)
            #expect(
                failure { try later.append(entries("a", 6...6), if: AppendCondition(.end(kept), lease: lease)) }?.code
                    == .fenced
            )
            #expect(try later.append(entries("a", 6...6), if: AppendCondition(.end(kept), lease: other)) == 6)
            #expect(try later.readAll() == entries("a", 1...6))
        }

        @Test(
            "A group whose wait for the standby was cancelled is not acknowledged, also when it is appended again",
            .timeLimit(.minutes(10))
        )
        func cancelledWait() throws {
            let pair = try makePair()
            let logs = ["first", "second"].map { log(pair, .standby, stream: $0, statementTimeout: .seconds(2)) }
            let connections = try logs.map { try $0.connect() }
            for connection in connections { try connection.append(entries("a", 1...1)) }
            let others = try logs.map { try $0.connect() }
            let standby = try Administrator(pair.standby.connectionString)
            let rows = try standby.run("SELECT pid FROM pg_stat_wal_receiver")
            let receiver = try #require(rows.first?.first?.flatMap { pid_t($0) })
            Foundation.kill(receiver, SIGSTOP)
            defer { Foundation.kill(receiver, SIGCONT) }
            let administrator = try Administrator(
                pair.primary.connectionString + " options='-csynchronous_commit=local'"
            )
            let waits = "FROM pg_stat_activity WHERE application_name = 'log' AND wait_event = 'SyncRep'"
            for connection in connections {
                let cancelling = BackgroundWork { [string = pair.primary.connectionString] in
                    let administrator = try Administrator(string + " options='-csynchronous_commit=local'")
                    try administrator.wait(for: "1", from: "SELECT count(*) \(waits)")
                    try administrator.run("SELECT pg_cancel_backend(pid) \(waits)")
                }
                let error = failure { try connection.append(entries("b", 1...1)) }
                try cancelling.value()
                #expect(error?.code == .disconnected)
                #expect(error?.reason.contains("standby") == true, "\(error as Any)")
                #expect(failure { _ = try connection.status() }?.code == .disconnected)
            }
            // The primary has the groups. The standby does not, so it is not informed that they exist either.
            #expect(failure { try others[0].append(entries("b", 1...1)) }?.code == .disconnected)
            #expect(failure { _ = try logs[1].connect() }?.code == .disconnected)

            Foundation.kill(receiver, SIGCONT)
            try administrator.wait(for: "0", from: "SELECT count(*) \(waits)")
            for log in logs {
                let later = try log.connect()
                #expect(failure { try later.append(entries("b", 1...1)) }?.code == .unexpectedNumber)
                #expect(try later.readAll() == entries("a", 1...1) + entries("b", 1...1))
            }
        }

        @Test("Other warnings of the server do not count as those of a standby that was not awaited")
        func otherWarnings() throws {
            let pair = try makePair()
            let connection = try log(pair, .standby).connect()
            try Administrator(pair.primary.connectionString).run(
                """
                CREATE FUNCTION public.warn() RETURNS trigger LANGUAGE plpgsql AS
                    'BEGIN RAISE WARNING ''audited''; RETURN NEW; END';
                CREATE TRIGGER warn BEFORE INSERT ON actor_store.entries
                    FOR EACH ROW EXECUTE FUNCTION public.warn()
                """
            )
            for number in UInt64(1)...3 {
                #expect(try connection.append(entries("a", number...number)) == number)
            }
        }

        @Test("A connection that awaits standbys is usable after a call that failed", .timeLimit(.minutes(10)))
        func failedCall() throws {
            let pair = try makePair()
            let connection = try log(pair, .standby, statementTimeout: .seconds(2)).connect()
            let administrator = try Administrator(pair.primary.connectionString)
            for number in UInt64(1)...3 {
                try administrator.run("BEGIN; SELECT FROM actor_store.streams FOR UPDATE")
                #expect(failure { try connection.append(entries("a", number...number)) }?.code == .busy)
                try administrator.run("ROLLBACK")
                #expect(try connection.append(entries("a", number...number)) == number)
                #expect(try connection.status().end.position == number)
            }
        }

        @Test("Appending ends when an administrator turns the waiting for standbys off", .timeLimit(.minutes(10)))
        func waitingTurnedOff() throws {
            let pair = try makePair()
            let connection = try log(pair, .standby).connect()
            let administrator = try Administrator(pair.primary.connectionString)
            try administrator.run("ALTER SYSTEM RESET synchronous_standby_names")
            try administrator.run("SELECT pg_reload_conf()")
            try administrator.wait(for: "", from: "SHOW synchronous_standby_names")
            var number: UInt64 = 0
            let refusal = failure {
                while number < 20_000 {
                    number += 1
                    try connection.append(entries("a", number...number))
                }
            }
            // An append that was already waiting may have been acknowledged by the primary alone. Then the next one is
            // refused, after a new connection.
            if refusal?.code == .disconnected {
                #expect(failure { _ = try log(pair, .standby).connect() }?.code == .unsafe)
            } else {
                #expect(refusal?.code == .unsafe)
            }
        }

        @Test(
            "A group is not acknowledged when an administrator turns the waiting off while it waits",
            .timeLimit(.minutes(10))
        )
        func waitingTurnedOffMeanwhile() throws {
            let pair = try makePair()
            let log = log(pair, .standby)
            let connection = try log.connect()
            try connection.append(entries("a", 1...1))
            let standby = try Administrator(pair.standby.connectionString)
            let rows = try standby.run("SELECT pid FROM pg_stat_wal_receiver")
            let receiver = try #require(rows.first?.first?.flatMap { pid_t($0) })
            Foundation.kill(receiver, SIGSTOP)
            defer { Foundation.kill(receiver, SIGCONT) }
            let turningOff = BackgroundWork { [string = pair.primary.connectionString] in
                let administrator = try Administrator(string + " options='-csynchronous_commit=local'")
                let waits = "FROM pg_stat_activity WHERE application_name = 'log' AND wait_event = 'SyncRep'"
                try administrator.wait(for: "1", from: "SELECT count(*) \(waits)")
                try administrator.run("ALTER SYSTEM RESET synchronous_standby_names")
                try administrator.run("SELECT pg_reload_conf()")
            }
            let error = failure { try connection.append(entries("a", 2...2)) }
            try turningOff.value()
            #expect(error?.code == .disconnected)
            #expect(failure { try connection.append(entries("a", 2...2)) }?.code == .unsafe)
            #expect(failure { _ = try log.connect() }?.code == .unsafe)
            #expect(try standby.run("SELECT count(*) FROM actor_store.entries") == [["1"]])

            // The group is acknowledged once the standby has it.
            let administrator = try Administrator(pair.primary.connectionString)
            Foundation.kill(receiver, SIGCONT)
            try administrator.run("ALTER SYSTEM SET synchronous_standby_names = 'standby'")
            try administrator.run("SELECT pg_reload_conf()")
            try administrator.wait(for: "sync", from: "SELECT sync_state FROM pg_stat_replication")
            #expect(failure { try log.connect().append(entries("a", 2...2)) }?.code == .unexpectedNumber)
            try standby.wait(for: "2", from: "SELECT count(*) FROM actor_store.entries")
        }
    }
#endif
