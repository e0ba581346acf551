#if Redis
    import ActionLogConformance
    import ActorStorePersistence
    import Foundation
    import Testing

    @testable import ActorStoreRedis

    /// Keys changed by others than the log.
    @Suite("Damaged logs on a Redis server", .mayWait)
    struct RedisDamageTests {
        private static let shared = Result { try RedisTestServer() }

        private func server() throws -> RedisTestServer { try Self.shared.get() }

        @Test(
            "A foreign entry is refused with its id, and the log continues after its deletion",
            arguments: ["*", "4-1", "4-0"]
        )
        func foreignEntry(id: String) throws {
            let (server, stream) = (try server(), UUID().uuidString)
            let connection = try server.log(stream).connect()
            try connection.append(group("a", 1...3))
            let key = "{\(stream)}:entries"
            let foreign = try #require(try server.perform("XADD", key, id, "name", "value").string)
            for failure in [
                failure { try connection.append(group("a", 4...4)) },
                failure { _ = try connection.read(after: 3, atMost: 1_000) },
                failure { _ = try connection.status() },
                failure { _ = try server.log(stream).connect().lastNumber(of: "a") },
            ] {
                #expect(failure?.code == .damaged)
                #expect(failure?.reason.contains("XDEL \(key) \(foreign)") == true)
            }
            // A waiting connection does not wait for it in vain.
            try connection.wait(after: 3, for: .seconds(600))
            try server.perform("XDEL", key, foreign)
            #expect(try connection.append(group("a", 4...6)) == 4)
            #expect(try connection.read(after: 0, atMost: 1_000) == group("a", 1...6))
            #expect(try connection.append(group("b", 1...1)) == 7)
        }

        @Test("A foreign entry in an empty log is refused, and the log continues after its deletion")
        func foreignFirstEntry() throws {
            let (server, stream) = (try server(), UUID().uuidString)
            let connection = try server.log(stream).connect()
            let foreign = try #require(try server.perform("XADD", "{\(stream)}:entries", "*", "a", "b").string)
            #expect(code { try connection.append(group("a", 1...1)) } == .damaged)
            try server.perform("XDEL", "{\(stream)}:entries", foreign)
            #expect(try connection.append(group("a", 1...1)) == 1)
        }

        @Test(
            "Old and new connections detect a deleted key",
            arguments: [
                ("entries", ActionLogError.Code.lostEntries), ("origins", .damaged), ("log", .damaged),
            ]
        )
        func deletedKey(name: String, expected: ActionLogError.Code) throws {
            let (server, stream) = (try server(), UUID().uuidString)
            let connection = try server.log(stream).connect()
            try connection.append(group("a", 1...3))
            try server.perform("DEL", "{\(stream)}:\(name)")
            #expect(code { try connection.append(group("a", 4...4)) } == expected)
            #expect(code { try connection.append(group("b", 1...1)) } == expected)
            #expect(code { _ = try connection.read(after: 0, atMost: 1_000) } == expected)
            #expect(code { _ = try server.log(stream).connect().status() } == expected)
            #expect(code { _ = try server.log(stream).connect().lastNumber(of: "a") } == expected)
        }

        @Test("A log whose keys were all deleted gets another identity")
        func deletedLog() throws {
            let (server, stream) = (try server(), UUID().uuidString)
            let connection = try server.log(stream).connect()
            let identity = try connection.status().identity
            try connection.append(group("a", 1...3))
            try server.perform("DEL", "{\(stream)}:entries", "{\(stream)}:origins", "{\(stream)}:log")
            #expect(code { try connection.append(group("a", 4...4)) } == .lostEntries)
            let other = try server.log(stream).connect()
            #expect(try other.status().identity != identity)
            // The old connection detects the new log, although its entries would fit.
            #expect(code { try connection.append(group("b", 1...1)) } == .lostEntries)
            #expect(code { _ = try connection.claim(LeaseClaim(name: "x", holder: "a", for: .zero)) } == .lostEntries)
            #expect(try other.append(group("b", 1...1)) == 1)
        }

        @Test("Entries deleted, trimmed or changed by hand are detected")
        func changedEntries() throws {
            let server = try server()
            func damage(_ words: @escaping (String) -> [String]) throws -> ActionLogError.Code? {
                let stream = UUID().uuidString
                let connection = try server.log(stream).connect()
                try connection.append(group("a", 1...5))
                try server.perform(words("{\(stream)}"))
                let codes = Set([
                    code { _ = try connection.read(after: 0, atMost: 1_000) },
                    code { try connection.append(group("a", 6...6)) },
                ])
                return codes.count == 1 ? codes.first ?? nil : nil
            }
            #expect(try damage { ["XDEL", "\($0):entries", "2-0"] } == .damaged)
            #expect(try damage { ["XDEL", "\($0):entries", "5-0"] } == .lostEntries)
            #expect(try damage { ["XTRIM", "\($0):entries", "MAXLEN", "3"] } == .damaged)
            #expect(try damage { ["HSET", "\($0):log", "last", "4"] } == .damaged)
            #expect(try damage { ["HSET", "\($0):log", "last", "7"] } == .lostEntries)
            #expect(try damage { ["HSET", "\($0):log", "last", "x"] } == .damaged)
            #expect(try damage { ["HDEL", "\($0):log", "trimmed"] } == .damaged)
            #expect(try damage { ["HSET", "\($0):log", "number", "9"] } == .damaged)
            #expect(try damage { ["HSET", "\($0):origins", "b", "9"] } == .damaged)
            #expect(try damage { ["HSET", "\($0):origins", "a", "4"] } == .damaged)
            #expect(try damage { ["HSET", "\($0):log", "format", "2"] } == .unknownFormat)
        }

        @Test("A number changed by hand is refused by the appends that need it")
        func changedNumber() throws {
            let (server, stream) = (try server(), UUID().uuidString)
            let connection = try server.log(stream).connect()
            try connection.append(group("a", 1...2))
            try connection.append(group("b", 1...2))
            try server.perform("HSET", "{\(stream)}:origins", "a", "many")
            #expect(code { try connection.append(group("a", 3...3)) } == .damaged)
            #expect(code { _ = try connection.lastNumber(of: "a") } == .damaged)
            #expect(try connection.append(group("b", 3...3)) == 5)
        }

        @Test("A key with other data is refused and left unchanged")
        func otherData() throws {
            let (server, stream) = (try server(), UUID().uuidString)
            try server.perform("SET", "{\(stream)}:log", "mine")
            #expect(code { _ = try server.log(stream).connect() } == .unknownFormat)
            #expect(try server.perform("GET", "{\(stream)}:log").string == "mine")
        }

        @Test(
            "A damaged snapshot is reported, and replaced by a later one",
            arguments: [
                "", "{\"point", "7", "{}", "{\"point\":7}", "{\"point\":{\"position\":\"1\"}}",
                "{\"point\":{\"position\":1,\"identity\":null}}", "{\"point\":{\"position\":1,\"identity\":{}}}",
                "{\"point\":{\"position\":1,\"identity\":{\"origin\":\"a\",\"number\":1}}}",
            ]
        )
        func snapshot(record: String) throws {
            let server = try RedisTestServer()
            let connection = try server.log().connect()
            try connection.append(group("a", 1...2))
            let identity = try connection.status().identity
            try server.perform("HSET", "{shop}:snapshots", UUID().uuidString, "\(identity) \(record)")
            #expect(code { _ = try connection.snapshots() } == .damaged)
            let later = ActionLogSnapshot(at: point(2, "a", 2), header: "", parts: 1)
            try connection.write(Data("state".utf8), 0, of: later)
            #expect(try connection.finish(later))
            while try connection.trim(through: 2) {}
            #expect(try connection.snapshots() == [later])
        }

        @Test("A snapshot of a position without an entry is ignored, and blocks no later one")
        func snapshotWithoutEntry() throws {
            let server = try RedisTestServer()
            let connection = try server.log().connect()
            try connection.append(group("a", 1...2))
            let identity = try connection.status().identity
            try server.perform("HSET", "{shop}:snapshots", "forged", "\(identity) {\"point\":{\"position\":9}}")
            #expect(try connection.snapshots() == [])
            let later = ActionLogSnapshot(at: point(2, "a", 2), header: "", parts: 1)
            try connection.write(Data("state".utf8), 0, of: later)
            #expect(try connection.finish(later))
            #expect(try connection.snapshots() == [later])
        }

        @Test("A damaged lease is reported, and other calls succeed")
        func brokenLease() throws {
            let (server, stream) = (try server(), UUID().uuidString)
            let connection = try server.log(stream).connect()
            try server.perform("HSET", "{\(stream)}:leases", "effects", "nobody")
            let claim = LeaseClaim(name: "effects", holder: "a", for: .seconds(1))
            #expect(failure { _ = try connection.claim(claim) }?.reason.contains("HDEL") == true)
            try connection.append(group("a", 1...1))
        }

        @Test("Impossible numbers of a log are an error of a replica, and not a trap")
        func impossibleNumbers() async throws {
            let (server, stream) = (try server(), UUID().uuidString)
            let first = try await ShopStore.open(server.log(stream))
            let second = try await ShopStore.open(server.log(stream))
            try await first.order(1...3)
            try await first.checkpoint()
            try await second.order([4])
            // Not that of the last entry, which is compared.
            try server.perform("HSET", "{\(stream)}:origins", first.origin, "\(UInt64.max)")
            await expect(.damaged) { try await first.dispatch(.order(5)) }
            let identity = try #require(try server.perform("HGET", "{\(stream)}:log", "identity").string)
            let id = UUID().uuidString
            try server.perform(
                "HSET",
                "{\(stream)}:snapshots",
                id,
                #"\#(identity) {"point":{"position":\#(UInt64.max)},"id":"\#(id)","header":"{}","parts":2}"#
            )
            let third = try await ShopStore.open(server.log(stream))
            #expect(third.snapshot.orders == Array(1...4))
            for store in [first, second, third] { await store.end() }
        }

        @Test(
            "Names that cannot be hash tags are refused",
            arguments: ["", "a{b", "a}b", String(repeating: "x", count: 600)]
        )
        func names(stream: String) throws {
            let server = try server()
            #expect(code { _ = try server.log(stream).connect() } == .refused)
        }
    }
#endif
