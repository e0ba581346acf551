#if Replication
    import ActorStore
    @testable import ActorStoreReplication
    import ActorStorePersistence
    import Foundation
    @testable import ReplicationWorkload
    import Testing

    @Suite("Replicas that lose their server", .timeLimit(.minutes(10)))
    struct ConnectionTests {
        let redis: RedisProcess

        init() throws { redis = try RedisProcess() }

        @Test("While connections are cut again and again, every action is reduced once, in order")
        func cuts() async throws {
            let stores = try await [ShopStore.join(redis), .join(redis)]
            // Each time when some have got through, so that it ends on a slow machine, too.
            let counts = stores[0].store.values(of: \.orders.count)
            let cutting = Task {
                var next = 20
                for await count in counts where count >= next {
                    try redis.cutConnections()
                    next = count + 20
                }
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (index, store) in stores.enumerated() {
                    group.addTask { try await store.order(index * 1_000..<index * 1_000 + 150) }
                    group.addTask {
                        for number in 500..<900 { store.send(.order(index * 1_000 + number)) }
                        try await store.commit()
                    }
                }
                try await group.waitForAll()
            }
            for store in stores { await store.reaches { $0.orders.count == 1_100 } }
            cutting.cancel()
            let orders = stores[0].snapshot.orders
            #expect(stores[1].snapshot.orders == orders)
            for index in 0..<2 {
                let mine = orders.filter { $0 / 1_000 == index }.map { $0 % 1_000 }
                #expect(mine.filter { $0 < 500 } == Array(0..<150))
                #expect(mine.filter { $0 >= 500 } == Array(500..<900))
            }
            #expect(stores[0].statistics.disconnections > 0)
            for store in stores { try await store.end() }
        }

        @Test("What is dispatched while the server is away waits for it, and is reduced once")
        func buffering() async throws {
            let store = try await ShopStore.join(redis)
            try await store.dispatch(.order(0))
            redis.kill()
            for number in 1...5 { store.send(.order(number)) }
            let dispatch = Task { try await store.dispatch(.order(6)) }
            while store.statistics.isConnected { try await Task.sleep(for: .milliseconds(1)) }
            #expect(store.snapshot.orders == [0])
            try redis.start()
            try await dispatch.value
            #expect(store.snapshot.orders == Array(0...6))
            #expect(store.statistics.failure == nil)
            try await store.end()
        }

        @Test("More than may wait is refused, and taken again when the server is back")
        func overload() async throws {
            let store = try await ShopStore.join(redis, ReplicationConfiguration(pendingLimit: 3))
            redis.kill()
            let outcomes = (1...5).map { store.send(.order($0)) }
            #expect(outcomes.map(\.isAccepted) == [true, true, true, false, false])
            #expect(outcomes.last == .refused(.rejected(by: "replication")))
            await #expect(throws: ReplicationError("shop", .overloaded(limit: 3))) {
                try await store.dispatch(.order(6))
            }
            #expect(store.statistics.pendingActions == 3)
            try redis.start()
            try await store.commit()
            try await store.dispatch(.order(7))
            #expect(store.snapshot.orders == [1, 2, 3, 7])
            try await store.end()
        }

        @Test("Told to refuse actions without a server, a replica does until it is back")
        func refusing() async throws {
            let store = try await ShopStore.join(redis, ReplicationConfiguration(whileDisconnected: .refuse))
            redis.kill()
            while store.statistics.isConnected { try await Task.sleep(for: .milliseconds(1)) }
            await #expect(throws: ReplicationError("shop", .disconnected)) { try await store.dispatch(.order(1)) }
            try redis.start()
            while !store.statistics.isConnected { try await Task.sleep(for: .milliseconds(1)) }
            try await store.dispatch(.order(2))
            #expect(store.snapshot.orders == [2])
            try await store.end()
        }

        @Test("A server that has lost its end stops a replica that had reduced it, and says where")
        func lostEnd() async throws {
            let store = try await ShopStore.join(redis)
            try await store.order(1...3)
            let position = store.statistics.position
            try redis.loseData()
            while store.statistics.failure == nil { try await Task.sleep(for: .milliseconds(1)) }
            #expect(store.statistics.failure == ReplicationError("shop", at: position, .lostEnd))
            await #expect(throws: ReplicationError("shop", at: position, .lostEnd)) {
                try await store.dispatch(.order(4))
            }
            #expect(store.snapshot.orders == [1, 2, 3])
            await #expect(throws: ReplicationError("shop", at: position, .lostEnd)) { try await store.end() }
        }

        @Test("A stream that was begun anew is noticed, too, when it is as long as before")
        func otherStream() async throws {
            let store = try await ShopStore.join(redis.socketServer)
            try await store.order(1...3)
            let position = store.statistics.position
            try redis.hideSocket()
            try redis.cutConnections()
            while store.statistics.isConnected { try await Task.sleep(for: .milliseconds(1)) }
            try redis.perform("DEL", "shop")
            for number in 1...5 {
                try redis.perform("XADD", "shop", "*", "origin", "x", "number", "\(number)", "schema", "1")
            }
            try redis.showSocket()
            while store.statistics.failure == nil { try await Task.sleep(for: .milliseconds(1)) }
            #expect(store.statistics.failure == ReplicationError("shop", at: position, .missingEntries))
        }

        @Test("A stream that is begun anew while a replica follows it is noticed at once")
        func otherStreamWhileFollowing() async throws {
            let store = try await ShopStore.join(redis)
            try await store.order(1...3)
            let position = store.statistics.position
            try redis.perform("DEL", "shop")
            try redis.perform("XADD", "shop", "*", "origin", "x", "number", "1", "schema", "1")
            while store.statistics.failure == nil { try await Task.sleep(for: .milliseconds(1)) }
            #expect(store.statistics.failure == ReplicationError("shop", at: position, .missingEntries))
            #expect(store.send(.order(4)) == .refused(.rejected(by: "replication")))
            await #expect(throws: ReplicationError("shop", at: position, .missingEntries)) { try await store.commit() }
            await #expect(throws: ReplicationError("shop", at: position, .missingEntries)) {
                try await store.checkpoint()
            }
        }

        @Test(
            "Numbers that a stranger makes up stop a replica, and never trap",
            arguments: ["0", "18446744073709551615", "9223372036854775808", "4611686018427387905", "-1", "x", ""]
        )
        func strangeNumbers(number: String) async throws {
            for field in ["number", "lease"] {
                try redis.perform("DEL", "shop")
                let store = try await ShopStore.join(redis)
                try await store.order([1])
                try redis.perform("XADD", "shop", "*", "origin", "x", field, number, "schema", "1")
                while store.statistics.failure == nil { try await Task.sleep(for: .milliseconds(1)) }
                guard case .foreignEntry = store.statistics.failure?.cause else {
                    Issue.record("It says \(String(describing: store.statistics.failure)).")
                    return
                }
            }
        }

        @Test("An entry that a stranger writes in the name of a replica stops that one")
        func borrowedOrigin() async throws {
            let store = try await ShopStore.join(redis)
            try await store.order([1])
            let action = #"{"order":{"_0":1}}"#
            for number in ["2", "4611686018427387904"] {
                try redis.perform(
                    "XADD",
                    "shop",
                    "*",
                    "origin",
                    store.origin,
                    "number",
                    number,
                    "schema",
                    "1",
                    "action",
                    action
                )
            }
            while store.statistics.failure == nil { try await Task.sleep(for: .milliseconds(1)) }
            guard case .foreignEntry = store.statistics.failure?.cause else {
                Issue.record("It says \(String(describing: store.statistics.failure)).")
                return
            }
            #expect(store.snapshot.orders == [1])
        }

        @Test("A snapshot whose numbers are made up is passed over")
        func strangeSnapshot() async throws {
            let store = try await ShopStore.join(redis)
            try await store.order(1...2)
            try await store.checkpoint()
            let log = try #require(redis.perform("HGET", "{shop}:snapshot", "log").string)
            let strange = log.replacingOccurrences(of: #""revision":2"#, with: #""revision":18446744073709551615"#)
            #expect(strange != log)
            try redis.perform("HSET", "{shop}:snapshot", "log", strange)
            let second = try await ShopStore.join(redis)
            #expect(second.snapshot.orders == [1, 2])
            #expect(second.revision == 2)
            for store in [store, second] { try await store.end() }
        }

        @Test("A server that is out of memory has actions wait, and takes them when there is room")
        func outOfMemory() async throws {
            let store = try await ShopStore.join(redis)
            try redis.perform("CONFIG", "SET", "maxmemory", "1")
            let dispatches = Task { try await store.order(1...20) }
            while store.statistics.lastProblem == nil { try await Task.sleep(for: .milliseconds(1)) }
            #expect(store.snapshot.orders.isEmpty)
            try redis.perform("CONFIG", "SET", "maxmemory", "0")
            try await dispatches.value
            #expect(store.snapshot.orders == Array(1...20))
            try await store.end()
        }

        @Test("A shutdown without a server ends in time, and says how many actions are unknown")
        func shutdownWithoutServer() async throws {
            let store = try await ShopStore.join(redis)
            redis.kill()
            for number in 1...3 { store.send(.order(number)) }
            await #expect(throws: ReplicationError("shop", .unacknowledged(count: 3))) {
                try await store.shutdown(drain: .finishEffects, within: .milliseconds(50))
            }
        }

        @Test("An entry that somebody else has written stops the replica before it, and says which")
        func foreignEntries() async throws {
            let store = try await ShopStore.join(redis)
            try await store.order(1...2)
            let id = try redis.perform("XADD", "shop", "*", "hello", "world").string ?? ""
            while store.statistics.failure == nil { try await Task.sleep(for: .milliseconds(1)) }
            let error = try #require(store.statistics.failure)
            #expect(error.position == StreamPosition(id))
            guard case .foreignEntry = error.cause else {
                Issue.record("It says \(error).")
                return
            }
            #expect(store.snapshot.orders == [1, 2])
        }

        @Test("An action that cannot be read stops the replica, and says which; so does one of a newer schema")
        func unreadable() async throws {
            for (schema, payload) in [("1", "{"), ("1", #"{"unknown":{}}"#), ("2", #"{"order":{"_0":1}}"#)] {
                try redis.perform("DEL", "shop")
                let store = try await ShopStore.join(redis)
                try await store.order([1])
                try redis.perform(
                    "XADD",
                    "shop",
                    "*",
                    "origin",
                    "x",
                    "number",
                    "1",
                    "schema",
                    schema,
                    "action",
                    payload
                )
                while store.statistics.failure == nil { try await Task.sleep(for: .milliseconds(1)) }
                switch (schema, store.statistics.failure?.cause) {
                case ("1", .undecodable): break
                case ("2", .unknownSchema(2)): break
                case (_, let cause): Issue.record("It says \(String(describing: cause)).")
                }
                #expect(store.snapshot.orders == [1])
            }
        }

        @Test("Actions and snapshots of an older schema are migrated")
        func migration() async throws {
            let first = try await ShopStore.join(redis)
            try await first.order(1...3)
            try await first.checkpoint()
            try await first.order(4...5)
            try await first.end()
            let schema = StateSchema(version: 2) { version, data in
                #expect(version == 1)
                let action = try JSONDecoder().decode(Shop.Action.self, from: data)
                guard case .order(let number) = action else { return data }
                return try JSONEncoder().encode(Shop.Action.order(number * 10))
            } migrateState: { _, data in
                var state = try JSONDecoder().decode(Shop.State.self, from: data)
                state.orders = state.orders.map { $0 * 10 }
                return try JSONEncoder().encode(state)
            }
            let second = try await ShopStore.join(redis, ReplicationConfiguration(schema: schema))
            #expect(second.snapshot.orders == [10, 20, 30, 40, 50])
            try await second.end()
        }
    }
#endif
