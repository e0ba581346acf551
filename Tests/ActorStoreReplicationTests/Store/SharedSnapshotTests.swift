#if Replication
    import ActorStore
    @testable import ActorStoreReplication
    @testable import ReplicationWorkload
    import Testing

    @Suite("Snapshots on the server, and the stream behind them", .timeLimit(.minutes(10)))
    struct SharedSnapshotTests {
        let redis: RedisProcess

        init() throws { redis = try RedisProcess() }

        func snapshotRevision(_ key: String = "{shop}:snapshot") throws -> Int? {
            try redis.perform("HGET", key, "revision").number.map { Int($0) }
        }

        /// Waits until so many replicas have said how far they are, which they do again half a minute later only. What
        /// they said can be taken away in between, so that nobody is waited for.
        func waitForPresence(of count: UInt64) async throws {
            while try redis.perform("HLEN", "{shop}:replicas").number != count {
                try await Task.sleep(for: .milliseconds(1))
            }
        }

        @Test("One of the replicas makes a snapshot after so many actions, wherever they come from")
        func automatic() async throws {
            let replication = ReplicationConfiguration(snapshotInterval: 50)
            let stores = try await [ShopStore.join(redis, replication), .join(redis, replication)]
            try await stores[0].order(1...40)
            try await stores[1].order(41...60)
            while try snapshotRevision() != 50 { try await Task.sleep(for: .milliseconds(1)) }
            try await stores[0].order(61...100)
            while try snapshotRevision() != 100 { try await Task.sleep(for: .milliseconds(1)) }
            #expect(try snapshotRevision("{shop}:snapshot:previous") == 50)
            for store in stores { try await store.end() }
        }

        @Test("A snapshot does not take the place of a newer one")
        func newer() async throws {
            let stores = try await [ShopStore.join(redis), .join(redis)]
            try await stores[0].order(1...10)
            await stores[1].reaches { $0.orders.count == 10 }
            try await stores[0].checkpoint()
            try await stores[1].checkpoint()
            #expect(try snapshotRevision() == 10)
            #expect(try snapshotRevision("{shop}:snapshot:previous") == nil)
            for store in stores { try await store.end() }
        }

        @Test("The stream is trimmed behind the second newest snapshot, and replicas join all the same")
        func trimming() async throws {
            let store = try await ShopStore.join(redis)
            try await waitForPresence(of: 1)
            for checkpoint in 1...5 {
                try await store.order(checkpoint * 100..<checkpoint * 100 + 20)
                try redis.perform("DEL", "{shop}:replicas")
                try await store.checkpoint()
            }
            // Those after the fourth, and the entry at its place.
            #expect(try redis.streamLength("shop") == 21)
            let second = try await ShopStore.join(redis)
            #expect(second.snapshot == store.snapshot)
            #expect(second.revision == 100)
            try await store.order([1])
            await second.reaches { $0.orders.last == 1 }
            for store in [store, second] { try await store.end() }
        }

        @Test("What a replica has not reduced that is still heard of is not trimmed")
        func slowReplicas() async throws {
            let store = try await ShopStore.join(redis)
            try await waitForPresence(of: 1)
            try await store.order(1...10)
            let position = store.statistics.position
            let now = try #require(redis.perform("TIME").elements?.first?.string)
            for checkpoint in 1...3 {
                try await store.order(checkpoint * 100..<checkpoint * 100 + 20)
                try redis.perform("DEL", "{shop}:replicas")
                try redis.perform("HSET", "{shop}:replicas", "slow", "\(position) \(now)")
                try await store.checkpoint()
            }
            #expect(try redis.streamLength("shop") == 61)
            // Once it has not been heard of for long enough, it is not waited for.
            try redis.perform("HSET", "{shop}:replicas", "slow", "\(position) 1")
            try await store.order([1])
            try await store.checkpoint()
            #expect(try redis.streamLength("shop") == 2)
            #expect(try redis.perform("HEXISTS", "{shop}:replicas", "slow").number == 0)
            try await store.end()
        }

        @Test("Told so, nothing is trimmed")
        func never() async throws {
            let store = try await ShopStore.join(redis, ReplicationConfiguration(trimming: .never))
            for number in 1...4 {
                try await store.order([number])
                try await store.checkpoint()
            }
            #expect(try redis.streamLength("shop") == 4)
            try await store.end()
        }

        @Test("A replica that was away while the stream was trimmed goes on with the newest snapshot")
        func awayForLong() async throws {
            let stores = try await [ShopStore.join(redis), .join(redis.socketServer)]
            try await stores[0].order(1...5)
            await stores[1].reaches { $0.orders.count == 5 }
            try await waitForPresence(of: 2)
            try redis.hideSocket()
            try redis.cutConnections()
            while stores[1].statistics.isConnected { try await Task.sleep(for: .milliseconds(1)) }
            stores[1].send(.order(-1))
            for checkpoint in 1...2 {
                try await stores[0].order(checkpoint * 100..<checkpoint * 100 + 25)
                try redis.perform("DEL", "{shop}:replicas")
                try await stores[0].checkpoint()
            }
            #expect(try redis.streamLength("shop") == 26)
            #expect(stores[1].snapshot.orders.count == 5)
            try redis.showSocket()
            for store in stores { await store.reaches { $0.orders.last == -1 } }
            #expect(stores[0].snapshot == stores[1].snapshot)
            #expect(stores.map(\.revision) == [56, 56])
            #expect(stores.allSatisfy { $0.statistics.failure == nil })
            for store in stores { try await store.end() }
        }

        @Test("A snapshot that cannot be read is passed over for the one before, or for the whole stream")
        func broken() async throws {
            let store = try await ShopStore.join(redis, ReplicationConfiguration(trimming: .never))
            for number in 1...4 {
                try await store.order([number])
                try await store.checkpoint()
            }
            try redis.perform("HSET", "{shop}:snapshot", "state", "{")
            let second = try await ShopStore.join(redis)
            #expect(second.snapshot.orders == [1, 2, 3, 4])
            try redis.perform("HSET", "{shop}:snapshot:previous", "log", "[]")
            let third = try await ShopStore.join(redis)
            #expect(third.snapshot.orders == [1, 2, 3, 4])
            // With a stream that does not reach back to its beginning there is nothing to begin with.
            try redis.perform("XTRIM", "shop", "MAXLEN", "2")
            let error = await #expect(throws: ReplicationError.self) { try await ShopStore.join(redis) }
            guard case .undecodable = error?.cause else {
                Issue.record("It says \(String(describing: error)).")
                return
            }
            for store in [store, second, third] { try await store.end() }
        }

        @Test("A stream whose beginning is gone, without a snapshot, is an error")
        func trimmedByOthers() async throws {
            let store = try await ShopStore.join(redis)
            try await store.order(1...4)
            try redis.perform("XTRIM", "shop", "MAXLEN", "2")
            await #expect(throws: ReplicationError("shop", at: .zero, .missingEntries)) {
                try await ShopStore.join(redis)
            }
            try await store.end()
        }
    }
#endif
