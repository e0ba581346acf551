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
        retryLimit: .seconds(10)
    )

    init() { log = FaultyLog(memory) }

    @Test("A snapshot that is being written is cancelled, and its parts are deleted")
    func unfinishedSnapshot() async throws {
        let store = try await LedgerStore.open(log, durability)
        try await store.dispatch(.book(1))
        log.fail(.write, with: .wait(goOn))
        let checkpoint = Task { try await store.checkpoint() }
        try await until { log.count(of: .write) == 1 }
        log.failAlways(.append, with: .error(.full))
        let dispatch = Task { try await store.dispatch(.book(2)) }
        try await until { store.revision == 2 }
        goOn.signal()
        await expect(.full) { try await checkpoint.value }
        #expect(store.statistics.failure == nil)
        #expect(log.count(of: .discard) == 1)
        log.failAlways(.append, with: nil)
        _ = try await dispatch.value
        #expect(try await store.checkpoint() == 2)
        await store.end()
    }

    @Test("What finished snapshots make unnecessary is deleted")
    func pendingDeletion() async throws {
        let store = try await LedgerStore.open(log, durability)
        try await store.book(1...3)
        log.fail(.part, with: .wait(goOn))
        try await store.checkpoint()
        try await until { log.count(of: .part) == 1 }
        log.failAlways(.append, with: .error(.full))
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

    @Test("What a killed program has written of a snapshot is deleted")
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

    @Test("An action is retried as long as usual if nothing can be deleted")
    func failingDeletion() async throws {
        var durability = durability
        durability.retryLimit = .seconds(1)
        let store = try await LedgerStore.open(log, durability)
        try await store.book(1...3)
        for call in [.trim, .discardUnfinished] as [FaultyLog.Call] { log.failAlways(call, with: .error(.full)) }
        log.failAlways(.append, with: .error(.full))
        let dispatch = Task { try await store.dispatch(.book(4)) }
        try await until { store.statistics.lastProblem?.code == .full }
        await store.log.writer.delete(through: try memory.connect().status().first, store.log)
        await #expect(throws: (any Error).self) { try await dispatch.value }
        #expect(store.statistics.failure?.code == .full)
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
