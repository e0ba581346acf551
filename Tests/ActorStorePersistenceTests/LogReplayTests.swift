import Foundation
import Testing

@testable import ActorStorePersistence

@Suite("Replays of a log")
struct LogReplayTests {
    let log = MemoryLog()

    private func append(
        _ action: Int?,
        named id: String? = nil,
        expecting revision: UInt64? = nil,
        of origin: String,
        _ number: UInt64
    ) throws {
        var header = EntryHeader(schema: 1, reducer: 1)
        header.id = id
        header.expected = revision
        let identity = ActionLogEntry.Identity(origin: origin, number: number)
        let payload = action.map { "\($0)" } ?? "unreadable"
        let entry = ActionLogEntry(identity, header: try header.text, payload: Data(payload.utf8))
        try log.connect().append([entry], if: AppendCondition(.contains(.start)))
    }

    private func replay(
        _ policy: RecoveryPolicy = .strict,
        digestInterval: UInt64? = nil
    ) throws -> LogReplay<[Int], Int> {
        LogReplay(
            coding: try EntryCoding(DurabilityConfiguration().coding, reducer: 1, log: log),
            initialState: [],
            policy: policy,
            digestInterval: digestInterval
        ) { $0.append($1) }
    }

    @Test("A named action that came twice is reduced once, and each entry has its place")
    func repeats() throws {
        try append(1, named: "first", of: "a", 1)
        try append(2, of: "b", 1)
        try append(3, named: "first", of: "b", 2)
        try append(4, named: "second", of: "a", 2)
        let recovered = try replay().recover(from: log.connect())
        let logged = recovered.logged
        #expect(logged.state == [1, 2, 4])
        #expect(logged.account.revision == 3)
        #expect(logged.account.repeats == 1)
        #expect(logged.account.point.position == 4)
        #expect(recovered.report.replayedActions == 3)
        for revision in 0...3 {
            #expect(try replay().state(at: UInt64(revision), by: log.connect()) == Array([1, 2, 4].prefix(revision)))
        }
    }

    @Test("Behind an unreadable action, others are refused for their revision as before, and the report says so")
    func conditionsBehindALoss() throws {
        try append(1, expecting: 0, of: "a", 1)
        try append(nil, expecting: 1, of: "a", 2)
        // The opening of a store, which is no action.
        let opening = ActionLogEntry(ActionLogEntry.Identity(origin: "b", number: 1), header: "{", payload: Data())
        try log.connect().append([opening], if: AppendCondition(.contains(.start)))
        try append(3, expecting: 2, of: "a", 3)
        try append(4, expecting: 2, of: "b", 2)
        try append(5, expecting: 2, of: "b", 3)
        try append(6, expecting: 3, of: "a", 4)
        let recovered = try replay(.acceptingLoss).recover(from: log.connect())
        #expect(recovered.logged.state == [1, 3, 6])
        #expect(recovered.report.revision == 3)
        let codes = recovered.report.problems.map(\.code)
        #expect(codes == [.undecodable, .unknownFormat, .unexpectedRevision, .unexpectedRevision])
        #expect(recovered.report.problems.map(\.position) == [2, 3, 5, 6])
    }

    @Test("Expected revisions are checked again after a store has joined, even after losses", arguments: [true, false])
    func revisionOfAnOpening(hasLostSnapshot: Bool) throws {
        for number in 1...3 { try append(number, of: "a", UInt64(number)) }
        if hasLostSnapshot {
            while try log.connect().trim(through: 2) {}
        } else {
            // It may have been refused in its time, so that the next revision was not higher.
            let identity = ActionLogEntry.Identity(origin: "a", number: 4)
            let unreadable = ActionLogEntry(identity, header: "{", payload: Data())
            try log.connect().append([unreadable], if: AppendCondition(.contains(.start)))
        }
        try append(5, expecting: 3, of: "b", 1)
        var header = EntryHeader(.opening)
        header.revision = 4
        let identity = ActionLogEntry.Identity(origin: "c", number: 1)
        try log.connect().append(
            [ActionLogEntry(identity, header: try header.text, payload: Data())],
            if: AppendCondition(.contains(.start))
        )
        try append(6, expecting: 4, of: "c", 2)
        try append(7, expecting: 4, of: "b", 2)
        let recovered = try replay(.acceptingLoss).recover(from: log.connect())
        #expect(recovered.logged.state == (hasLostSnapshot ? [3, 6] : [1, 2, 3, 6]))
        let refused = recovered.report.problems.filter { $0.code == .unexpectedRevision }
        #expect(refused.map(\.position) == (hasLostSnapshot ? [4, 7] : [5, 8]))
    }

    @Test("Forged revisions of openings are unreadable, and never trap")
    func forgedRevision() throws {
        for (index, revision) in [UInt64.max, 1 << 63, 1 << 62, (1 << 62) - 1].enumerated() {
            let origin = "\(index)"
            let headers = ["{", #"{"kind":"opening","revision":\#(revision)}"#, "{"]
            for (number, header) in headers.enumerated() {
                let identity = ActionLogEntry.Identity(origin: origin, number: UInt64(number + 1))
                try log.connect().append(
                    [ActionLogEntry(identity, header: header, payload: Data())],
                    if: AppendCondition(.contains(.start))
                )
            }
        }
        let recovered = try replay(.acceptingLoss).recover(from: log.connect())
        #expect(recovered.logged.state == [])
        #expect(recovered.report.problems.count == 11)
        #expect(recovered.report.problems.allSatisfy { $0.code == .unknownFormat })
    }

    @Test("A digest behind an unreadable action is not compared, and one before it is")
    func digestsBehindALoss() throws {
        func appendDigest(_ state: [Int], of origin: String) throws {
            let header = EntryHeader(of: try StateDigest(of: state), at: UInt64(state.count), schema: 1)
            let identity = ActionLogEntry.Identity(origin: origin, number: 1)
            let entry = ActionLogEntry(identity, header: try header.text, payload: Data())
            try log.connect().append([entry], if: AppendCondition(.contains(.start)))
        }
        for number in 1...3 { try append(number, of: "a", UInt64(number)) }
        try appendDigest([1, 3], of: "b")
        try append(nil, of: "a", 4)
        for number in 5...7 { try append(number, of: "a", UInt64(number)) }
        // Of the state with the unreadable action.
        try appendDigest([1, 2, 3, 4, 5, 6], of: "c")
        let recovered = try replay(.acceptingLoss, digestInterval: 2).recover(from: log.connect())
        #expect(recovered.report.problems.map(\.code) == [.diverged, .undecodable])
        #expect(recovered.logged.state == [1, 2, 3, 5, 6, 7])
    }

    @Test("Entries appended later are reduced once, behind those already reduced")
    func catchingUp() throws {
        try append(1, of: "a", 1)
        var recovered = try replay().recover(from: log.connect())
        try append(2, of: "a", 2)
        try append(3, of: "b", 1)
        for _ in 1...2 {
            try replay().catchUp(&recovered.logged, by: log.connect(), &recovered.report)
            #expect(recovered.logged.state == [1, 2, 3])
        }
    }
}
