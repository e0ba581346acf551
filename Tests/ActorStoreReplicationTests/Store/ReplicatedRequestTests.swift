#if Replication
    import ActorStore
    @testable import ActorStoreReplication
    @testable import ReplicationWorkload
    import Testing

    @Suite("Requests to replicated stores", .timeLimit(.minutes(10)))
    struct ReplicatedRequestTests {
        let redis: RedisProcess

        init() throws { redis = try RedisProcess() }

        @Test("A request is answered at its place in the order of all replicas, and only there")
        func placeInTheOrder() async throws {
            let stores = try await [ShopStore.join(redis), .join(redis), .join(redis)]
            let places = try await withThrowingTaskGroup(of: [Int: Int].self) { group in
                for (index, store) in stores.enumerated() {
                    group.addTask {
                        var places: [Int: Int] = [:]
                        for number in 1...50 {
                            let order = index * 1_000 + number
                            places[order] = try await store.ask(Shop.Queue(order: order))
                        }
                        return places
                    }
                }
                return try await group.reduce(into: [:]) { $0.merge($1) { first, _ in first } }
            }
            for store in stores { await store.reaches { $0.orders.count == 150 } }
            let expected = Dictionary(
                uniqueKeysWithValues: stores[0].snapshot.orders.enumerated().map { ($0.element, $0.offset + 1) }
            )
            #expect(places == expected)
            for store in stores { try await store.end() }
        }

        @Test("A request that was cut off from the server is answered once it has come through")
        func disconnection() async throws {
            let store = try await ShopStore.join(redis)
            redis.kill()
            let place = Task { try await store.ask(Shop.Queue(order: 7)) }
            while store.statistics.isConnected { try await Task.sleep(for: .milliseconds(1)) }
            try redis.start()
            #expect(try await place.value == 1)
            try await store.end()
        }

        @Test("A request that no reducer answers is reduced, and says that it was not answered")
        func unanswered() async throws {
            let store = try await ShopStore.join(redis)
            await #expect(throws: StoreError.unanswered) { try await store.ask(Shop.Silence()) }
            #expect(store.revision == 1)
            try await store.end()
        }

        @Test("A request that is refused is not reduced, and says why it was refused")
        func refusal() async throws {
            let store = try await ShopStore.join(redis)
            try await store.end()
            await #expect(throws: (any Error).self) { try await store.ask(Shop.Queue(order: 7)) }
            #expect(store.snapshot.orders.isEmpty)
        }

        @Test("The answer to a request that this replica has not reduced itself is missed")
        func snapshotInItsPlace() async throws {
            let stores = try await [ShopStore.join(redis), .join(redis.socketServer)]
            // Its reader loses its connection, and its writer, which has one since the first action, does not.
            try await stores[1].order([0])
            try redis.hideSocket()
            let clients = try #require(redis.perform("CLIENT", "LIST").string)
            let reader = try #require(
                clients.split(separator: "\n").first { $0.contains("cmd=xread") && $0.contains("addr=/") }
            )
            let id = try #require(reader.split(separator: " ").first { $0.hasPrefix("id=") }).dropFirst(3)
            try redis.perform("CLIENT", "KILL", "ID", String(id))
            while stores[1].statistics.isConnected { try await Task.sleep(for: .milliseconds(1)) }
            let place = Task { try await stores[1].ask(Shop.Queue(order: -1)) }
            await stores[0].reaches { $0.orders.last == -1 }
            for number in 1...2 {
                try await stores[0].order([number])
                try redis.perform("DEL", "{shop}:replicas")
                try await stores[0].checkpoint()
            }
            try redis.showSocket()
            await #expect(throws: ReplicationError("shop", .missedAnswer)) { try await place.value }
            #expect(stores[1].snapshot.orders.contains(-1))
            for store in stores { try await store.end() }
        }
    }
#endif
