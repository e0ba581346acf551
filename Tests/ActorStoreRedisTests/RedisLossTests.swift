#if Redis
    import ActionLogConformance
    import ActorStorePersistence
    import Foundation
    import Testing

    @testable import ActorStoreRedis

    /// Servers that come back without their newest acknowledged entries: their file is truncated, as by a power failure
    /// of a server that syncs late, or a fail-over to a lagging replica.
    @Suite("Lost entries on a Redis server", .mayWait)
    struct RedisLossTests {
        @Test("A writer does not append behind lost entries, and other replicas read a log without a gap")
        func busyWriter() throws {
            let server = try RedisTestServer()
            let writer = try server.log().connect()
            try writer.append(group("a", 1...5))
            let mark = try server.mark()
            try writer.append(group("a", 6...8))
            try server.lose(after: mark)
            // The writer continues with its unanswered entries, as after each broken connection.
            let later = try server.log().connect()
            let seen = AppendCondition(.contains(point(8, "a", 8)))
            #expect(code { try later.append(group("a", 9...10), if: seen) } == .lostEntries)
            #expect(code { try later.append(group("a", 9...10)) } == .unexpectedNumber)
            #expect(try later.lastNumber(of: "a") == 5)
            // Any connection can read the log and append to it.
            try later.append(group("b", 1...2))
            let newcomer = try server.log().connect()
            #expect(try newcomer.read(after: 0, atMost: 1 << 20) == group("a", 1...5) + group("b", 1...2))
        }

        @Test("A writer detects that a server has lost everything")
        func everything() throws {
            let server = try RedisTestServer()
            let before = try server.log().connect()
            let identity = try before.status().identity
            try before.append(group("a", 1...3))
            try server.lose(after: 0)
            let after = try server.log().connect()
            #expect(try after.status().identity != identity)
            #expect(try after.status().end == .start)
            let seen = AppendCondition(.contains(point(3, "a", 3)))
            #expect(code { try after.append(group("a", 4...4), if: seen) } == .lostEntries)
            #expect(code { try after.append(group("a", 4...4)) } == .unexpectedNumber)
        }

        @Test("A replica whose last entry was lost is refused, although the log is longer than before")
        func overtaken() throws {
            let server = try RedisTestServer()
            let first = try server.log().connect()
            try first.append(group("a", 1...5))
            let mark = try server.mark()
            try first.append(group("a", 6...8))
            try server.lose(after: mark)
            let second = try server.log().connect()
            try second.append(group("b", 1...10))
            let snapshot = ActionLogSnapshot(at: point(15, "b", 10), header: "", parts: 1)
            try second.write(Data("state".utf8), 0, of: snapshot)
            #expect(try second.finish(snapshot))
            // The first one comes back with 8 entries, of which the log has 5.
            let back = try server.log().connect()
            #expect(try back.identity(at: 8) == identity("b", 3))
            #expect(try back.lastNumber(of: "a") == 5)
            let seen = AppendCondition(.contains(point(8, "a", 8)))
            #expect(code { try back.append(group("a", 9...9), if: seen) } == .lostEntries)
        }

        @Test("Another entry at the position of a lost one does not count as that entry")
        func sameIdentifier() throws {
            let server = try RedisTestServer()
            let first = try server.log().connect()
            try first.append(group("a", 1...5))
            let mark = try server.mark()
            try first.append(group("a", 6...6))
            try server.lose(after: mark)
            let second = try server.log().connect()
            #expect(try second.append(group("x", 1...1)) == 6)
            #expect(try server.perform("XRANGE", "{shop}:entries", "6-0", "6-0").elements?.count == 1)
            for place in [AppendCondition.Place.contains(point(6, "a", 6)), .end(point(6, "a", 6))] {
                #expect(code { try second.append(group("a", 7...7), if: AppendCondition(place)) } == .lostEntries)
            }
            let snapshot = ActionLogSnapshot(at: point(6, "a", 6), header: "", parts: 0)
            #expect(code { try second.finish(snapshot) } == .lostEntries)
        }

        @Test("A lost lease and a later one have different tokens")
        func lostLease() throws {
            let server = try RedisTestServer()
            // The digits are the greatest and the least, so that only the clock makes the token grow.
            func claim(_ holder: String, _ digits: Int) throws -> ActionLogLease {
                let connection = try #require(try server.log().connect() as? RedisLogConnection)
                let keys = connection.keys.common + [connection.keys.leases]
                let answer = try connection.run(
                    .claim,
                    keys,
                    [.text("effects"), .text(holder), .text("20000"), .text("0"), .text("\(digits)"), .text("")]
                )
                let token = try #require(answer.first?.number)
                return ActionLogLease(name: "effects", token: token, holder: answer.last?.string ?? "")
            }
            try server.log().connect().append(group("a", 1...1))
            let mark = try server.mark()
            let lost = try claim("a", 999_999)
            try server.lose(after: mark)
            let other = try claim("c", 0)
            #expect(other.holder == "c")
            #expect(other.token > lost.token)
            let second = try server.log().connect()
            // Entries of the former holder are fenced.
            let condition = AppendCondition(.contains(.start), lease: lost)
            #expect(code { try second.append(group("a", 2...2), if: condition) } == .fenced)
        }

        @Test("Tokens differ by their random digits if the clock of the server was set back")
        func clockSetBack() throws {
            let server = try RedisTestServer()
            let connection = try #require(try server.log().connect() as? RedisLogConnection)
            // As if the clock had been in the year 2100 before.
            let before: UInt64 = 4_102_444_800_000_000_000
            func token(_ digits: Int) throws -> UInt64 {
                try server.perform("HSET", "{shop}:log", "token", "\(before)")
                try server.perform("DEL", "{shop}:leases")
                let keys = connection.keys.common + [connection.keys.leases]
                let answer = try connection.run(
                    .claim,
                    keys,
                    [.text("effects"), .text("a"), .text("1000"), .text("0"), .text("\(digits)"), .text("")]
                )
                return try #require(answer.first?.number)
            }
            // The same grant, which the server has lost, with other digits.
            #expect(try token(0) == before + 1)
            #expect(try token(17) == before + 18)
            #expect(try token(999_999) == before + 1_000_000)
            try server.perform("HSET", "{shop}:log", "token", "9223372036853999999")
            #expect(code { _ = try connection.claim(LeaseClaim(name: "b", holder: "b", for: .zero)) } == .refused)
        }

        @Test("Tokens of all engines are comparable")
        func tokenOfMovedLog() throws {
            let server = try RedisTestServer()
            let connection = try server.log().connect()
            let before = UInt64(Date().timeIntervalSince1970 * 1_000 - 1_000) << 20
            let lease = try connection.claim(LeaseClaim(name: "effects", holder: "a", for: .seconds(1)))
            #expect(lease.token > before)
            #expect(lease.token < before + 3_600_000 << 20)
            withExtendedLifetime(server) {}
        }

        @Test("Every acknowledged entry survives crashes at any moment")
        func crashes() throws {
            let server = try RedisTestServer()
            var acknowledged: UInt64 = 0
            for round in 0..<4 {
                let connection = try server.log().connect()
                // A crash while a group is in flight: it was appended, or not.
                let last = try connection.lastNumber(of: "a")
                #expect(last == acknowledged || last == acknowledged + 3)
                acknowledged = last
                let isEnding = DispatchSemaphore(value: 0)
                let killer = Thread {
                    isEnding.wait()
                    usleep(useconds_t(round * 700))
                    server.kill()
                }
                killer.start()
                var error: ActionLogError?
                while error == nil {
                    do throws(ActionLogError) {
                        try connection.append(group("a", acknowledged + 1...acknowledged + 3))
                        acknowledged += 3
                    } catch let failure {
                        error = failure
                    }
                    if acknowledged.isMultiple(of: 60) { isEnding.signal() }
                }
                #expect(error?.code == .disconnected)
                while !killer.isFinished { usleep(1_000) }
                try server.start()
            }
            let connection = try server.log().connect()
            let end = try connection.status().end.position
            #expect(end >= acknowledged)
            #expect(try connection.read(after: 0, atMost: 1 << 20).prefix(2_048) == group("a", 1...end).prefix(2_048))
        }
    }
#endif
