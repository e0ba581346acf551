#if Redis
    import ActionLogConformance
    import ActorStorePersistence
    import Foundation
    import Testing

    @testable import ActorStoreRedis

    @Suite("Connections to a Redis server", .mayWait)
    struct RedisConnectionTests {
        /// With short timeouts, for servers that do not respond.
        private func log(_ server: RedisTestServer, timeout: Duration = .milliseconds(300)) -> RedisLog {
            var reached = server.server
            (reached.answerTimeout, reached.connectTimeout) = (timeout, timeout)
            return RedisLog(reached, stream: "shop")
        }

        @Test("A server is reached by TCP, by IP address and by name")
        func network() throws {
            let server = try RedisTestServer(hasPort: true)
            let port = try #require(server.port)
            for (index, host) in ["127.0.0.1", "localhost"].enumerated() {
                let log = RedisLog(RedisServer(.host(host, port: port)), stream: "shop")
                #expect(
                    try log.connect().append(group("a", UInt64(index) + 1...UInt64(index) + 1)) == UInt64(index) + 1
                )
            }
        }

        @Test("A missing server is reported as disconnected, and a wrong address as refused")
        func unreachable() throws {
            let server = try RedisTestServer(hasPort: true)
            let address = server.server.address
            server.kill()
            #expect(code { _ = try RedisLog(RedisServer(address), stream: "shop").connect() } == .disconnected)
            func connect(_ address: RedisServer.Address) -> ActionLogError.Code? {
                code { _ = try RedisLog(RedisServer(address), stream: "shop").connect() }
            }
            #expect(connect(.socket(path: "/nowhere/socket")) == .disconnected)
            #expect(connect(.socket(path: String(repeating: "x", count: 200))) == .refused)
            #expect(connect(.socket(path: "")) == .refused)
            for port in [0, -1, 65_536, Int.max] { #expect(connect(.host("127.0.0.1", port: port)) == .refused) }
            // A name that by standard has no address.
            #expect(connect(.host("name.invalid")) == .disconnected)
        }

        @Test("Names that are no hash tag are refused")
        func names() throws {
            let server = try RedisTestServer()
            for name in ["", String(repeating: "x", count: 513), "a}b", "{a", "a}\u{301}:entries", "{\u{301}a"] {
                #expect(code { _ = try server.log(name).connect() } == .refused, "\(name)")
            }
            for name in [String(repeating: "x", count: 512), "a\0b", "'a' \"b\"\r\n", "*"] {
                try server.log(name).connect().append(group("a", 1...1))
                #expect(try server.log(name).connect().lastNumber(of: "a") == 1)
            }
        }

        @Test("A call to a hanging server ends at the timeout, also while a connection is made")
        func hanging() throws {
            let server = try RedisTestServer()
            let log = log(server)
            let connection = try log.connect()
            try connection.append(group("a", 1...1))
            server.suspend()
            defer { server.resume() }
            let start = ContinuousClock.now
            let hanging = failure { _ = try connection.status() }
            #expect(hanging?.code == .disconnected)
            #expect(hanging?.isTransient == true)
            #expect(code { _ = try log.connect() } == .disconnected)
            #expect(start.duration(to: .now) < .seconds(20))
            server.resume()
            // The response comes now, and must not count as that of another command.
            #expect(code { _ = try connection.status() } == .disconnected)
            #expect(try log.connect().status().end.position == 1)
        }

        @Test("A long wait ends soon if the server hangs")
        func hangingWait() throws {
            let server = try RedisTestServer()
            let connection = try log(server).connect()
            server.suspend()
            defer { server.resume() }
            let start = ContinuousClock.now
            #expect(code { try connection.wait(after: 0, for: .seconds(600)) } == .disconnected)
            #expect(start.duration(to: .now) < .seconds(60))
        }

        @Test("Appending a group without a response again reports that it was appended")
        func appliedWithoutAnswer() throws {
            let server = try RedisTestServer()
            let connection = try log(server).connect()
            try connection.append(group("a", 1...1))
            server.suspend()
            // The server has the bytes, and executes them when it is resumed.
            #expect(code { try connection.append(group("a", 2...4)) } == .disconnected)
            server.resume()
            let again = try log(server, timeout: .seconds(20)).connect()
            let seen = AppendCondition(.contains(point(1, "a", 1)))
            #expect(code { try again.append(group("a", 2...4), if: seen) } == .unexpectedNumber)
            #expect(try again.lastNumber(of: "a") == 4)
            #expect(try again.read(after: 0, atMost: 1_000) == group("a", 1...4))
        }

        @Test("A partly sent group is not appended, and can be appended again")
        func cutOff() throws {
            let server = try RedisTestServer()
            let connection = try log(server).connect()
            try connection.append(group("a", 1...1))
            server.suspend()
            // More than the buffers between the two can hold.
            let large = group("a", 2...9, size: 1 << 20)
            #expect(code { try connection.append(large) } == .disconnected)
            server.resume()
            let again = try log(server, timeout: .seconds(20)).connect()
            #expect(try again.lastNumber(of: "a") == 1)
            #expect(try again.append(large, if: AppendCondition(.end(point(1, "a", 1)))) == 2)
            #expect(try again.read(after: 1, atMost: 1 << 24) == large)
        }

        @Test("A connection closed by the server is unusable, and a new one continues")
        func closedByServer() throws {
            let server = try RedisTestServer()
            let log = server.log()
            let connection = try log.connect()
            try connection.append(group("a", 1...1))
            try server.perform("CLIENT", "KILL", "TYPE", "normal")
            #expect(code { try connection.append(group("a", 2...2)) } == .disconnected)
            #expect(code { _ = try connection.status() } == .disconnected)
            let next = try log.connect()
            let number = try next.lastNumber(of: "a")
            try next.append(group("a", number + 1...number + 1))
        }

        @Test("A wait ends when the server ends")
        func endedWait() throws {
            let server = try RedisTestServer()
            let connection = try server.log().connect()
            Thread {
                usleep(50_000)
                server.kill()
            }
            .start()
            #expect(code { while true { try connection.wait(after: 0, for: .seconds(600)) } } == .disconnected)
        }

        @Test("An interruption ends a call that waits for a response, from any thread and at any time")
        func interruption() throws {
            let server = try RedisTestServer()
            var interruptions: [ActionLogInterruption] = []
            for _ in 0..<3 {
                let connection = try server.log().connect()
                let interruption = connection.interruption
                interruptions.append(interruption)
                server.suspend()
                Thread {
                    usleep(20_000)
                    interruption.interrupt()
                }
                .start()
                #expect(code { _ = try connection.status() } == .closed)
                #expect(code { try connection.wait(after: 0, for: .seconds(600)) } == .closed)
                server.resume()
            }
            // The connections are gone.
            for interruption in interruptions { interruption.interrupt() }
            #expect(try server.log().connect().status().end == .start)
        }

        @Test("Scripts dropped by the server are sent again")
        func forgottenScripts() throws {
            let server = try RedisTestServer()
            let connection = try server.log().connect()
            try connection.append(group("a", 1...1))
            try server.perform("SCRIPT", "FLUSH")
            #expect(try connection.append(group("a", 2...2)) == 2)
            try server.perform("SCRIPT", "FLUSH")
            #expect(try connection.status().end.position == 2)
            try server.perform("SCRIPT", "FLUSH")
            let entries = try connection.read(after: 0, atMost: 1_000, onceAfter: 0, within: .seconds(600))
            #expect(entries == group("a", 1...2))
        }

        @Test("The parser refuses responses of another protocol")
        func foreignServer() throws {
            let parser = try RedisReplyParser()
            try Array("HTTP/1.1 400 Bad Request\r\n".utf8).withUnsafeBytes { try parser.feed($0) }
            #expect(throws: RedisReplyParser.Failure.self) { try parser.next() }
        }
    }
#endif
