import ActionLogConformance
import ActorStore
import ActorStoreSimulation
import Testing

@testable import ActorStorePersistence

/// Logs that are full again and again, although most of their contents is unnecessary.
@Suite("Logs with little room", .timeLimit(.minutes(10)))
struct LittleRoomTests {
    private let memory = MemoryLog()
    private let log: FaultyLog

    init() { log = FaultyLog(memory) }

    /// Makes some calls that delete fail once.
    private func failSome(using random: inout SimulationGenerator) {
        for call in [.trim, .part, .snapshots, .discardUnfinished, .presences, .status] as [FaultyLog.Call] {
            if Int.random(in: 0..<3, using: &random) == 0 { log.fail(call, with: .error(.busy)) }
        }
    }

    @Test(
        "A durable store never stands still, and each of its programs opens the log",
        arguments: 1...12 as ClosedRange<UInt64>
    )
    func durable(seed: UInt64) async throws {
        var random = SimulationGenerator(seed: seed)
        var durability = DurabilityConfiguration()
        durability.snapshotAtShutdown = Bool.random(using: &random)
        var sum = 0
        for _ in 1...3 {
            let interval = UInt64.random(in: 5...20, using: &random)
            durability.snapshots = SnapshotInterval(actions: interval)
            durability.retention = .snapshots(Int.random(in: 1...2, using: &random))
            // For the entries since the older snapshot, those that were appended during a snapshot, and some more.
            memory.limitRoom(to: Int.random(in: 9_000...12_000, using: &random))
            let store = try await Store.durable(in: log, initialState: 0, durability: durability) {
                (sum: inout Int, number: Int) in
                sum += number
            }
            #expect(store.snapshot == sum)
            for number in 1...60 {
                if number % 10 == 0 { failSome(using: &random) }
                try await store.dispatch(number)
                sum += number
            }
            #expect(store.statistics.failure == nil)
            log.failNoMore()
            #expect(await store.shutdown(drain: .finishEffects, within: .seconds(60)).isComplete)
        }
    }

    @Test(
        "Replicas never stand still, also if one ends before a deletion that it limits",
        arguments: 1...12 as ClosedRange<UInt64>
    )
    func replicated(seed: UInt64) async throws {
        var random = SimulationGenerator(seed: seed)
        var replication = ReplicationConfiguration(
            reconnection: RetryPolicy(maxAttempts: .max, backoff: .constant(.milliseconds(1))),
            snapshotAtShutdown: false
        )
        replication.replicaPatience = .milliseconds(200)
        var orders = 0
        for _ in 1...3 {
            replication.snapshots = SnapshotInterval(actions: UInt64.random(in: 5...20, using: &random))
            replication.retention = .snapshots(Int.random(in: 1...2, using: &random))
            let leaver = try await ShopStore.open(memory, replication)
            let end = Int.random(in: 1...60, using: &random)
            memory.limitRoom(to: 16_000)
            let store = try await ShopStore.open(log, replication)
            for number in 1...60 {
                if number == end { await leaver.end() }
                if number % 10 == 0 { failSome(using: &random) }
                try await store.order([orders])
                orders += 1
            }
            log.failNoMore()
            #expect(store.revision == UInt64(orders))
            await store.end()
            memory.limitRoom(to: .max)
        }
    }
}
