#if Redis
    import ActionLogConformance
    import ActorStorePersistence
    import Foundation
    import Synchronization
    import Testing

    @testable import ActorStoreRedis

    @Suite("Secrets and sockets of connections to Redis", .mayWait)
    struct RedisSecretsTests {
        private static let secret = "hunter2"

        @Test("No description of a server or a log shows its password")
        func descriptions() {
            let server = RedisServer(.host("10.0.0.7"), user: "app", password: RedisPassword(Self.secret))
            let log = RedisLog(server, stream: "shop")
            let password = RedisPassword { Self.secret }
            var dumped = ""
            dump((server, log, password), to: &dumped)
            for text in [
                "\(server)", server.debugDescription, String(reflecting: server), "\(log)", String(reflecting: log),
                "\(password)", String(reflecting: password), "\(Optional(server) as Any)", log.name, dumped,
            ] {
                #expect(!text.contains(Self.secret))
            }
            #expect(dumped.contains("10.0.0.7"))
            #expect(log.name == "redis 10.0.0.7:6379, stream \"shop\"")
        }

        @Test("An ACL user with the documented rights is accepted, and errors do not show wrong passwords")
        func login() throws {
            let server = try RedisTestServer()
            try server.perform(
                "ACL",
                "SETUSER",
                "app",
                "on",
                ">\(Self.secret)",
                "~{shop}:*",
                "+@read",
                "+@write",
                "+@scripting",
                "+time",
                "+wait",
                "+info",
                "+config|get"
            )
            func log(_ user: String?, _ password: RedisPassword?, stream: String = "shop") -> RedisLog {
                var reached = server.server
                (reached.user, reached.password) = (user, password)
                return RedisLog(reached, stream: stream)
            }
            // The documented rights permit every command of the protocol.
            let connection = try log("app", RedisPassword(Self.secret)).connect()
            try connection.append(group("a", 1...3))
            let snapshot = ActionLogSnapshot(at: point(2, "a", 2), header: "", parts: 1)
            try connection.write(Data("state".utf8), 0, of: snapshot)
            #expect(try connection.finish(snapshot))
            #expect(try connection.part(0, of: snapshot) == Data("state".utf8))
            while try connection.trim(through: 2) {}
            try connection.release(try connection.claim(LeaseClaim(name: "x", holder: "a", for: .seconds(1))))
            try connection.report(ReplicaPresence(origin: "a", position: 1))
            #expect(try connection.presences(since: .seconds(60)).count == 1)
            try connection.wait(after: 2, for: .seconds(60))
            #expect(try connection.read(after: 2, atMost: 100).count == 1)
            let wrong = failure { _ = try log("app", "letmein9").connect() }
            #expect(wrong?.code == .refused)
            #expect(wrong.map { "\($0)" }?.contains("letmein9") == false)
            #expect(code { _ = try log("nobody", RedisPassword(Self.secret)).connect() } == .refused)
            #expect(code { _ = try log("app", RedisPassword(Self.secret), stream: "other").connect() } == .refused)
            // A server that requires a password, and gets none.
            try server.perform("CONFIG", "SET", "requirepass", Self.secret)
            #expect(code { _ = try log(nil, nil).connect() } == .refused)
            #expect(try log(nil, RedisPassword(Self.secret)).connect().status().end.position == 3)
        }

        @Test("Errors do not show a password that the server repeats in its response")
        func repeatedArguments() throws {
            let server = try RedisTestServer(RedisTestServer.durable + ["--rename-command", "AUTH", ""])
            var reached = server.server
            reached.password = RedisPassword(Self.secret)
            let failure = failure { _ = try RedisLog(reached, stream: "shop").connect() }
            #expect(failure?.code == .refused)
            #expect(failure.map { "\($0)" }?.contains(Self.secret) == false)
        }

        @Test("A password is fetched for each connection, so that it can be changed")
        func rotation() throws {
            let server = try RedisTestServer()
            let current = Password(Self.secret)
            var reached = server.server
            reached.password = RedisPassword { try current.fetch() }
            let log = RedisLog(reached, stream: "shop")
            try server.perform("CONFIG", "SET", "requirepass", Self.secret)
            try log.connect().append(group("a", 1...1))
            reached.password = RedisPassword(Self.secret)
            let admin = try RedisConnection(reached, for: "admin")
            try admin.perform(RedisCommand("CONFIG", "SET", "requirepass", "swordfish"))
            current.value.withLock { $0 = "swordfish" }
            try log.connect().append(group("a", 2...2))
            current.value.withLock { $0 = nil }
            let failure = failure { _ = try log.connect() }
            #expect(failure?.code == .disconnected)
            #expect(failure?.reason.contains("SecretError") == true)
            #expect(failure?.reason.contains("swordfish") == false)
        }

        private struct SecretError: Error {
            let token = "swordfish"
        }

        private final class Password: Sendable {
            let value: Mutex<String?>

            init(_ value: String) { self.value = Mutex(value) }

            func fetch() throws -> String {
                guard let password = value.withLock({ $0 }) else { throw SecretError() }
                return password
            }
        }

        @Test("Descriptors of a connection are closed on exec", arguments: [false, true])
        func closedOnExec(hasPort: Bool) throws {
            let server = try RedisTestServer(hasPort: hasPort)
            let connection = try RedisConnection(server.server, for: "test")
            for descriptor in [connection.descriptor, connection.interruption.descriptor] {
                #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC == FD_CLOEXEC)
            }
        }
    }
#endif
