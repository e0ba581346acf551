#if Redis
    import ActionLogConformance
    import ActorStorePersistence
    import Foundation
    import Testing

    @testable import ActorStoreRedis

    @Suite("Large entries, many entries, and full servers", .mayWait)
    struct RedisLimitTests {
        @Test("A server without memory refuses groups as a whole, and reading and trimming continue")
        func outOfMemory() throws {
            let server = try RedisTestServer()
            let connection = try server.log().connect()
            try connection.append(group("a", 1...8, size: 200_000))
            let snapshot = ActionLogSnapshot(at: point(7, "a", 7), header: "", parts: 1)
            try connection.write(Data("state".utf8), 0, of: snapshot)
            try server.perform("CONFIG", "SET", "maxmemory", "1mb")
            let full = failure { try connection.append(group("a", 9...12)) }
            #expect(full?.code == .full)
            #expect(full?.isTransient == true)
            #expect(code { try connection.write(Data("more".utf8), 1, of: snapshot) } == .full)
            #expect(try server.log().connect().status().end == point(8, "a", 8))
            #expect(try connection.lastNumber(of: "a") == 8)
            #expect(try connection.read(after: 7, atMost: 1) == group("a", 8...8, size: 200_000))
            // Leases do not end because others have filled the server, and room can be made.
            let lease = try connection.claim(LeaseClaim(name: "effects", holder: "a", for: .seconds(60)))
            try connection.release(lease)
            #expect(try connection.finish(snapshot))
            while try connection.trim(through: 7) {}
            try server.perform("CONFIG", "SET", "maxmemory", "100mb")
            #expect(try connection.append(group("a", 9...12)) == 9)
            #expect(try connection.read(after: 8, atMost: 1_000) == group("a", 9...12))
        }

        @Test("A server whose memory fills up has whole groups only")
        func endingMemory() throws {
            let server = try RedisTestServer()
            try server.perform("CONFIG", "SET", "maxmemory", "6mb")
            let connection = try server.log().connect()
            var number: UInt64 = 0
            var refused: ActionLogError.Code?
            while refused == nil {
                refused = code { try connection.append(group("a", number + 1...number + 50, size: 500)) }
                if refused == nil { number += 50 }
            }
            #expect(refused == .full)
            #expect(try connection.status().end == point(number, "a", number))
            try server.perform("CONFIG", "SET", "maxmemory", "0")
            #expect(try connection.append(group("a", number + 1...number + 1)) == number + 1)
        }

        @Test("Entries of a megabyte and groups of a thousand are appended and read")
        func largeEntries() throws {
            let server = try RedisTestServer()
            let connection = try server.log().connect()
            let large = group("a", 1...12, size: 1 << 20)
            for entry in large { try connection.append([entry]) }
            let many = group("b", 1...1_000, size: 64)
            #expect(try connection.append(many) == 13)
            // A limit in bytes holds for any sizes.
            #expect(try connection.read(after: 0, atMost: 3 << 20) == Array(large.prefix(3)))
            #expect(try connection.read(after: 0, atMost: (4 << 20) - 1) == Array(large.prefix(3)))
            #expect(try connection.read(after: 11, atMost: 1 << 20) == [large[11]])
            #expect(try connection.read(after: 12, atMost: 64 * 1_000) == many)
            #expect(try connection.read(after: 12, atMost: 64 * 100 + 63) == Array(many.prefix(100)))
            #expect(try connection.read(after: 0, atMost: 0) == [large[0]])
            #expect(try connection.read(after: 1_000, atMost: Int.max) == Array(many.suffix(12)))
        }

        @Test("A server sends no more for a read than the requested bytes, or one entry")
        func copiedBytes() throws {
            let server = try RedisTestServer()
            let connection = try server.log().connect()
            try connection.append(group("a", 1...64))
            for first in stride(from: UInt64(65), to: 128, by: 8) {
                try connection.append(group("a", first...first + 7, size: 1 << 20))
            }
            func sent() throws -> UInt64 {
                let info = try server.perform("INFO", "stats").string ?? ""
                let line = info.split(whereSeparator: \.isNewline).first { $0.hasPrefix("total_net_output_bytes:") }
                return try #require(line.flatMap { UInt64($0.split(separator: ":")[1]) })
            }
            let before = try sent()
            #expect(try connection.read(after: 0, atMost: 8 * 64).count == 64)
            #expect(try connection.read(after: 64, atMost: 100_000).count == 1)
            #expect(try sent() - before < 2 << 20)
        }

        @Test("A read returns some thousands of entries at most, and the next one continues")
        func manyEntries() throws {
            let server = try RedisTestServer()
            let connection = try server.log().connect()
            try connection.append(group("a", 1...5_000))
            var entries: [ActionLogEntry] = []
            while true {
                let next = try connection.read(after: UInt64(entries.count), atMost: 1 << 24)
                if next.isEmpty { break }
                #expect(next.count <= 2_048)
                entries += next
            }
            #expect(entries == group("a", 1...5_000))
            // The largest group.
            #expect(try connection.append(group("b", 1...100_000, size: 1)) == 5_001)
            #expect(try connection.read(after: 104_998, atMost: 100) == group("b", 99_999...100_000, size: 1))
        }

        @Test("Oversized entries and invalid groups are refused before they are sent")
        func refused() throws {
            let server = try RedisTestServer()
            let connection = try server.log().connect()
            let large = Data(count: RedisLimits.largestValue + 1)
            let entry = ActionLogEntry(identity("a", 1), header: "", payload: large)
            #expect(code { try connection.append([entry]) } == .tooLarge)
            #expect(code { try connection.append(group("a", 1...100_001, size: 0)) } == .tooLarge)
            let snapshot = ActionLogSnapshot(at: .start, header: "", parts: 1)
            #expect(code { try connection.write(large, 0, of: snapshot) } == .tooLarge)
            #expect(code { try connection.append([]) } == .refused)
            #expect(code { try connection.append(group("a", 1...1) + group("b", 2...2)) } == .refused)
            for number in [0, RedisLimits.largestNumber + 1, UInt64.max] {
                #expect(code { try connection.append(group("a", number...number)) } == .unexpectedNumber)
            }
            for position in [UInt64(1) << 53, UInt64(Int64.max), UInt64.max] {
                #expect(try connection.read(after: position, atMost: 1) == [])
                #expect(try connection.identity(at: position) == nil)
                let condition = AppendCondition(.contains(point(position, "a", 1)))
                #expect(code { try connection.append(group("a", 1...1), if: condition) } == .lostEntries)
                try connection.wait(after: position, for: .milliseconds(1))
                #expect(try connection.trim(through: position) == false)
            }
            #expect(try connection.status().end == .start)
        }

        @Test("Negative and very long durations are clamped")
        func durations() throws {
            let server = try RedisTestServer()
            let connection = try server.log().connect()
            try connection.wait(after: 0, for: .seconds(-5))
            try connection.append(group("a", 1...1))
            try connection.wait(after: 0, for: .seconds(Int64.max))
            let long = try connection.claim(LeaseClaim(name: "long", holder: "a", for: .seconds(Int64.max)))
            #expect(try connection.claim(LeaseClaim(name: "long", holder: "b", for: .seconds(1))) == long)
            let short = try connection.claim(LeaseClaim(name: "short", holder: "a", for: .seconds(-1)))
            #expect(try connection.claim(LeaseClaim(name: "short", holder: "b", for: .seconds(1))).token > short.token)
            let hasty = RedisServer(.socket(path: server.socketPath), answerTimeout: .seconds(2))
            let unconfirmed = failure {
                let log = RedisLog(hasty, stream: "other", acknowledgement: .replicas(1, within: .seconds(-9)))
                try log.connect().append(group("a", 1...1))
            }
            #expect(unconfirmed?.reason.contains("0 of 1 replicas") == true)
            try connection.report(ReplicaPresence(origin: "a", position: UInt64.max))
            #expect(
                try connection.presences(since: .seconds(Int64.max)) == [ReplicaPresence(origin: "a", position: .max)]
            )
        }
    }
#endif
