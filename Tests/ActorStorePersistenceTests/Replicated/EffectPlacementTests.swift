import ActionLogConformance
import ActorStore
import Testing

@testable import ActorStorePersistence

@Suite("Effects of replicated stores", .timeLimit(.minutes(10)))
struct EffectPlacementTests {
    let log = FaultyLog(MemoryLog())

    /// Two replicas that report which of them delivers.
    func join(
        _ effects: EffectPlacement,
        _ done: Events<String>,
        work: @escaping @Sendable () async -> Void = {}
    ) async throws -> [ShopStore] {
        var stores: [ShopStore] = []
        for name in ["a", "b"] {
            let shop = Shop { number in
                done.add("\(name)\(number)")
                await work()
                if Task.isCancelled { done.add("\(name)\(number) cancelled") }
            }
            stores.append(try await .open(log, ReplicationConfiguration(name: name, effects: effects), shop))
        }
        return stores
    }

    @Test("By default the replica that received the action runs its effects, and all replicas get their actions")
    func origin() async throws {
        let done = Events<String>()
        let stores = try await join(.origin, done)
        try await stores[0].dispatch(.deliver(1))
        try await stores[1].dispatch(.deliver(2))
        for store in stores { await store.reaches { $0.deliveries.count == 2 } }
        #expect(done.all.sorted() == ["a1", "b2"])
        for store in stores { await store.end() }
    }

    @Test("Effects on every replica, if so configured, run from the time of its joining")
    func everywhere() async throws {
        let done = Events<String>()
        let stores = try await join(.everyReplica, done)
        try await stores[0].dispatch(.deliver(1))
        for store in stores { await store.reaches { $0.deliveries == [1, 1] } }
        #expect(done.all.sorted() == ["a1", "b1"])
        let late = try await join(.everyReplica, done)
        #expect(done.all.count == 2)
        for store in stores + late { await store.end() }
    }

    @Test("An effect cancelled by another replica's action is cancelled where it runs")
    func cancelling() async throws {
        let done = Events<String>()
        let stores = try await join(.origin, done) { try? await Task.sleep(for: .seconds(1_000)) }
        try await stores[0].dispatch(.deliver(1))
        await done.wait(for: "a1")
        try await stores[1].dispatch(.stop)
        await done.wait(for: "a1 cancelled")
        for store in stores {
            await store.end()
            #expect(store.snapshot.deliveries.isEmpty)
        }
    }

    @Test("An effect requested and cancelled within one group of entries is cancelled, also if it is awaited")
    func cancelledAtOnce() async throws {
        let done = Events<String>()
        let stores = try await join(.origin, done) { try? await Task.sleep(for: .seconds(1_000)) }
        // Both entries are read at once.
        log.disconnect()
        let task = Task { try await stores[0].perform(.deliver(1)) }
        try await until { stores[0].statistics.pendingActions == 1 }
        #expect(stores[0].send(.stop).isAccepted)
        log.reconnect()
        try await task.value
        for store in stores { await store.end() }
        #expect(!done.all.contains("a1") || done.all.contains("a1 cancelled"))
        #expect(stores[0].snapshot.deliveries.isEmpty)
    }

    @Test("No effect begins before its action is in the log")
    func afterTheLog() async throws {
        let done = Events<String>()
        let stores = try await join(.origin, done)
        log.failAlways(.append, with: .error(.full))
        stores[0].send(.deliver(1))
        try await until { stores[0].statistics.lastProblem?.code == .full }
        #expect(done.all.isEmpty)
        log.failAlways(.append, with: nil)
        await done.wait(for: "a1")
        for store in stores { await store.end() }
    }

    @Test("Effects of actions that a replica catches up with are not run")
    func catchingUp() async throws {
        let done = Events<String>()
        let first = try await ShopStore.open(log)
        try await first.dispatch(.deliver(1))
        await first.reaches { $0.deliveries == [1] }
        for placement in [EffectPlacement.origin, .everyReplica, .leaseHolder(lasting: .seconds(60))] {
            for store in try await join(placement, done) {
                #expect(store.snapshot.deliveries == [1])
                await store.end()
            }
        }
        #expect(done.all.isEmpty)
        await first.end()
    }

    @TaskLocal private static var creator = "none"

    @Test(
        "An effect that shuts its own replica down is neither awaited nor cancelled",
        arguments: [ShutdownDrain.finishEffects, .cancelEffects]
    )
    func ownEnd(drain: ShutdownDrain) async throws {
        let done = Events<String>()
        let (replica, joined) = AsyncStream.makeStream(of: ShopStore.self)
        let stores = try await join(.origin, done) {
            for await store in replica { await store.shutdown(drain: drain) }
            done.add("ended")
        }
        try await stores[0].dispatch(.deliver(1))
        await done.wait(for: "a1")
        joined.yield(stores[0])
        joined.finish()
        await done.wait(for: "ended")
        #expect(done.all == ["a1", "ended"])
        await stores[1].end()
    }

    @Test("The effects of a replica do not run in the context of its creation")
    func context() async throws {
        let done = Events<String>()
        let store = try await Self.$creator.withValue("an effect") {
            try await ShopStore.open(log, ReplicationConfiguration(), Shop { _ in done.add(Self.creator) })
        }
        try await store.dispatch(.deliver(1))
        await store.reaches { $0.deliveries == [1] }
        #expect(done.all == ["none"])
        await store.end()
    }
}
