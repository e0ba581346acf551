#if Redis
    import ActionLogConformance
    import ActorStorePersistence
    import Foundation
    import Testing

    @testable import ActorStoreRedis

    @Suite("Responses of other Redis versions", .mayWait)
    struct ScriptedServerTests {
        private func log(
            _ server: ScriptedServer,
            timeout: Duration = .seconds(20),
            _ acknowledgement: RedisAcknowledgement = .primary
        ) -> RedisLog {
            let reached = RedisServer(.socket(path: server.path), answerTimeout: timeout)
            return RedisLog(reached, stream: "shop", acknowledgement: acknowledgement)
        }

        @Test("A server before version 7 is refused, also if losses are allowed")
        func oldVersion() throws {
            let server = try ScriptedServer { ScriptedServer.beginning($0, version: "6.2.14", identity: UUID()) }
            for allowsLoss in [false, true] {
                let reached = RedisServer(.socket(path: server.path), allowsLoss: allowsLoss)
                let failure = failure { _ = try RedisLog(reached, stream: "shop").connect() }
                #expect(failure?.code == .unsafe)
                #expect(failure?.reason.contains("6.2.14") == true)
            }
        }

        @Test("Replicas of Redis 7.2 confirm groups on their disks")
        func confirmationOnDisk() throws {
            let identity = UUID()
            let server = try ScriptedServer { command in
                if let answer = ScriptedServer.beginning(command, version: "7.2.4", identity: identity) {
                    return answer
                }
                switch command.first {
                case "EVALSHA": return "*2\r\n$2\r\nok\r\n$1\r\n1\r\n"
                // One replica has it in memory, and none on its disk.
                case "WAITAOF": return "*2\r\n:1\r\n:\(command[2] == "2" ? 2 : 0)\r\n"
                default: return nil
                }
            }
            let two = try log(server, .replicas(2, within: .milliseconds(700))).connect()
            #expect(try two.append(group("a", 1...1)) == 1)
            #expect(server.commands.last == ["WAITAOF", "0", "2", "700"])
            let one = try log(server, .replicas(1, within: .zero)).connect()
            let failure = failure { try one.append(group("a", 1...1)) }
            #expect(failure?.code == .disconnected)
            #expect(failure?.reason.contains("appendonly yes") == true)
            // Zero would mean no timeout.
            #expect(server.commands.last == ["WAITAOF", "0", "1", "1"])
        }

        @Test("A waiting read reaches the server with the wait, and its response is read behind the wait's")
        func readBehindWait() throws {
            let identity = UUID()
            let read = "\(RedisScript.read.text.utf8.count)"
            let server = try ScriptedServer { command in
                if let answer = ScriptedServer.beginning(command, version: "7.0.15", identity: identity) {
                    return answer
                }
                switch command.first {
                // Nothing, until both have come: the server never answers a wait alone here.
                case "XREAD": return ""
                case "EVALSHA" where command[1] == read:
                    return "*-1\r\n*5\r\n$2\r\nok\r\n$1\r\na\r\n$1\r\n1\r\n$0\r\n\r\n$1\r\nx\r\n"
                default: return nil
                }
            }
            let connection = try log(server).connect()
            let entries = try connection.read(after: 7, atMost: 100, onceAfter: 8, within: .zero)
            #expect(entries.map(\.identity) == [ActionLogEntry.Identity(origin: "a", number: 1)])
            #expect(entries.map(\.payload) == [Data("x".utf8)])
            let commands = server.commands.suffix(2)
            #expect(commands.first?.last == "8-0" && commands.last?.suffix(2) == ["7", "100"])
        }

        @Test("A server that loads its data is busy")
        func loading() throws {
            let server = try ScriptedServer { _ in "-LOADING Redis is loading the dataset in memory\r\n" }
            #expect(code { _ = try log(server).connect() } == .busy)
        }

        @Test("A cluster node without the log is named in the error")
        func otherNode() throws {
            let server = try ScriptedServer { command in
                command[0] == "EVALSHA"
                    ? "-MOVED 3999 10.0.0.9:6381\r\n"
                    : ScriptedServer.beginning(command, version: "7.0.15", identity: UUID())
            }
            let failure = failure { _ = try log(server).connect() }
            #expect(failure?.code == .refused)
            #expect(failure?.reason.contains("10.0.0.9:6381") == true)
        }

        @Test(
            "Responses that cannot be parsed or are incomplete end the connection",
            arguments: ["HTTP/1.1 400 Bad Request\r\n", "*1000000000000\r\n", "$-5\r\n", "$5\r\nab"]
        )
        func otherProtocol(answer: String) throws {
            let server = try ScriptedServer { _ in answer }
            #expect(code { _ = try log(server, timeout: .milliseconds(200)).connect() } == .disconnected)
        }

        @Test(
            "Responses of unexpected types are errors",
            arguments: ["$-1\r\n", ":5\r\n", "*0\r\n", "*1\r\n:1\r\n", "*2\r\n$2\r\nok\r\n$-1\r\n", "+OK\r\n"]
        )
        func otherTypes(answer: String) throws {
            let identity = UUID()
            let server = try ScriptedServer { command in
                ScriptedServer.beginning(command, version: "7.0.15", identity: identity) ?? answer
            }
            let connection = try log(server).connect()
            #expect(code { _ = try connection.status() } == .damaged)
            #expect(code { _ = try connection.lastNumber(of: "a") } == .damaged)
            #expect(code { try connection.append(group("a", 1...1)) } == .damaged)
            #expect(code { _ = try connection.read(after: 0, atMost: 100) } == .damaged)
            #expect(code { _ = try connection.claim(LeaseClaim(name: "a", holder: "b", for: .zero)) } == .damaged)
            #expect(code { _ = try connection.presences(since: .zero) } == .damaged)
        }

        @Test("A server that closes the connection within a response is reported as disconnected")
        func closed() throws {
            let server = try ScriptedServer { $0[0] == "INFO" ? "$100\r\nredis_version" : nil }
            #expect(code { _ = try log(server, timeout: .milliseconds(200)).connect() } == .disconnected)
            let other = try ScriptedServer { _ in nil }
            #expect(code { _ = try log(other).connect() } == .disconnected)
        }
    }
#endif
