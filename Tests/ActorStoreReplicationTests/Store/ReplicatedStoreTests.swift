#if Replication
    import ActorStore
    @testable import ActorStoreReplication
    import Dispatch
    @testable import ReplicationWorkload
    import Testing

    @Suite("Replicated stores", .timeLimit(.minutes(10)))
    struct ReplicatedStoreTests {
        let redis: RedisProcess

        init() throws { redis = try RedisProcess() }

        @Test("When dispatch returns, this replica has reduced the action, and the others do, too, in the same order")
        func sameOrder() async throws {
            let stores = try await [ShopStore.join(redis), .join(redis), .join(redis)]
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (index, store) in stores.enumerated() {
                    group.addTask {
                        for number in 1...100 {
                            try await store.dispatch(.order(index * 1_000 + number))
                            #expect(store.snapshot.orders.last { $0 / 1_000 == index } == index * 1_000 + number)
                        }
                    }
                }
                try await group.waitForAll()
            }
            for store in stores { await store.reaches { $0.orders.count == 300 } }
            #expect(Set(stores.map(\.snapshot.orders)).count == 1)
            #expect(Set(stores.map(\.revision)) == [300])
            for (index, _) in stores.enumerated() {
                let mine = stores[0].snapshot.orders.filter { $0 / 1_000 == index }
                #expect(mine == Array(index * 1_000 + 1...index * 1_000 + 100))
            }
            for store in stores { try await store.end() }
        }

        @Test("What is sent comes in the order in which it was, with what is dispatched")
        func sending() async throws {
            let store = try await ShopStore.join(redis)
            for number in stride(from: 1, to: 1_000, by: 2) {
                store.send(.order(number))
                if number % 50 == 1 {
                    try await store.dispatch(.order(number + 1))
                } else {
                    store.store.send(.order(number + 1))
                }
            }
            try await store.commit()
            #expect(store.snapshot.orders == Array(1...1_000))
            #expect(store.statistics.pendingActions == 0)
            try await store.end()
        }

        @Test("A commit covers what was sent before, also if the store has not come to it yet")
        func commitAfterSending() async throws {
            let store = try await ShopStore.join(redis)
            let isHeld = DispatchSemaphore(value: 0)
            let mayGoOn = DispatchSemaphore(value: 0)
            let holder = Task { await store.store.hold(isHeld, until: mayGoOn) }
            isHeld.wait()
            store.send(.order(1))
            let orders = Task.immediate {
                try await store.commit()
                return store.snapshot.orders
            }
            mayGoOn.signal()
            #expect(try await orders.value == [1])
            await holder.value
            try await store.end()
        }

        @Test("A replica that joins later has everything, with or without a snapshot")
        func joining() async throws {
            let first = try await ShopStore.join(redis)
            try await first.order(1...50)
            let second = try await ShopStore.join(redis)
            #expect(second.snapshot.orders == Array(1...50))
            try await first.checkpoint()
            try await first.order(51...60)
            let third = try await ShopStore.join(redis)
            #expect(third.snapshot.orders == Array(1...60))
            #expect(third.revision == 60)
            try await third.dispatch(.order(61))
            await first.reaches { $0.orders.count == 61 }
            for store in [first, second, third] { try await store.end() }
        }

        @Test("Values of a replica are observed as in any store, whoever has sent the actions")
        func observing() async throws {
            let stores = try await [ShopStore.join(redis), .join(redis)]
            let values = stores[1].store.values(of: \.orders.count, buffering: .unbounded)
            let counts = Task {
                var counts: [Int] = []
                for await count in values {
                    counts.append(count)
                    if count == 20 { break }
                }
                return counts
            }
            try await stores[0].order(1...20)
            #expect(await counts.value == Array(0...20))
            for store in stores { try await store.end() }
        }

        @Test("The actions of a replica's store are those that come by the stream")
        func actions() async throws {
            let stores = try await [ShopStore.join(redis), .join(redis)]
            let actions = stores[1].store.actions
            let first = Task {
                for await (action, _) in actions { return Optional(action) }
                return nil
            }
            try await stores[0].dispatch(.order(7))
            #expect(await first.value == .order(7))
            for store in stores { try await store.end() }
        }

        @Test("After a restart a replica goes on where the stream is, and nothing comes twice")
        func restarting() async throws {
            for life in 0..<3 {
                let store = try await ShopStore.join(redis)
                #expect(store.snapshot.orders == Array(0..<life * 10))
                try await store.order(life * 10..<life * 10 + 10)
                try await store.end()
            }
        }

        @Test("An action that cannot be encoded makes dispatch throw, is reduced nowhere, and holds nobody up")
        func unencodable() async throws {
            let stores = try await [ShopStore.join(redis), .join(redis)]
            stores[0].send(.riddle(Shop.Riddle()))
            let error = await #expect(throws: ReplicationError.self) {
                try await stores[0].dispatch(.riddle(Shop.Riddle()))
            }
            guard case .unencodable = error?.cause else {
                Issue.record("It says \(String(describing: error)).")
                return
            }
            try await stores[0].order(1...3)
            await stores[1].reaches { $0.orders == [1, 2, 3] }
            #expect(stores[0].snapshot.orders == [1, 2, 3])
            #expect(stores[0].revision == 3)
            for store in stores { try await store.end() }
        }

        @Test("A shutdown waits for effects, and what they send is in the stream")
        func shutdown() async throws {
            let store = try await ShopStore.join(redis)
            for number in 1...20 { try await store.dispatch(.deliver(number)) }
            try await store.end()
            await #expect(throws: (any Error).self) { try await store.dispatch(.order(1)) }
            let next = try await ShopStore.join(redis)
            #expect(next.snapshot.deliveries.sorted() == Array(1...20))
            try await next.end()
        }

        @Test(
            "A shutdown reduces what effects send, also for an effect that waits for it, and in a task that is cancelled"
        )
        func shutdownWithFeedback() async throws {
            let gate = AsyncStream.makeStream(of: Void.self)
            let holder = LockedValue<Store<Shop.State, Shop.Action>?>(nil)
            let shop = Shop { number in
                for await _ in gate.stream { break }
                guard let store = holder.withLock({ $0 }) else { return }
                store.send(.order(number))
                // What somebody else than an effect sends is refused by now, so that only the other delivery comes.
                for await count in store.values(of: \.deliveries.count) where count > 0 || number == 1 { break }
            }
            let store = try await ShopStore.join(redis, shop: shop)
            holder.withLock { $0 = store.store }
            try await store.dispatch(.deliver(1))
            try await store.dispatch(.deliver(2))
            let end = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                try await store.end()
            }
            while store.send(.order(7)).isAccepted { await Task.yield() }
            gate.continuation.yield()
            gate.continuation.yield()
            try await end.value
            #expect(store.snapshot.deliveries.sorted() == [1, 2])
            #expect(!store.snapshot.orders.contains(1) && !store.snapshot.orders.contains(2))
            let next = try await ShopStore.join(redis)
            #expect(next.snapshot == store.snapshot)
            try await next.end()
        }

        @Test(
            "A replica that an observer suspends reduces what it has accepted, and ends",
            arguments: [ShutdownDrain.finishEffects, .cancelEffects]
        )
        func suspended(drain: ShutdownDrain) async throws {
            let (store, other) = try await (ShopStore.join(redis), ShopStore.join(redis))
            let orders = store.store.values(of: \.orders, buffering: .bounded(1, onOverflow: .suspendStore))
                .makeAsyncIterator()
            for number in 1...5 { #expect(store.send(.order(number)).isAccepted) }
            try await store.shutdown(drain: drain, within: .seconds(60))
            #expect(store.snapshot.orders == [1, 2, 3, 4, 5])
            await other.reaches { $0.orders == [1, 2, 3, 4, 5] }
            try await other.end()
            withExtendedLifetime(orders) {}
        }

        @Test("Several can wait for the same action")
        func severalWaiters() async throws {
            let store = try await ShopStore.join(redis)
            redis.kill()
            let dispatch = Task { try await store.dispatch(.order(1)) }
            while store.statistics.pendingActions == 0 { await Task.yield() }
            let commits = (0..<3).map { _ in Task { try await store.commit() } }
            let cancelled = Task { try await store.commit() }
            cancelled.cancel()
            await #expect(throws: ReplicationError("shop", .cancelled)) { try await cancelled.value }
            try redis.start()
            try await dispatch.value
            for commit in commits { try await commit.value }
            #expect(store.snapshot.orders == [1])
            try await store.end()
        }

        @Test("An action that is in the stream twice is seen once by those who observe actions")
        func observedOnce() async throws {
            let store = try await ShopStore.join(redis)
            let actions = store.store.actions
            let seen = Task {
                var seen: [Shop.Action] = []
                for await (action, _) in actions {
                    seen.append(action)
                    if action == .order(9) { break }
                }
                return seen
            }
            for _ in 0..<3 {
                try redis.perform(
                    "XADD",
                    "shop",
                    "*",
                    "origin",
                    "x",
                    "number",
                    "1",
                    "schema",
                    "1",
                    "action",
                    #"{"order":{"_0":1}}"#
                )
            }
            try await store.dispatch(.order(9))
            #expect(await seen.value == [.order(1), .order(9)])
            #expect(store.statistics.duplicates == 2)
            try await store.end()
        }

        @Test("A cancelled wait ends, and the action is reduced all the same")
        func cancelling() async throws {
            let store = try await ShopStore.join(redis)
            redis.kill()
            let dispatch = Task { try await store.dispatch(.order(1)) }
            while store.statistics.pendingActions == 0 { await Task.yield() }
            dispatch.cancel()
            await #expect(throws: ReplicationError("shop", .cancelled)) { try await dispatch.value }
            try redis.start()
            await store.reaches { $0.orders == [1] }
            try await store.end()
        }

        @Test("A store that is released without a shutdown leaves nothing behind that keeps it alive")
        func releasing() async throws {
            var store: ShopStore? = try await ShopStore.join(redis)
            try await store?.dispatch(.order(1))
            let weak = try #require(store).store.weak
            #expect(weak.isAlive)
            store = nil
            while weak.isAlive { try await Task.sleep(for: .milliseconds(1)) }
        }

        @Test("Nobody listening, joining says that the server cannot be reached")
        func unreachable() async throws {
            redis.kill()
            let error = await #expect(throws: ReplicationError.self) { try await ShopStore.join(redis) }
            guard case .unreachable = error?.cause else {
                Issue.record("It says \(String(describing: error)).")
                return
            }
        }

        @Test("A wrong password is refused for good, the right one opens")
        func passwords() async throws {
            try redis.perform("CONFIG", "SET", "requirepass", "secret")
            var server = redis.server
            for password in [nil, "guess"] {
                server.password = password
                let error = await #expect(throws: ReplicationError.self) {
                    try await Store.replicated(through: server, stream: "s", initialState: 0) {
                        (sum: inout Int, step: Int) in
                        sum += step
                    }
                }
                guard case .refused = error?.cause else {
                    Issue.record("It says \(String(describing: error)).")
                    return
                }
            }
            server.password = "secret"
            let store = try await Store.replicated(through: server, stream: "s", initialState: 0) {
                (sum: inout Int, step: Int) in sum += step
            }
            try await store.dispatch(3)
            #expect(store.snapshot == 3)
            try await store.shutdown(drain: .finishEffects)
        }

        @Test("What is no action cannot change a replicated store, because other replicas would not know of it")
        func isolation() async throws {
            let store = try await Store.replicated(through: redis.server, stream: "s", initialState: 0) {
                (sum: inout Int, step: Int) in sum += step
            }
            await #expect(throws: StoreError.notReplayable) { try await store.store.withIsolation("reset") { $0 = 7 } }
            #expect(store.snapshot == 0)
            try await store.shutdown(drain: .finishEffects)
        }
    }

    extension Store {
        /// Keeps the store busy.
        fileprivate func hold(_ isHeld: DispatchSemaphore, until mayGoOn: DispatchSemaphore) {
            isHeld.signal()
            mayGoOn.wait()
        }
    }
#endif
