#if Redis
    import ActionLogConformance
    import ActorStorePersistence
    import Foundation
    import Testing

    @testable import ActorStoreRedis

    @Suite("Snapshots on a Redis server", .mayWait)
    struct RedisSnapshotTests {
        private static let shared = Result { try RedisTestServer() }

        private func server() throws -> RedisTestServer { try Self.shared.get() }

        private func save(_ point: ActionLogPoint, _ connection: any ActionLogConnection) throws -> ActionLogSnapshot? {
            let snapshot = ActionLogSnapshot(at: point, header: "of \(point.position)", parts: 2)
            try connection.write(Data("first".utf8), 0, of: snapshot)
            try connection.write(Data("second".utf8), 1, of: snapshot)
            return try connection.finish(snapshot) ? snapshot : nil
        }

        @Test("A snapshot of a deleted log does not block those of the new one")
        func staleSnapshot() throws {
            let (server, stream) = (try server(), UUID().uuidString)
            let before = try server.log(stream).connect()
            try before.append(group("a", 1...50))
            // The new log will have an entry of the same name at the position of the first one.
            _ = try #require(try save(point(10, "a", 10), before))
            let old = try #require(try save(point(50, "a", 50), before))
            // A new log is begun without the snapshots.
            try server.perform("DEL", "{\(stream)}:entries", "{\(stream)}:origins", "{\(stream)}:log")
            let after = try server.log(stream).connect()
            #expect(try after.snapshots() == [])
            try after.append(group("a", 1...20))
            #expect(try after.snapshots() == [])
            let new = try #require(try save(point(20, "a", 20), after))
            #expect(try after.snapshots() == [new])
            while try after.trim(through: 20) {}
            #expect(try after.part(0, of: old) == nil)
            #expect(try after.part(1, of: new) == Data("second".utf8))
        }

        @Test("A snapshot of lost entries does not block those of the entries in their place")
        func lostPoint() throws {
            let (server, stream) = (try server(), UUID().uuidString)
            let connection = try server.log(stream).connect()
            try connection.append(group("a", 1...9))
            let old = try #require(try save(point(9, "a", 9), connection))
            let record = try #require(
                try server.perform("HGET", "{\(stream)}:snapshots", old.id.uuidString).string
            )
            try server.loseEnd(of: stream, after: 5)
            // Its keys come from a later moment than the others, as by a restored backup of some of them.
            try server.perform("HSET", "{\(stream)}:snapshots", old.id.uuidString, record)
            #expect(try connection.snapshots() == [])
            try connection.append(group("b", 1...2))
            #expect(try connection.snapshots() == [])
            let new = try #require(try save(point(7, "b", 2), connection))
            #expect(try connection.snapshots() == [new])
            #expect(try server.perform("HGET", "{\(stream)}:snapshots", old.id.uuidString) == .null)
        }

        @Test("Parts of an unfinished snapshot are deleted a day after the last write")
        func unfinished() throws {
            let (server, stream) = (try server(), UUID().uuidString)
            let connection = try server.log(stream).connect()
            try connection.append(group("a", 1...3))
            let left = ActionLogSnapshot(at: point(2, "a", 2), header: "", parts: 2)
            try connection.write(Data("first".utf8), 0, of: left)
            while try connection.trim(through: 1) {}
            #expect(try connection.part(0, of: left) == Data("first".utf8))
            let time = try #require(
                try server.perform("HGET", "{\(stream)}:unfinished", left.id.uuidString).number
            )
            func age(by milliseconds: UInt64) throws {
                try server.perform("HSET", "{\(stream)}:unfinished", left.id.uuidString, "\(time - milliseconds)")
                while try connection.trim(through: 1) {}
            }
            try age(by: 23 * 3_600_000)
            #expect(try connection.part(0, of: left) == Data("first".utf8))
            try age(by: 25 * 3_600_000)
            #expect(try connection.part(0, of: left) == nil)
            #expect(try server.perform("EXISTS", "{\(stream)}:unfinished").number == 0)
        }

        @Test("Finishing again after a lost response changes nothing")
        func finishedTwice() throws {
            let (server, stream) = (try server(), UUID().uuidString)
            let connection = try server.log(stream).connect()
            try connection.append(group("a", 1...3))
            let snapshot = try #require(try save(point(3, "a", 3), connection))
            try connection.write(Data("other".utf8), 0, of: snapshot)
            #expect(try connection.finish(snapshot))
            #expect(try connection.snapshots() == [snapshot])
            #expect(try connection.part(0, of: snapshot) == Data("first".utf8))
        }

        @Test("A snapshot with missing parts is not finished")
        func missingPart() throws {
            let (server, stream) = (try server(), UUID().uuidString)
            let connection = try server.log(stream).connect()
            try connection.append(group("a", 1...3))
            let snapshot = ActionLogSnapshot(at: point(3, "a", 3), header: "", parts: 2)
            try connection.write(Data("first".utf8), 0, of: snapshot)
            #expect(code { try connection.finish(snapshot) } == .damaged)
            #expect(try connection.snapshots() == [])
            #expect(try connection.part(0, of: snapshot) == nil)
            // The server does not look for each of them.
            for parts in [-1, Int.max] {
                let impossible = ActionLogSnapshot(at: point(3, "a", 3), header: "", parts: parts)
                try connection.write(Data("first".utf8), 0, of: impossible)
                #expect(code { try connection.finish(impossible) } == .damaged)
            }
        }

        @Test("A long trim takes several calls, each of which leaves a readable log")
        func longTrim() throws {
            let (server, stream) = (try server(), UUID().uuidString)
            let connection = try server.log(stream).connect()
            for first in stride(from: UInt64(1), to: 25_000, by: 5_000) {
                try connection.append(group("a", first...first + 4_999))
            }
            let snapshot = try #require(try save(point(24_000, "a", 24_000), connection))
            var firsts: [UInt64] = []
            while try connection.trim(through: 24_000) { firsts.append(try connection.status().first) }
            firsts.append(try connection.status().first)
            #expect(firsts == [10_001, 20_001, 24_001])
            #expect(try connection.read(after: 24_000, atMost: 24) == group("a", 24_001...24_003))
            #expect(try connection.snapshots() == [snapshot])
            #expect(try connection.identity(at: 24_000) == identity("a", 24_000))
        }
    }
#endif
