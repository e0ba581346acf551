import ActionLogConformance
import ActorStore
import Dispatch
import Foundation
import Testing

@testable import ActorStorePersistence

/// What takes the room of actions is deleted, or no longer written.
@Suite("Room for entries", .timeLimit(.minutes(10)))
struct RoomForEntriesTests {
    private let memory = MemoryLog()
    private let log: FaultyLog
    private let goOn = DispatchSemaphore(value: 0)
    private let durability = DurabilityConfiguration(
        snapshotAtShutdown: false,
        retention: .snapshots(1),
        retryLimit: .seconds(30)
    )

    init() { log = FaultyLog(memory) }

    /// Leaves a snapshot after each amount, as a former program that keeps everything.
    private func leaveSnapshots(_ amounts: ClosedRange<Int>) async throws {
        var durability = durability
        durability.retention = .everything
        let former = try await LedgerStore.open(log, durability)
        try await former.bookWithSnapshots(amounts)
        await former.end()
    }

    @Test("A snapshot that is being written is cancelled after a second, and its parts are deleted, also if that fails")
    func unfinishedSnapshot() async throws {
        let store = try await LedgerStore.open(log, durability)
        try await store.dispatch(.book(1))
        log.fail(.write, with: .wait(goOn))
        let checkpoint = Task { try await store.checkpoint() }
        try await until { log.count(of: .write) == 1 }
        log.failAlways(.append, with: .error(.full))
        log.fail(.discard, with: .error(.full))
        // As of a server that refuses scripts that write.
        log.failAlways(.status, with: .error(.full))
        let deletions = log.count(of: .discardUnfinished)
        let dispatch = Task { try await store.dispatch(.book(2)) }
        try await until { store.revision == 2 }
        goOn.signal()
        await expect(.full) { try await checkpoint.value }
        log.failAlways(.status, with: nil)
        try await until { log.count(of: .discardUnfinished) > deletions || store.statistics.failure != nil }
        #expect(store.statistics.failure == nil)
        log.failAlways(.append, with: nil)
        _ = try await dispatch.value
        #expect(try await store.checkpoint() == 2)
        await store.end()
    }

    @Test("What finished snapshots make unnecessary is deleted, also if that fails once")
    func pendingDeletion() async throws {
        let store = try await LedgerStore.open(log, durability)
        try await store.book(1...3)
        log.fail(.part, with: .wait(goOn))
        try await store.checkpoint()
        try await until { log.count(of: .part) == 1 }
        log.failAlways(.append, with: .error(.full))
        log.fail(.trim, with: .error(.busy))
        let dispatch = Task { try await store.dispatch(.book(4)) }
        try await until { store.statistics.lastProblem?.code == .full }
        goOn.signal()
        await store.log.writer.finishRetention(store.log)
        #expect(store.statistics.failure == nil)
        #expect(try memory.connect().status().first == 5)
        log.failAlways(.append, with: nil)
        _ = try await dispatch.value
        await store.end()
    }

    @Test(
        "What a former program should have deleted is deleted, also if a snapshot cannot be read at first",
        arguments: [1, 2]
    )
    func formerDeletion(kept: Int) async throws {
        var durability = durability
        try await leaveSnapshots(1...3)
        durability.retention = .snapshots(kept)
        let store = try await LedgerStore.open(log, durability)
        log.failAlways(.append, with: .error(.full))
        log.failAlways(.discardUnfinished, with: .error(.busy))
        log.fail(.part, with: .error(.busy))
        let dispatch = Task { try await store.dispatch(.book(4)) }
        try await until { try memory.connect().snapshots().count == kept || store.statistics.failure != nil }
        #expect(store.statistics.failure == nil)
        log.failNoMore()
        _ = try await dispatch.value
        await store.end()
    }

    @Test("A store that another one has replaced deletes nothing of it, also if the full log does not say so")
    func otherWriter() async throws {
        let store = try await LedgerStore.open(log, durability)
        try await store.book(1...3)
        let connection = try memory.connect()
        let identity = ActionLogEntry.Identity(origin: "other", number: 1)
        let end = try connection.status().end
        try connection.append([ActionLogEntry(identity, header: "{}", payload: Data())], if: AppendCondition(.end(end)))
        log.failAlways(.append, with: .error(.full))
        await expect(.fenced) { try await store.dispatch(.book(4)) }
        #expect(log.count(of: .discardUnfinished) == 0)
        await store.end()
    }

    @Test("Nothing is deleted on a server that has taken over without the newest snapshot")
    func lostSnapshot() async throws {
        var durability = durability
        let store = try await LedgerStore.open(log, durability)
        try await store.book(1...3)
        try await store.checkpoint()
        await store.log.writer.finishRetention(store.log)
        let former = try memory.connect().snapshots()
        let position = try #require(former.first).point.position
        try await store.book(4...6)
        let connections = log.count(of: .connect)
        // The first one reads the snapshot back, and the second one repeats the deletion.
        log.fail(.trim, number: log.count(of: .trim) + 1, with: .error(.disconnected))
        log.fail(.connect, number: connections + 2, with: .wait(goOn))
        try await store.checkpoint()
        try await until { log.count(of: .connect) == connections + 2 }
        memory.loseEnd(after: position + 1)
        goOn.signal()
        await store.log.writer.finishRetention(store.log)
        await store.end()
        #expect(try memory.connect().snapshots() == former)
        durability.recovery = .acceptingLoss
        let next = try await LedgerStore.open(memory, durability)
        #expect(next.snapshot.amounts == Array(1...4))
        await next.end()
    }

    @Test("An unfinished snapshot of a killed program is deleted")
    func remains() async throws {
        let first = try await LedgerStore.open(log, durability)
        try await first.book(1...3)
        await first.end()
        let connection = try memory.connect()
        let point = try connection.status().end
        let snapshot = ActionLogSnapshot(at: point, header: "{}", parts: 2)
        try connection.write(Data(count: 1_000), 0, of: snapshot)
        let store = try await LedgerStore.open(log, durability)
        log.failAlways(.append, with: .error(.full))
        let dispatch = Task { try await store.dispatch(.book(4)) }
        try await until { store.statistics.lastProblem?.code == .full }
        #expect(try connection.part(0, of: snapshot) == nil)
        log.failAlways(.append, with: nil)
        _ = try await dispatch.value
        await store.end()
    }

    @Test("A log is opened in the room of what a killed program has left of a snapshot")
    func opening() async throws {
        let first = try await LedgerStore.open(log, durability)
        try await first.book(1...3)
        await first.end()
        let connection = try memory.connect()
        let snapshot = ActionLogSnapshot(at: try connection.status().end, header: "{}", parts: 2)
        try connection.write(Data(count: 1_000), 0, of: snapshot)
        log.fail(.append, with: .error(.full))
        let store = try await LedgerStore.open(log, durability)
        #expect(store.snapshot.amounts == [1, 2, 3])
        #expect(try connection.part(0, of: snapshot) == nil)
        await store.end()
    }

    @Test(
        "A log is opened in the room of what snapshots make unnecessary, if they can be read",
        arguments: [false, true]
    )
    func openingBehindSnapshots(isNewestDamaged: Bool) async throws {
        var durability = durability
        try await leaveSnapshots(1...3)
        let connection = try memory.connect()
        let snapshots = try connection.snapshots()
        if isNewestDamaged { try connection.write(Data(), 0, of: snapshots[0]) }
        durability.retention = .snapshots(1)
        log.fail(.append, with: .error(.full))
        let store = try await LedgerStore.open(log, durability)
        #expect(store.snapshot.amounts == [1, 2, 3])
        #expect(try connection.snapshots() == (isNewestDamaged ? Array(snapshots.prefix(2)) : [snapshots[0]]))
        // An entry after the snapshot, except for the damaged one, and that of the opening.
        #expect(store.statistics.entries == (isNewestDamaged ? 2 : 1))
        await store.end()
    }

    @Test("A store whose opening could not delete everything can be shut down")
    func interruptedDeletion() async throws {
        var durability = durability
        try await leaveSnapshots(1...3)
        durability.retention = .snapshots(1)
        log.fail(.append, with: .error(.full))
        log.fail(.trim, with: .error(.busy))
        let store = try await LedgerStore.open(log, durability)
        #expect(await store.log.writer.upload.isIdle)
        await store.end()
    }

    @Test("An opening that has lost its lease meanwhile deletes nothing of another store")
    func openingWithoutLease() async throws {
        var durability = durability
        durability.leaseDuration = .milliseconds(100)
        let first = try await LedgerStore.open(log, durability)
        try await first.bookWithSnapshots(1...2)
        await first.end()
        let connection = try memory.connect()
        let snapshot = ActionLogSnapshot(at: try connection.status().end, header: "{}", parts: 2)
        log.fail(.append, with: .error(.full))
        // Behind the two parts that the recovery reads.
        let read = log.count(of: .part) + 3
        log.fail(.part, number: read, with: .wait(goOn))
        let opening = Task { [durability] in try await LedgerStore.open(log, durability) }
        try await until { log.count(of: .part) == read }
        try await until {
            let claim = LeaseClaim(name: "writer", holder: "other", for: .seconds(600), after: 0)
            return try connection.claim(claim).holder == "other"
        }
        try connection.write(Data(count: 1_000), 0, of: snapshot)
        goOn.signal()
        await expect(.full) { _ = try await opening.value }
        #expect(try connection.part(0, of: snapshot) != nil)
    }

    @Test("The first action of a release with another reducer makes room behind the snapshot of the former one")
    func firstActionOfARelease() async throws {
        var durability = durability
        try await leaveSnapshots(1...3)
        durability.retention = .snapshots(1)
        durability.reducerVersion = 2
        let store = try await LedgerStore.open(log, durability)
        try await until { try memory.connect().snapshots().count == 4 }
        log.failAlways(.append, with: .error(.full))
        let dispatch = Task { try await store.dispatch(.book(4)) }
        try await until { try memory.connect().snapshots().count == 2 || store.statistics.failure != nil }
        #expect(store.statistics.failure == nil)
        log.failNoMore()
        _ = try await dispatch.value
        await store.end()
    }

    @Test("A compaction that keeps more than the retention does not take its room")
    func keepingCompaction() async throws {
        var durability = durability
        try await leaveSnapshots(1...4)
        durability.retention = .snapshots(2)
        let store = try await LedgerStore.open(log, durability)
        log.failAlways(.append, with: .error(.full))
        let dispatch = Task { try await store.dispatch(.book(5)) }
        let compaction = Task { try await store.compact(keepingSnapshots: 3) }
        try await until { try memory.connect().snapshots().count == 2 || store.statistics.failure != nil }
        #expect(store.statistics.failure == nil)
        log.failNoMore()
        _ = try await dispatch.value
        try await compaction.value
        await store.end()
    }

    @Test("An opening without room throws, deletes nothing that is needed, and releases the log")
    func openingWithoutRoom() async throws {
        let first = try await LedgerStore.open(log, durability)
        try await first.bookWithSnapshots(1...3)
        await first.end()
        let snapshots = try memory.connect().snapshots()
        log.failAlways(.append, with: .error(.full))
        await expect(.full) { try await LedgerStore.open(log, durability) }
        log.failNoMore()
        let store = try await LedgerStore.open(log, durability)
        #expect(store.snapshot.amounts == [1, 2, 3])
        #expect(try memory.connect().snapshots() == snapshots)
        await store.end()
    }

    @Test("A compaction makes room for the actions that it waits for")
    func compaction() async throws {
        var durability = durability
        durability.retention = .everything
        let store = try await LedgerStore.open(log, durability)
        try await store.bookWithSnapshots(1...3)
        log.failAlways(.append, with: .error(.full))
        let dispatch = Task { try await store.dispatch(.book(4)) }
        try await until { store.statistics.lastProblem?.code == .full }
        let compaction = Task { try await store.compact(keepingSnapshots: 1) }
        try await until { try memory.connect().snapshots().count == 1 || store.statistics.failure != nil }
        #expect(store.statistics.failure == nil)
        log.failNoMore()
        _ = try await dispatch.value
        try await compaction.value
        #expect(try memory.connect().status().first == 6)
        // It has ended: another action without room finds nothing to delete.
        try await store.bookWithSnapshots(5...6)
        log.fail(.append, with: .error(.full), .error(.full))
        try await store.dispatch(.book(7))
        #expect(try memory.connect().snapshots().count == 3)
        await store.end()
    }

    @Test("An action is retried as long as usual if nothing can be deleted")
    func failingDeletion() async throws {
        var durability = durability
        durability.retryLimit = .seconds(1)
        let store = try await LedgerStore.open(log, durability)
        try await store.book(1...3)
        try await store.checkpoint()
        await store.log.writer.finishRetention(store.log)
        let deletions = log.count(of: .trim)
        for call in [.trim, .discardUnfinished] as [FaultyLog.Call] { log.failAlways(call, with: .error(.full)) }
        log.failAlways(.append, with: .error(.full))
        let dispatch = Task { try await store.dispatch(.book(4)) }
        try await until { store.statistics.lastProblem?.code == .full }
        let snapshot = try #require(try memory.connect().snapshots().first)
        await store.log.writer.delete(through: snapshot.point.position, store.log)
        await #expect(throws: (any Error).self) { try await dispatch.value }
        #expect(store.statistics.failure?.code == .full)
        // After growing waits.
        #expect(log.count(of: .append) < 30)
        #expect(log.count(of: .trim) > deletions)
        log.failNoMore()
        await store.end()
        let next = try await LedgerStore.open(memory, durability)
        #expect(next.snapshot.amounts.starts(with: [1, 2, 3]))
        await next.end()
    }
}

extension LogWriter {
    /// Begins a deletion.
    fileprivate func delete(through position: UInt64, _ shared: DurableLog<State, Action>) {
        upload.trim(through: position)
        shared.wake()
    }
}
