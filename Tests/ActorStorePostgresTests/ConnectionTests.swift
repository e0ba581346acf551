#if Postgres
    import ActionLogConformance
    import ActorStorePersistence
    import Foundation
    import Testing

    @testable import ActorStorePostgres

    @Suite("Logs in PostgreSQL: connections", .mayWait)
    struct ConnectionTests {
        private let process: PostgresProcess
        private let stream = "stream \(UUID())"
        /// Names the connections of this test among those of the server.
        private let name = "test-\(UUID())"

        init() throws { process = try PostgresProcess.shared.get() }

        private func log(statementTimeout: Duration = .seconds(30)) -> PostgresLog {
            let string = process.connectionString + " application_name=\(name)"
            return PostgresLog(
                PostgresServer(string, statementTimeout: statementTimeout, allowsLoss: true),
                stream: stream
            )
        }

        /// The server's process for the connection of this test.
        private func backend() throws -> pid_t {
            let rows = try Administrator(process.connectionString).run(
                "SELECT pid FROM pg_stat_activity WHERE application_name = '\(name)'"
            )
            return try #require(rows.first?.first?.flatMap { pid_t($0) })
        }

        @Test(
            "A call to a hanging server ends when it is interrupted, and so do later ones",
            .timeLimit(.minutes(10))
        )
        func interruption() throws {
            let connection = try log(statementTimeout: .seconds(600)).connect()
            let (interruption, backend) = (connection.interruption, try backend())
            Foundation.kill(backend, SIGSTOP)
            defer { Foundation.kill(backend, SIGCONT) }
            let interrupting = BackgroundWork {
                usleep(100_000)
                interruption.interrupt()
                interruption.interrupt()
            }
            #expect(failure { _ = try connection.status() }?.code == .closed)
            try interrupting.value()
            #expect(failure { try connection.append(entries("a", 1...1)) }?.code == .closed)
            #expect(failure { try connection.wait(after: 0, for: .seconds(600)) }?.code == .closed)
        }

        @Test("An interruption outlasts its connection, and ends no other one", .timeLimit(.minutes(10)))
        func lateInterruption() throws {
            let log = log()
            var interruptions: [ActionLogInterruption] = []
            for _ in 0..<20 { interruptions.append(try log.connect().interruption) }
            let connection = try log.connect()
            for interruption in interruptions { interruption.interrupt() }
            try connection.append(entries("a", 1...1))
        }

        @Test("A server that hangs in a call or a wait counts as disconnected", .timeLimit(.minutes(10)))
        func hangingServer() throws {
            for isWaiting in [false, true] {
                let connection = try log(statementTimeout: .milliseconds(200)).connect()
                try connection.wait(after: 0, for: .zero)
                let backend = try backend()
                Foundation.kill(backend, SIGSTOP)
                defer { Foundation.kill(backend, SIGKILL) }
                let error = failure {
                    if isWaiting {
                        try connection.wait(after: 0, for: .seconds(600))
                    } else {
                        _ = try connection.status()
                    }
                }
                #expect(error?.code == .disconnected)
                Foundation.kill(backend, SIGCONT)
                #expect(failure { _ = try connection.status() }?.code == .disconnected)
                try Administrator(process.connectionString).wait(
                    for: "0",
                    from: "SELECT count(*) FROM pg_stat_activity WHERE application_name = '\(name)'"
                )
            }
        }

        @Test("A log locked by another program is busy, and works again afterwards", .timeLimit(.minutes(10)))
        func busy() throws {
            let connection = try log(statementTimeout: .milliseconds(300)).connect()
            let administrator = try Administrator(process.connectionString)
            try administrator.run("BEGIN; SELECT * FROM actor_store.streams WHERE name = '\(stream)' FOR UPDATE")
            let error = failure { try connection.append(entries("a", 1...1)) }
            #expect(error?.code == .busy)
            #expect(error?.isTransient == true)
            try administrator.run("ROLLBACK")
            #expect(try connection.append(entries("a", 1...1)) == 1)
        }

        @Test("A snapshot whose last call still waits for its commit keeps its parts", arguments: [true, false])
        func unfinishedFinish(isOne: Bool) throws {
            let connection = try log(statementTimeout: .milliseconds(300)).connect()
            try connection.append(entries("a", 1...3))
            let snapshot = ActionLogSnapshot(at: try connection.status().end, header: "", parts: 2)
            for number in 0..<2 { try connection.write(Data("part".utf8), number, of: snapshot) }
            let (identity, administrator) = (
                try connection.status().identity, try Administrator(process.connectionString)
            )
            let finish = "SELECT actor_store.finish('\(identity)', '\(snapshot.id)', 3, 'a', 3, '', 2)"
            try administrator.run("BEGIN; \(finish)")
            func discard() throws {
                if isOne { try connection.discard(snapshot) } else { while try connection.discardUnfinished() {} }
            }
            #expect(failure { try discard() }?.code == .busy)
            try administrator.run("COMMIT")
            try discard()
            #expect(try connection.snapshots() == [snapshot])
            for number in 0..<2 { #expect(try connection.part(number, of: snapshot) == Data("part".utf8)) }
        }

        @Test("A server without room for a further connection is busy")
        func connectionLimit() throws {
            try Administrator(process.connectionString).run("CREATE ROLE crowded LOGIN CONNECTION LIMIT 0")
            let string = "host=127.0.0.1 port=\(process.port) user=crowded dbname=postgres"
            let error = failure {
                _ = try PostgresLog(PostgresServer(string, allowsLoss: true), stream: stream).connect()
            }
            #expect(error?.code == .busy)
            #expect(error?.isTransient == true)
        }

        @Test("A host without room for a further connection is passed over", .timeLimit(.minutes(10)))
        func crowdedHost() throws {
            let other = try PostgresProcess()
            let name = "user_\(UInt32.random(in: 0 ... .max))"
            try Administrator(process.connectionString).run("CREATE ROLE \(name) LOGIN CONNECTION LIMIT 0")
            func connect(_ ports: [Int]) throws {
                let string = "host=127.0.0.1,127.0.0.1 port=\(ports[0]),\(ports[1]) user=\(name) dbname=postgres"
                try PostgresLog(PostgresServer(string, allowsLoss: true), stream: stream).connect().append(
                    entries("a", 1...1)
                )
            }
            #expect(failure { try connect([process.port, process.port]) }?.isTransient == true)
            // A host that refuses the user is an error of the configuration.
            #expect(failure { try connect([other.port, process.port]) }?.code == .refused)
            try Administrator(other.connectionString).run("CREATE ROLE \(name) LOGIN SUPERUSER")
            try connect([process.port, other.port])
        }

        @Test("A connection ended by the server is disconnected", .timeLimit(.minutes(10)))
        func terminated() throws {
            let connection = try log().connect()
            try Administrator(process.connectionString).run("SELECT pg_terminate_backend(\(try backend()))")
            let error = failure { while true { _ = try connection.status() } }
            #expect(error?.code == .disconnected)
            #expect(failure { _ = try connection.status() }?.code == .disconnected)

            // In the middle of a call.
            let administrator = try Administrator(process.connectionString)
            try administrator.run("BEGIN; SELECT * FROM actor_store.streams WHERE name = '\(stream)' FOR UPDATE")
            let terminating = BackgroundWork { [process, name] in
                let other = try Administrator(process.connectionString)
                let waiting = "FROM pg_stat_activity WHERE application_name = '\(name)' AND wait_event_type = 'Lock'"
                try other.wait(for: "1", from: "SELECT count(*) \(waiting)")
                try other.run("SELECT pg_terminate_backend(pid) \(waiting)")
            }
            let next = try log().connect()
            let ended = failure { try next.append(entries("a", 1...1)) }
            try terminating.value()
            #expect(ended?.code == .disconnected, "\(ended as Any)")
            #expect(failure { _ = try next.status() }?.code == .disconnected)
        }

        @Test(
            "A waiting connection is notified of each group, and does not depend on the periodic check",
            .timeLimit(.minutes(10))
        )
        func notifications() throws {
            // Two connections append in turn, each as soon as it sees the other one's entry. The check comes only once
            // a second, so 60 turns by it would take a minute.
            let log = log()
            let start = ContinuousClock.now
            let players = ["a", "b"].enumerated().map { index, origin in
                BackgroundWork {
                    let connection = try log.connect()
                    for number in UInt64(1)...30 {
                        let seen = 2 * (number - 1) + UInt64(index)
                        while try connection.status().end.position < seen {
                            try connection.wait(after: seen - 1, for: .seconds(600))
                        }
                        try connection.append(entries(origin, number...number))
                    }
                }
            }
            for player in players { try player.value() }
            #expect(ContinuousClock.now - start < .seconds(25))
        }

        @Test("A waiting connection continues after a lost notification", .timeLimit(.minutes(10)))
        func lostNotification() throws {
            let log = log()
            let connection = try log.connect()
            let identity = try connection.status().identity
            let work = BackgroundWork { [process] in
                usleep(50_000)
                // The action of another connection, without its later ones.
                try Administrator(process.connectionString).run(
                    """
                    SELECT actor_store.append(
                        '\(identity)', 'a', 1, true, ARRAY[''], ARRAY[''::bytea],
                        false, 0, NULL, NULL, NULL, NULL, false
                    )
                    """
                )
            }
            try connection.wait(after: 0, for: .seconds(600))
            try work.value()
            #expect(try connection.status().end.position == 1)
        }

        @Test("Descriptors of connections are closed in started programs", .timeLimit(.minutes(10)))
        func closedOnExec() throws {
            let connection = try log().connect()
            var sockets: Set<Substring> = []
            for descriptor in Int32(0)..<1_024 where isConnectedToServer(descriptor) {
                #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
                let path = "/proc/self/fd/\(descriptor)"
                sockets.insert(try FileManager.default.destinationOfSymbolicLink(atPath: path)[...])
            }
            #expect(!sockets.isEmpty)
            // Those of other tests may have been opened at this moment.
            #expect(try inheritedSockets().isDisjoint(with: sockets))
            _ = try connection.status()
        }

        /// The sockets that a program has when it starts.
        private func inheritedSockets() throws -> Set<Substring> {
            let listing = try ChildProcess.run(["ls", "-l", "/proc/self/fd"])
            return Set(listing.split(whereSeparator: \.isWhitespace).filter { $0.hasPrefix("socket:") })
        }

        private func isConnectedToServer(_ descriptor: Int32) -> Bool {
            var address = sockaddr_in()
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let result = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &size) }
            }
            return result == 0 && address.sin_family == sa_family_t(AF_INET)
                && UInt16(bigEndian: address.sin_port) == UInt16(process.port)
        }

        @Test("A database of any name is reached by a URI", .timeLimit(.minutes(10)))
        func databaseNames() throws {
            let name = "my shop+ü \(UUID())"
            try Administrator(process.connectionString).run("CREATE DATABASE \"\(name)\"")
            let escaped = try #require(name.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
            let address =
                "postgresql://postgres@127.0.0.1:\(process.port)/\(escaped)?sslmode=disable&gssencmode=disable"
            let log = PostgresLog(PostgresServer(address, allowsLoss: true), stream: stream)
            try log.connect().append(entries("a", 1...1))
            #expect(log.name == "\(stream) at PostgreSQL")
        }

        @Test("Limits of time that no clock counts to are as good as none", .timeLimit(.minutes(10)))
        func endlessLimits() throws {
            var server = process.server(allowsLoss: true)
            server.connectionTimeout = .seconds(Int64.max)
            server.statementTimeout = .seconds(Int64.max)
            let connection = try PostgresLog(server, stream: stream).connect()
            try connection.append(entries("a", 1...1))
            try connection.wait(after: 0, for: .seconds(Int64.max))
            #expect(try connection.readAll() == entries("a", 1...1))
        }

        @Test("Negative limits of time end every call", .timeLimit(.minutes(10)))
        func negativeLimits() {
            for limit in [Duration.seconds(-10), .seconds(Int64.min)] {
                var server = process.server(statementTimeout: limit, allowsLoss: true)
                #expect(failure { _ = try PostgresLog(server, stream: stream).connect() }?.isTransient == true)
                server.statementTimeout = .seconds(30)
                server.connectionTimeout = limit
                #expect(failure { _ = try PostgresLog(server, stream: stream).connect() }?.isTransient == true)
            }
        }

        @Test("A notification that fails does not concern the next call", .timeLimit(.minutes(10)))
        func failedNotification() throws {
            // It fails when it is executed, at the end of its transaction, or when it is prepared.
            let definitions = [
                "CREATE FUNCTION pg_notify(text, text) RETURNS void LANGUAGE plpgsql AS 'BEGIN RAISE ''full''; END'",
                """
                CREATE TABLE public.sent (number int UNIQUE DEFERRABLE INITIALLY DEFERRED);
                INSERT INTO public.sent VALUES (1);
                CREATE FUNCTION pg_notify(text, text) RETURNS void LANGUAGE sql AS 'INSERT INTO public.sent VALUES (1)'
                """,
                "",
            ]
            for definition in definitions {
                let database = "database_\(UInt32.random(in: 0 ... .max))"
                try Administrator(process.connectionString).run("CREATE DATABASE \(database)")
                let string = process.connectionString.replacingOccurrences(
                    of: "dbname=postgres",
                    with: "dbname=\(database)"
                )
                try Administrator(string).run(
                    """
                    SET allow_system_table_mods = on;
                    SET search_path = pg_catalog;
                    ALTER FUNCTION pg_notify(text, text) RENAME TO former_notify;
                    \(definition)
                    """
                )
                let connection = try PostgresLog(PostgresServer(string, allowsLoss: true), stream: stream).connect()
                for number in UInt64(1)...5 {
                    #expect(try connection.append(entries("a", number...number)) == 2 * number - 1)
                    #expect(try connection.append(entries("b", number...number)) == 2 * number)
                    #expect(try connection.status().end.position == 2 * number)
                }
            }
        }

        @Test(
            "A server that does not answer is abandoned after a timeout, and the next host is used",
            .timeLimit(.minutes(10))
        )
        func severalHosts() throws {
            let (silent, port) = Self.silentServer()
            defer { close(silent) }
            func connect(_ hosts: String, _ ports: String) throws {
                let server = PostgresServer(
                    "host=\(hosts) port=\(ports) user=postgres dbname=postgres sslmode=disable gssencmode=disable",
                    connectionTimeout: .milliseconds(300),
                    allowsLoss: true
                )
                try PostgresLog(server, stream: stream).connect().append(entries("a", 1...1))
            }
            #expect(failure { try connect("127.0.0.1", "\(port)") }?.code == .disconnected)
            #expect(failure { try connect("127.0.0.1,127.0.0.1", "\(port),1") }?.code == .disconnected)
            #expect(failure { try connect("127.0.0.1,127.0.0.1", "\(port),1,2") }?.isTransient == true)
            try connect("127.0.0.1,127.0.0.1,127.0.0.1", "1,\(port),\(process.port)")
        }

        @Test("The hosts of environment variables are separate endpoints, too", .timeLimit(.minutes(10)))
        func hostsOfTheEnvironment() async {
            // The environment belongs to the whole process.
            await #expect(processExitsWith: .success) {
                setenv("PGHOST", "first,second", 1)
                setenv("PGPORT", "1,2", 1)
                let options = try #require(ConnectionOptions("user=postgres dbname=postgres"))
                #expect(options.endpoints.map { $0["host"] } == ["first", "second"])
                #expect(options.endpoints.map { $0["port"] } == ["1", "2"])
            }
        }

        @Test("An address that does not answer leaves time for the other ones of its name", .timeLimit(.minutes(10)))
        func severalAddresses() throws {
            let (silent, _) = Self.silentServer(at: "127.0.0.2", port: UInt16(process.port))
            defer { close(silent) }
            let options = try #require(
                ConnectionOptions(
                    "host=db.example port=\(process.port) user=postgres dbname=postgres sslmode=disable "
                        + "gssencmode=disable"
                )
            )
            func connect(to addresses: [String]) throws(PostgresFailure) {
                let timeout = addresses.count > 1 ? Duration.seconds(2) : .milliseconds(300)
                let client = try PostgresClient(
                    options,
                    timeout: timeout,
                    statementTimeout: .seconds(30),
                    isStandbyAwaited: false
                ) { host in
                    #expect(host == "db.example")
                    return addresses
                }
                #expect(client.serverVersion > 0)
            }
            #expect(throws: PostgresFailure.self) { try connect(to: ["127.0.0.2"]) }
            try connect(to: ["127.0.0.2", "127.0.0.1"])
            #expect(ConnectionOptions.lookUp("127.0.0.1") == ["127.0.0.1"])
            #expect(ConnectionOptions.lookUp("localhost").contains("127.0.0.1"))
        }

        @Test(
            "Sockets, services and addresses are not looked up as names",
            arguments: [
                "host=/run/postgresql", "host=@socket", "dbname=shop", "host=db hostaddr=10.0.0.7",
                "host=db service=shop",
            ]
        )
        func noNames(string: String) throws {
            let options = try #require(ConnectionOptions(string))
            let endpoint = try #require(options.endpoints.first)
            #expect(options.addresses(of: endpoint) { _ in ["10.0.0.1"] } == [endpoint])
        }

        @Test("A server whose transactions are read-only is passed over, and a user with such ones is refused")
        func readOnlyHosts() throws {
            let other = try PostgresProcess()
            let administrator = try Administrator(other.connectionString)
            let user = "user_\(UInt32.random(in: 0 ... .max))"
            try administrator.run("CREATE ROLE \(user) LOGIN SUPERUSER")
            let ports = "port=\(other.port),\(process.port)"
            func connect(_ options: String, user: String = "postgres") throws {
                let string = "host=127.0.0.1,127.0.0.1 \(options) user=\(user) dbname=postgres"
                try PostgresLog(PostgresServer(string, allowsLoss: true), stream: "\(UUID())").connect().append(
                    entries("a", 1...1)
                )
            }
            let name = "default_transaction_read_only"
            for setting in [
                ("ALTER SYSTEM SET \(name) = on", "ALTER SYSTEM RESET \(name)"),
                ("ALTER DATABASE postgres SET \(name) = on", "ALTER DATABASE postgres RESET \(name)"),
            ] {
                try administrator.run("SET \(name) = off")
                try administrator.run(setting.0)
                try administrator.run("SELECT pg_reload_conf()")
                try Administrator(other.connectionString).wait(for: "on", from: "SHOW \(name)")
                let error = failure { try connect("port=\(other.port),\(other.port)") }
                #expect(error?.code == .disconnected)
                #expect(error?.reason.contains(name) == true)
                try connect(ports)
                try administrator.run(setting.1)
                try administrator.run("SELECT pg_reload_conf()")
                try Administrator(other.connectionString + " options=''").wait(for: "off", from: "SHOW \(name)")
            }
            try administrator.run("ALTER ROLE \(user) SET \(name) = on")
            let error = failure { try connect(ports, user: user) }
            #expect(error?.code == .refused)
            #expect(error?.reason.contains(name) == true)
            try connect(ports + " options='-c\(name)=off'", user: user)
            #expect(failure { try connect(ports + " options='-c\(name)=on'") }?.code == .refused)
        }

        @Test("A host behind one that admits the user, and then answers no command, is used", .timeLimit(.minutes(10)))
        func hostBehindSilentOne() throws {
            let silent = AdmittingServer()
            let options = try #require(
                ConnectionOptions(
                    "host=127.0.0.1,127.0.0.1 port=\(silent.port),\(process.port) user=postgres dbname=postgres "
                        + "sslmode=disable gssencmode=disable"
                )
            )
            let client = try PostgresClient(
                options,
                timeout: .seconds(60),
                statementTimeout: .milliseconds(200),
                isStandbyAwaited: false
            )
            // Their answers would be taken for those that the first server owes.
            let answer = try client.perform((1...3).map { PostgresCommand(text: "SELECT \($0)::int8") })
            #expect(try answer.signedNumber(0, 0) == 3)
        }

        @Test("A server without room for a further connection is busy at all addresses of its name")
        func crowdedName() throws {
            let name = "user_\(UInt32.random(in: 0 ... .max))"
            try Administrator(process.connectionString).run("CREATE ROLE \(name) LOGIN CONNECTION LIMIT 0")
            let options = try #require(
                ConnectionOptions("host=db.example port=\(process.port) user=\(name) dbname=postgres")
            )
            func code(_ addresses: [String]) -> ActionLogError.Code? {
                do throws(PostgresFailure) {
                    _ = try PostgresClient(
                        options,
                        timeout: .seconds(60),
                        statementTimeout: .seconds(60),
                        isStandbyAwaited: false
                    ) { _ in addresses }
                    return nil
                } catch { return error.error(in: "").code }
            }
            #expect(code(["127.0.0.1", "127.0.0.1"]) == .busy)
            // The server listens only at the first one.
            #expect(code(["127.0.0.1", "127.0.0.3"]) == .disconnected)
        }

        @Test("A read-only one of the hosts of a service is passed over", .timeLimit(.minutes(10)))
        func readOnlyHostOfService() async {
            await #expect(processExitsWith: .success) {
                let (first, second) = (try PostgresProcess(), try PostgresProcess())
                let name = "default_transaction_read_only"
                let administrator = try Administrator(first.connectionString)
                try administrator.run("ALTER SYSTEM SET \(name) = on")
                try administrator.run("SELECT pg_reload_conf()")
                try Administrator(first.connectionString).wait(for: "on", from: "SHOW \(name)")
                let file = first.folder + "/services"
                try """
                [shop]
                host=127.0.0.1,127.0.0.1
                port=\(first.port),\(second.port)
                dbname=postgres
                """
                .write(toFile: file, atomically: true, encoding: .utf8)
                setenv("PGSERVICEFILE", file, 1)
                let log = PostgresLog(PostgresServer("service=shop user=postgres"), stream: "stock")
                try log.connect().append(entries("a", 1...1))
                let other = PostgresLog(PostgresServer("service=other user=postgres"), stream: "stock")
                #expect(failure { _ = try other.connect() }?.reason.contains("other") == true)
            }
        }

        @Test("A server without free file descriptors, or without numbers for transactions, is busy")
        func fullServer() {
            func code(_ state: String, source: String?) -> ActionLogError.Code {
                PostgresFailure(state: state, "", source: source).error(in: "").code
            }
            #expect(code("53000", source: "fd.c") == .busy)
            #expect(code("54000", source: "varsup.c") == .busy)
            #expect(code("54000", source: "multixact.c") == .busy)
            #expect(code("54000", source: "nbtutils.c") == .tooLarge)
            #expect(code("54000", source: nil) == .tooLarge)
        }

        /// A server that accepts connections, and sends nothing.
        static func silentServer(
            at host: String = "127.0.0.1",
            port: UInt16 = 0
        ) -> (descriptor: Int32, port: UInt16) {
            let silent = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = inet_addr(host)
            address.sin_port = port.bigEndian
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    _ = bind(silent, $0, size)
                    _ = listen(silent, 5)
                    _ = getsockname(silent, $0, &size)
                }
            }
            return (silent, UInt16(bigEndian: address.sin_port))
        }
    }

    /// A server that admits every user, and then answers no command.
    private final class AdmittingServer: Sendable {
        let port: UInt16
        private let descriptor: Int32

        init() {
            (descriptor, port) = ConnectionTests.silentServer()
            Thread { [descriptor] in
                while case let client = acceptConnection(at: descriptor), client >= 0 { Self.serve(client) }
            }
            .start()
        }

        deinit {
            shutdown(descriptor, Int32(SHUT_RDWR))
            close(descriptor)
        }

        private static func serve(_ client: Int32) {
            Thread {
                var bytes = [UInt8](repeating: 0, count: 4_096)
                _ = read(client, &bytes, bytes.count)
                let welcome =
                    message("R", [0, 0, 0, 0]) + message("S", Array("server_version\0".utf8) + Array("15.0\0".utf8))
                    + message("S", Array("in_hot_standby\0".utf8) + Array("off\0".utf8)) + message("Z", Array("I".utf8))
                _ = write(client, welcome, welcome.count)
                while read(client, &bytes, bytes.count) > 0 {}
                close(client)
            }
            .start()
        }

        /// A message of the protocol: its kind, the size of the rest, and its contents.
        private static func message(_ kind: Unicode.Scalar, _ contents: [UInt8]) -> [UInt8] {
            [UInt8(ascii: kind), 0, 0, 0, UInt8(contents.count + 4)] + contents
        }
    }
#endif
