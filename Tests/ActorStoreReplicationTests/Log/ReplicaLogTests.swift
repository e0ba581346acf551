#if Replication
    @testable import ActorStoreReplication
    import Foundation
    import Testing

    @Suite("What a replica knows of its stream")
    struct ReplicaLogTests {
        var log = ReplicaLog()

        mutating func admit(_ entry: StreamEntry<Int>) -> Bool { log.admit(entry) == .reduced }

        func entry(_ place: UInt64, _ origin: String, _ number: UInt64, lease: UInt64? = nil, void: Bool = false)
            -> StreamEntry<Int>
        {
            StreamEntry(
                position: StreamPosition(milliseconds: place, sequence: 0),
                origin: origin,
                content: .action(void ? nil : 1, number: number, lease: lease)
            )
        }

        func lease(_ place: UInt64, _ origin: String, _ token: UInt64) -> StreamEntry<Int> {
            StreamEntry(
                position: StreamPosition(milliseconds: place, sequence: 0),
                origin: origin,
                content: .lease(token: token)
            )
        }

        @Test("An action that was appended twice is admitted once")
        mutating func duplicates() {
            var admitted: [Bool] = []
            for (place, number) in [(1, 1), (2, 2), (3, 1), (4, 2), (5, 3), (6, 3)] as [(UInt64, UInt64)] {
                admitted.append(admit(entry(place, "a", number)))
            }
            #expect(admitted == [true, true, false, false, true, false])
            #expect(log.revision == 3)
            #expect(log.duplicates == 3)
            #expect(log.position.milliseconds == 6)
        }

        @Test("An entry that was read already is passed over")
        mutating func rereading() {
            #expect(admit(entry(5, "a", 1)))
            let before = log
            let again = admit(entry(5, "a", 1))
            let older = admit(entry(4, "b", 1))
            #expect(!again && !older)
            #expect(log == before)
        }

        @Test(
            "A number that is missing is a gap, and nothing is noted of it; so is one that an unknown origin begins with"
        )
        mutating func gaps() {
            #expect(admit(entry(1, "a", 1)))
            let before = log
            let verdicts = [log.admit(entry(2, "a", 3)), log.admit(entry(3, "b", 2))]
            #expect(verdicts == [.gap(expected: 2), .gap(expected: 1)])
            #expect(log == before)
        }

        @Test("Numbers that nobody counts to are not those of a log")
        mutating func credibility() {
            #expect(log.isCredible)
            let last = StreamEntry<Int>.largestNumber
            _ = log.admit(lease(1, "a", last))
            #expect(log.isCredible)
            _ = log.admit(lease(2, "a", last + 1))
            #expect(!log.isCredible)
        }

        @Test("Actions of different origins have numbers of their own")
        mutating func origins() {
            for (place, origin, number) in [(1, "a", 1), (2, "b", 1), (3, "a", 2), (4, "b", 2)]
                as [(UInt64, String, UInt64)]
            {
                let isAdmitted = admit(entry(place, origin, number))
                #expect(isAdmitted)
            }
            #expect(log.revision == 4)
        }

        @Test("What was sent under a lease counts until the next one begins")
        mutating func fencing() {
            _ = admit(lease(1, "a", 1))
            #expect(admit(entry(2, "a", 1, lease: 1)))
            _ = admit(lease(3, "b", 2))
            let late = admit(entry(4, "a", 2, lease: 1))
            #expect(!late)
            #expect(admit(entry(5, "b", 1, lease: 2)))
            #expect(admit(entry(6, "a", 3)))
            #expect(log.fenced == 1)
            #expect(log.lease == ReplicationLease(token: 2, holder: "b"))
        }

        @Test("A lease with an older token changes nothing")
        mutating func oldLeases() {
            _ = admit(lease(1, "a", 2))
            _ = admit(lease(2, "b", 1))
            #expect(log.lease?.holder == "a")
        }

        @Test("An action that could not be encoded takes its number, and nothing else")
        mutating func voids() {
            let isAdmitted = admit(entry(1, "a", 1, void: true))
            #expect(!isAdmitted)
            #expect(admit(entry(2, "a", 2)))
            #expect(log.revision == 1)
        }

        @Test("Origins that have been silent longest are forgotten, and go on with any number")
        mutating func forgetting() {
            let count = UInt64(ReplicaLog.originLimit) + 1
            for place in 1...count { _ = admit(entry(place, "origin \(place)", 1)) }
            #expect(log.origins.count == ReplicaLog.originLimit / 2 + 1)
            #expect(log.origins["origin 1"] == nil)
            #expect(log.origins["origin \(count)"] != nil)
            #expect(admit(entry(count + 1, "origin 1", 2)))
        }

        @Test("It comes back from its bytes as it was")
        mutating func coding() throws {
            _ = admit(entry(1, "a", 1))
            _ = admit(lease(2, "b", 7))
            let data = try JSONEncoder().encode(log)
            #expect(try JSONDecoder().decode(ReplicaLog.self, from: data) == log)
        }

        @Test(
            "A position is what Redis writes, and nothing else",
            arguments: ["", "1", "1-", "-1", "a-b", "1-2-3", "1-99999999999999999999", " 1-2"]
        )
        func positions(text: String) {
            #expect(StreamPosition(text) == nil)
            #expect(StreamPosition("12-3") == StreamPosition(milliseconds: 12, sequence: 3))
            #expect(StreamPosition.zero < StreamPosition(milliseconds: 0, sequence: 1))
            #expect(StreamPosition(milliseconds: 1, sequence: 9) < StreamPosition(milliseconds: 2, sequence: 0))
        }
    }
#endif
