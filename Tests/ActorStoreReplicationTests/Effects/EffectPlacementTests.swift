#if Replication
    import ActorStore
    @testable import ActorStoreReplication
    @testable import ReplicationWorkload
    import Testing

    @Suite("Effects of replicated stores", .timeLimit(.minutes(10)))
    struct EffectPlacementTests {
        let redis: RedisProcess

        init() throws { redis = try RedisProcess() }

        /// Two replicas that say which of them delivers.
        func join(
            _ effects: EffectPlacement,
            _ log: Events<String>,
            work: @escaping @Sendable () async -> Void = {}
        ) async throws -> [ShopStore] {
            var stores: [ShopStore] = []
            for name in ["a", "b"] {
                let shop = Shop { number in
                    log.add("\(name)\(number)")
                    await work()
                    if Task.isCancelled { log.add("\(name)\(number) cancelled") }
                }
                stores.append(
                    try await .join(redis, ReplicationConfiguration(name: name, effects: effects), shop: shop)
                )
            }
            return stores
        }

        @Test("By default the replica runs them that the action was sent to, and what they send comes to all")
        func origin() async throws {
            let log = Events<String>()
            let stores = try await join(.origin, log)
            try await stores[0].dispatch(.deliver(1))
            try await stores[1].dispatch(.deliver(2))
            for store in stores { await store.reaches { $0.deliveries.count == 2 } }
            #expect(log.all.sorted() == ["a1", "b2"])
            for store in stores { try await store.end() }
        }

        @Test("On every replica, when asked, from when it has joined")
        func everywhere() async throws {
            let log = Events<String>()
            let stores = try await join(.everyReplica, log)
            try await stores[0].dispatch(.deliver(1))
            for store in stores { await store.reaches { $0.deliveries == [1, 1] } }
            #expect(log.all.sorted() == ["a1", "b1"])
            let late = try await join(.everyReplica, log)
            #expect(log.all.count == 2)
            for store in stores + late { try await store.end() }
        }

        @Test("What another replica's action cancels is cancelled where it runs")
        func cancelling() async throws {
            let log = Events<String>()
            let stores = try await join(.origin, log) { try? await Task.sleep(for: .seconds(1_000)) }
            try await stores[0].dispatch(.deliver(1))
            await log.wait(for: "a1")
            try await stores[1].dispatch(.stop)
            await log.wait(for: "a1 cancelled")
            for store in stores {
                try await store.end()
                #expect(store.snapshot.deliveries.isEmpty)
            }
        }

        @Test("Effects of what a replica catches up with are not run")
        func catchingUp() async throws {
            let log = Events<String>()
            let first = try await ShopStore.join(redis)
            try await first.dispatch(.deliver(1))
            await first.reaches { $0.deliveries == [1] }
            for placement in [EffectPlacement.origin, .everyReplica, .leaseHolder(lasting: .seconds(60))] {
                for store in try await join(placement, log) {
                    #expect(store.snapshot.deliveries == [1])
                    try await store.end()
                }
            }
            #expect(log.all.isEmpty)
            try await first.end()
        }

        @TaskLocal private static var creator = "none"

        @Test(
            "An effect that shuts its own replica down is neither waited for nor cancelled",
            arguments: [ShutdownDrain.finishEffects, .cancelEffects]
        )
        func ownEnd(drain: ShutdownDrain) async throws {
            let log = Events<String>()
            let (replica, joined) = AsyncStream.makeStream(of: ShopStore.self)
            let stores = try await join(.origin, log) {
                for await store in replica { try? await store.shutdown(drain: drain) }
                log.add("ended")
            }
            try await stores[0].dispatch(.deliver(1))
            await log.wait(for: "a1")
            joined.yield(stores[0])
            joined.finish()
            await log.wait(for: "ended")
            #expect(log.all == ["a1", "ended"])
            try await stores[1].end()
        }

        @Test("The effects of a replica do not run in the context in which it was created")
        func context() async throws {
            let log = Events<String>()
            let store = try await Self.$creator.withValue("an effect") {
                try await ShopStore.join(redis, shop: Shop { _ in log.add(Self.creator) })
            }
            try await store.dispatch(.deliver(1))
            await store.reaches { $0.deliveries == [1] }
            #expect(log.all == ["none"])
            try await store.end()
        }
    }
#endif
