#if Replication
    import ActorStore
    @testable import ActorStoreReplication
    @testable import ReplicationWorkload
    import Testing

    @Suite("Effects that one replica runs", .timeLimit(.minutes(10)))
    struct LeaseTests {
        let redis: RedisProcess

        init() throws { redis = try RedisProcess() }

        func join(
            _ name: String,
            lasting duration: Duration = .seconds(60),
            _ log: Events<String> = Events(),
            work: @escaping @Sendable () async -> Void = {}
        ) async throws -> ShopStore {
            try await ShopStore.join(
                redis,
                ReplicationConfiguration(name: name, effects: .leaseHolder(lasting: duration)),
                shop: Shop { number in
                    log.add("\(name)\(number)")
                    await work()
                    if Task.isCancelled { log.add("\(name)\(number) cancelled") }
                },
                leaseAcquired: .order(0)
            )
        }

        @Test("The first replica gets the lease, is told so by an action, and runs the effects of all")
        func first() async throws {
            let log = Events<String>()
            let first = try await join("a", log)
            await first.reaches { $0.orders == [0] }
            let second = try await join("b", log)
            try await second.dispatch(.deliver(1))
            try await first.dispatch(.deliver(2))
            for store in [first, second] { await store.reaches { $0.deliveries.sorted() == [1, 2] } }
            #expect(log.all.sorted() == ["a1", "a2"])
            #expect(first.lease?.token == 1)
            #expect(second.lease == nil)
            for store in [first, second] {
                #expect(store.snapshot.orders == [0])
                try await store.end()
            }
        }

        @Test("When the holder leaves, the next one gets the lease, with a higher token")
        func handOver() async throws {
            // It would last for so long that the test would not see its end, were it not given back.
            let first = try await join("a", lasting: .seconds(3_600))
            await first.reaches { $0.orders == [0] }
            let second = try await join("b", lasting: .milliseconds(400))
            #expect(second.lease == nil)
            try await first.end()
            // It may have got it before, if the machine is too busy for leases of that time.
            await second.reaches { $0.orders.count >= 2 }
            while second.lease?.token ?? 0 < 2 { try await Task.sleep(for: .milliseconds(1)) }
            try await second.end()
        }

        @Test("When the holder is gone without a word, its lease ends, and the next one takes over")
        func expiry() async throws {
            var first: ShopStore? = try await join("a", lasting: .milliseconds(400))
            await first?.reaches { $0.orders == [0] }
            let second = try await join("b", lasting: .milliseconds(400))
            first = nil
            await second.reaches { $0.orders.count >= 2 }
            while second.lease?.token ?? 0 < 2 { try await Task.sleep(for: .milliseconds(1)) }
            try await second.end()
        }

        @Test("What a former holder still sends is reduced nowhere")
        func fencing() async throws {
            while try await !isFenced() { try redis.perform("FLUSHALL") }
        }

        /// - Returns: false if the holder has looked at its lease, every 30 seconds, before it sent the action.
        private func isFenced() async throws -> Bool {
            let log = Events<String>()
            let gate = AsyncStream.makeStream(of: Void.self)
            let first = try await join("a", lasting: .seconds(3_000), log) { for await _ in gate.stream { return } }
            await first.reaches { $0.orders == [0] }
            try await first.dispatch(.deliver(1))
            await log.wait(for: "a1")
            // As if the lease had ended while the holder stood still.
            try redis.perform("DEL", "{shop}:lease")
            let second = try await join("b", lasting: .seconds(3_000), log)
            await second.reaches { $0.orders.count >= 2 }
            gate.continuation.yield()
            // The holder's next action comes behind it.
            while first.statistics.fencedActions == 0, !log.all.contains("a1 cancelled") {
                try await first.dispatch(.order(5))
            }
            let isFenced = first.statistics.fencedActions == 1
            try await second.dispatch(.order(6))
            await first.reaches { $0.orders.last == 6 }
            if isFenced { #expect(second.statistics.fencedActions == 1) }
            for store in [first, second] {
                #expect(store.snapshot.deliveries.isEmpty)
                try await store.end()
            }
            return isFenced
        }

        @Test("A holder that learns that its time is over cancels what it has begun")
        func losing() async throws {
            let log = Events<String>()
            let first = try await join("a", lasting: .milliseconds(400), log) {
                try? await Task.sleep(for: .seconds(1_000))
            }
            await first.reaches { $0.orders == [0] }
            // On a busy machine the time of a lease may be over before it is renewed; then nobody runs an effect.
            var number = 0
            while log.all.isEmpty {
                number += 1
                try await first.dispatch(.deliver(number))
                try await Task.sleep(for: .milliseconds(1))
            }
            redis.kill()
            await log.wait { $0.contains { $0.hasSuffix("cancelled") } }
            while first.lease != nil { try await Task.sleep(for: .milliseconds(1)) }
            try redis.start()
            await first.reaches { $0.orders.count >= 2 }
            while first.lease?.token ?? 0 < 2 { try await Task.sleep(for: .milliseconds(1)) }
            try await first.end()
        }

        @Test("A claim lasts for its time, from when it was asked for")
        func claims() {
            let start = ContinuousClock.now
            var claim = LeaseClaim(duration: .seconds(10))
            #expect(claim.token(at: start) == nil)
            _ = claim.grant(1, askedAt: start, now: start)
            #expect(claim.token(at: start + .seconds(9)) == 1)
            #expect(claim.token(at: start + .seconds(10)) == nil)
            _ = claim.grant(1, askedAt: start + .seconds(5), now: start + .seconds(5))
            let early = claim.expire(at: start + .seconds(14))
            let late = claim.expire(at: start + .seconds(15))
            let again = claim.expire(at: start + .seconds(16))
            #expect(!early && late && !again)
            _ = claim.grant(1, askedAt: start, now: start)
            let tooLate = claim.grant(1, askedAt: start + .seconds(9), now: start + .seconds(11))
            let another = claim.grant(2, askedAt: start + .seconds(11), now: start + .seconds(12))
            #expect(!tooLate && another)
        }
    }
#endif
