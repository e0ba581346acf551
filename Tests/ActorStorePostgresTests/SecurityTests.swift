#if Postgres
    import ActionLogConformance
    import ActorStorePersistence
    import ActorStorePostgres
    import Foundation
    import Testing

    @Suite("Logs in PostgreSQL: access", .mayWait)
    struct SecurityTests {
        private static let password = "hunter2"

        /// A server that admits the user shop only by TLS and with a password.
        private func makeServer() throws -> PostgresProcess {
            let process = try PostgresProcess(
                ["ssl": "on", "ssl_cert_file": "server.pem", "ssl_key_file": "server.key"],
                access: "hostssl all shop 127.0.0.1/32 scram-sha-256\nhost all shop all reject"
            ) { process in
                for name in ["server", "other"] {
                    try PostgresProcess.run(
                        "openssl",
                        "req",
                        "-x509",
                        "-newkey",
                        "rsa:2048",
                        "-nodes",
                        "-days",
                        "3",
                        "-subj",
                        "/CN=localhost",
                        "-addext",
                        "subjectAltName=DNS:localhost",
                        "-keyout",
                        "\(process.data)/\(name).key",
                        "-out",
                        "\(process.data)/\(name).pem"
                    )
                }
            }
            try Administrator(process.connectionString).run(
                """
                SET password_encryption = 'scram-sha-256';
                CREATE ROLE shop LOGIN PASSWORD '\(Self.password)';
                GRANT CREATE ON DATABASE postgres TO shop
                """
            )
            return process
        }

        private func connectionString(_ process: PostgresProcess, password: String, root: String = "server") -> String {
            "host=localhost hostaddr=127.0.0.1 port=\(process.port) dbname=postgres user=shop password=\(password) "
                + "sslmode=verify-full sslrootcert=\(process.data)/\(root).pem application_name=secure"
        }

        @Test("A log is used over TLS with a password, and mismatches are refused without revealing it")
        func encryption() throws {
            let process = try makeServer()
            let string = connectionString(process, password: Self.password)
            let log = PostgresLog(PostgresServer(string), stream: "stock")
            let connection = try log.connect()
            try connection.append(entries("a", 1...3))
            #expect(try connection.readAll() == entries("a", 1...3))
            let rows = try Administrator(process.connectionString).run(
                """
                SELECT s.ssl, a.usename FROM pg_stat_ssl s JOIN pg_stat_activity a USING (pid)
                WHERE a.application_name = 'secure'
                """
            )
            #expect(rows == [["t", "shop"]])

            for refused in [
                connectionString(process, password: "wrong\(Self.password)"),
                connectionString(process, password: Self.password, root: "other"),
                string.replacingOccurrences(of: "host=localhost", with: "host=elsewhere"),
                string + " sslmode=disable",
                string + " dbname=nowhere",
            ] {
                let error = failure { _ = try PostgresLog(PostgresServer(refused), stream: "stock").connect() }
                #expect(error?.code == .refused, "\(error as Any)")
                #expect("\(error as Any)".contains(Self.password) == false)
            }
            var text = ""
            dump(connection, to: &text)
            dump(log, to: &text)
            #expect(!text.contains(Self.password))
        }

        @Test("A process without free file descriptors can connect later", .timeLimit(.minutes(10)))
        func shortage() async {
            await #expect(processExitsWith: .success) {
                let tests = SecurityTests()
                let process = try tests.makeServer()
                let log = PostgresLog(
                    PostgresServer(tests.connectionString(process, password: SecurityTests.password)),
                    stream: "stock"
                )
                try log.connect().append(entries("a", 1...1))
                let errors = (0...8).map { count in
                    withFreeDescriptors(count) { failure { _ = try log.connect() } }
                }
                #expect(errors.first??.code == .disconnected)
                #expect(errors.allSatisfy { $0?.isTransient != false }, "\(errors)")
                #expect(errors.contains { $0 == nil })
            }
        }

        @Test("Large answers are read whatever the size of their encrypted pieces", .timeLimit(.minutes(10)))
        func encryptedPieces() throws {
            let process = try PostgresProcess()
            let log = process.log("stock")
            let all = (UInt64(1)...40).map { number in
                ActionLogEntry(
                    ActionLogEntry.Identity(origin: "a", number: number),
                    header: "",
                    payload: Data(repeating: UInt8(number), count: 5_000 + Int(number) * 37)
                )
            }
            try log.connect().append(all)
            let proxy = try EncryptingProxy(to: process.port, folder: process.folder)
            let server = PostgresServer(
                "host=127.0.0.1 port=\(proxy.port) user=postgres dbname=postgres sslmode=require",
                statementTimeout: .seconds(10)
            )
            let connection = try PostgresLog(server, stream: "stock").connect()
            for first in 0..<37 {
                for count in stride(from: 3, through: 39, by: 6) {
                    let group = all[first..<min(first + count, 40)]
                    let bytes = group.reduce(0) { $0 + $1.size }
                    #expect(try connection.read(after: UInt64(first), atMost: bytes) == Array(group))
                }
            }
        }

        @Test("Descriptions, mirrors and errors of servers show no password, in any notation")
        func secrets() {
            for string in [
                "host=db.example dbname=shop password=hunter2",
                "host=db.example dbname=shop sslpassword='hunter2'",
                "postgresql://shop:hunter2@db.example:5433/shop",
                // Special characters that should have been escaped.
                "postgresql://shop:/hunter2@db.example/shop",
                "postgresql://shop:12/hunter2@db.example/shop",
                "postgresql://shop:@hunter2@db.example/shop",
                "postgresql://shop:hunter2:@@db.example/shop",
                "host=db.example password = hunter2 secret",
                "hunter2",
            ] {
                let server = PostgresServer(string, connectionTimeout: .milliseconds(1))
                var text =
                    "\(server) \(String(reflecting: server)) \(Mirror(reflecting: server).children.map { "\($0)" })"
                dump(server, to: &text)
                let log = PostgresLog(server, stream: "stock")
                text += "\(log) \(log.name) \(String(reflecting: log))"
                dump(log, to: &text)
                if ["shop:/", "12/", "@hunter2", " secret"].contains(where: string.contains) || string == "hunter2" {
                    let error = failure { _ = try log.connect() }
                    #expect(error?.code == .refused)
                    text += "\(error as Any)"
                }
                #expect(!text.contains("hunter2"), "\(string): \(text)")
            }
            #expect("\(PostgresServer("postgresql://shop:hunter2@a,b:5433/shop"))" == "a,b:,5433/shop")
            #expect("\(PostgresServer("host=db.example dbname=shop"))" == "db.example/shop")
        }
    }
#endif
