import ActionLogConformance
import ActorStore
import Dispatch
import Foundation
import Testing

@testable import ActorStorePersistence

@Suite("Replicated stores", .timeLimit(.minutes(10)))
struct ReplicatedStoreTests {
    let memory = MemoryLog()
    let log: FaultyLog

    init() { log = FaultyLog(memory) }

    @Test("Sent actions arrive in their order, together with dispatched ones")
    func sending() async throws {
        let store = try await ShopStore.open(log)
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
        await store.end()
    }

    @Test("A commit covers earlier sent actions, also if the store has not processed them yet")
    func commitAfterSending() async throws {
        let store = try await ShopStore.open(log)
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
        await store.end()
    }

    @Test("Values of a replica are observed as in any store, whichever replica has sent the actions")
    func observing() async throws {
        let stores = try await [ShopStore.open(log), .open(log)]
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
        for store in stores { await store.end() }
    }

    @Test("The actions of a replica's store are those from the log, each once")
    func actions() async throws {
        let stores = try await [ShopStore.open(log), .open(log)]
        let actions = stores[1].store.actions
        let seen = Task {
            var seen: [Shop.Action] = []
            for await (action, _) in actions {
                seen.append(action)
                if action == .order(9) { break }
            }
            return seen
        }
        for store in stores { try await store.dispatch(.order(7), id: "seven") }
        // It is in the log twice, and is reduced once.
        log.fail(.append, with: .lostAnswer(.disconnected))
        try await stores[0].dispatch(.order(8))
        try await stores[0].dispatch(.order(9))
        #expect(await seen.value == [.order(7), .order(8), .order(9)])
        for store in stores { await store.end() }
    }

    @Test("A restarted replica continues at the end of the log, and reduces nothing twice", arguments: [true, false])
    func restarting(snapshotAtShutdown: Bool) async throws {
        let replication = ReplicationConfiguration(snapshotAtShutdown: snapshotAtShutdown)
        for life in 0..<3 {
            let store = try await ShopStore.open(log, replication)
            #expect(store.snapshot.orders == Array(0..<life * 10))
            #expect(store.recovery.snapshotRevision == (snapshotAtShutdown && life > 0 ? UInt64(life * 10) : nil))
            try await store.order(life * 10..<life * 10 + 10)
            await store.end()
        }
    }

    @Test("An action that cannot be encoded is refused, reduced nowhere, and blocks no other")
    func unencodable() async throws {
        let stores = try await [ShopStore.open(log), .open(log)]
        let failures = stores[0].store.errors
        let failure = Task {
            for await failure in failures { return Optional(failure) }; return nil
        }
        #expect(stores[0].send(.riddle(Shop.Riddle())) == .refused(.rejected(by: "log")))
        await expect(.unencodable) { try await stores[0].dispatch(.riddle(Shop.Riddle())) }
        await #expect(throws: StoreError.rejected(by: "log")) {
            try await stores[0].store.dispatch(.riddle(Shop.Riddle()))
        }
        #expect((await failure.value?.error as? ActionLogError)?.code == .unencodable)
        try await stores[0].order(1...3)
        await stores[1].reaches { $0.orders == [1, 2, 3] }
        #expect(stores[0].snapshot.orders == [1, 2, 3])
        #expect(stores[0].revision == 3)
        for store in stores { await store.end() }
    }

    @Test("An action too large for the log is refused, and others are accepted")
    func tooLarge() async throws {
        let store = try await Store.replicated(through: memory, initialState: "") {
            (text: inout String, more: String) in
            text += more
        }
        await expect(.tooLarge) { try await store.dispatch(String(repeating: "x", count: 65 << 20)) }
        try await store.dispatch("a")
        #expect(store.snapshot == "a")
        await store.shutdown(drain: .finishEffects)
    }

    @Test("An action with a name too long for the log is refused, and others are accepted")
    func longName() async throws {
        let log = SmallLog()
        let store = try await ShopStore.open(log)
        for count in [log.largestEntry, 513] {
            let name = String(repeating: "x", count: count)
            await expect(.tooLarge) { try await store.dispatch(.order(1), id: name) }
        }
        try await store.dispatch(.order(2), id: String(repeating: "ü", count: 256))
        #expect(store.snapshot.orders == [2])
        await store.end()
    }

    @Test("An action for a past revision is refused; one for a later revision is judged in its turn")
    func expected() async throws {
        let stores = try await [ShopStore.open(log), .open(log)]
        try await stores[0].order(1...3)
        try await stores[1].readBarrier()
        let appends = log.count(of: .append)
        await expect(.unexpectedRevision) { try await stores[1].dispatch(.order(4), expecting: 2) }
        #expect(log.count(of: .append) == appends)
        await expect(.unexpectedRevision) { try await stores[1].dispatch(.order(4), expecting: 4) }
        try await stores[1].dispatch(.order(4), expecting: 3)
        try await stores[0].readBarrier()
        #expect(stores.map(\.revision) == [4, 4])
        #expect(stores[0].snapshot.orders == [1, 2, 3, 4])
        for store in stores { await store.end() }
    }

    @Test("Several callers can wait for one action, and one of them can be cancelled")
    func severalWaiters() async throws {
        let store = try await ShopStore.open(log)
        log.disconnect()
        let dispatch = Task { try await store.dispatch(.order(1)) }
        try await until { store.statistics.pendingActions == 1 }
        let commits = (0..<3).map { _ in Task { try await store.commit() } }
        let cancelled = Task { try await store.commit() }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        log.reconnect()
        _ = try await dispatch.value
        for commit in commits { try await commit.value }
        #expect(store.snapshot.orders == [1])
        await store.end()
    }

    @Test("A cancelled wait ends, and the action is reduced")
    func cancelling() async throws {
        let store = try await ShopStore.open(log)
        log.disconnect()
        let dispatch = Task { try await store.dispatch(.order(1)) }
        try await until { store.statistics.pendingActions == 1 }
        dispatch.cancel()
        await #expect(throws: CancellationError.self) { try await dispatch.value }
        log.reconnect()
        await store.reaches { $0.orders == [1] }
        await store.end()
    }

    @Test("A cancelled read barrier ends")
    func cancelledBarrier() async throws {
        let store = try await ShopStore.open(log)
        let goOn = DispatchSemaphore(value: 0)
        log.failAlways(.wait, with: .wait(goOn))
        log.failAlways(.read, with: .wait(goOn))
        let other = try await ShopStore.open(memory)
        try await other.order([1])
        let barrier = Task { try await store.readBarrier() }
        barrier.cancel()
        await #expect(throws: CancellationError.self) { try await barrier.value }
        for call in [FaultyLog.Call.wait, .read] { log.failAlways(call, with: nil) }
        goOn.signal()
        try await store.readBarrier()
        #expect(store.snapshot.orders == [1])
        for store in [store, other] { await store.end() }
    }

    @Test("A performed action waits for its effects, their feedback, and the log")
    func performing() async throws {
        let done = Events<Int>()
        let store = try await ShopStore.open(
            log,
            ReplicationConfiguration(),
            Shop { number in
                try? await Task.sleep(for: .milliseconds(5))
                done.add(number)
            }
        )
        try await store.perform(.deliver(1))
        #expect(done.all == [1])
        #expect(store.snapshot.deliveries == [1])
        // At the store itself as well.
        try await store.store.perform(.deliver(2))
        #expect(store.snapshot.deliveries == [1, 2])
        // The task of a dispatch is that of its own effects.
        let task = try await store.dispatch(.deliver(3))
        try await task.finish()
        #expect(done.all == [1, 2, 3])
        await store.end()
    }

    @Test("A cancelled performance does not wait for an unreachable log to return the feedback of its effects")
    func cancelledFeedback() async throws {
        let store = try await ShopStore.open(log, ReplicationConfiguration(), Shop { [log] _ in log.disconnect() })
        let performance = Task { try await store.perform(.deliver(1)) }
        try await until { store.statistics.pendingActions == 1 && !store.statistics.isConnected }
        performance.cancel()
        await #expect(throws: CancellationError.self) { try await performance.value }
        #expect(store.snapshot.deliveries.isEmpty)
        log.reconnect()
        try await store.commit()
        #expect(store.snapshot.deliveries == [1])
        #expect(await store.end().isComplete)
    }

    @Test(
        "A performance throws if the store ends before it has reduced the feedback of its effects",
        arguments: [ShutdownDrain.finishEffects, .cancelEffects]
    )
    func feedbackAfterTheEnd(drain: ShutdownDrain) async throws {
        let goOn = DispatchSemaphore(value: 0)
        let store = try await ShopStore.open(
            log,
            ReplicationConfiguration(),
            Shop { [log] _ in log.fail(.append, with: .wait(goOn)) }
        )
        let appends = log.count(of: .append)
        let performance = Task { try await store.perform(.deliver(1)) }
        // The action, and its feedback, which is on its way.
        try await until { log.count(of: .append) == appends + 2 }
        await store.store.shutdown(drain: drain)
        goOn.signal()
        await expect(.closed) { try await performance.value }
        #expect(store.snapshot.deliveries.isEmpty)
        await store.end()
    }

    @Test("A performance throws if the replica ends before its effects send their feedback")
    func refusedFeedback() async throws {
        let goOn = AsyncStream.makeStream(of: Void.self)
        let begun = Events<Int>()
        let shop = Shop { number in
            begun.add(number)
            for await _ in goOn.stream { break }
        }
        let store = try await ShopStore.open(log, ReplicationConfiguration(), shop)
        let performance = Task { try await store.perform(.deliver(1)) }
        try await until { begun.all == [1] }
        let identity = ActionLogEntry.Identity(origin: "future", number: 1)
        let entry = ActionLogEntry(identity, header: #"{"kind":"saga"}"#, payload: Data())
        try log.connect().append([entry], if: AppendCondition(.contains(.start)))
        #expect(await store.failure()?.code == .unknownFormat)
        goOn.continuation.yield()
        await expect(.unknownFormat) { try await performance.value }
        #expect(store.snapshot.deliveries.isEmpty)
        await store.end()
    }

    @Test("Many performances are cancelled at once, and each in a short time")
    func manyCancelledFeedbacks() async throws {
        let count = 2_000
        let isBegun = LockedValue(false)
        let store = try await Store<Journal.State, Journal.Action>.replicated(
            through: log,
            initialState: Journal.State(),
            reducer: PreparedReducer { state, action in
                guard case .echo(let number) = action else { return .none }
                state.numbers.append(number)
                return .run { send in
                    while !isBegun.withLock({ $0 }) { try? await Task.sleep(for: .milliseconds(10)) }
                    send(.add(-number))
                }
            }
        )
        let performances = (0..<count).map { number in Task { try await store.perform(.echo(number)) } }
        try await until { store.snapshot.numbers.count == count }
        log.disconnect()
        isBegun.withLock { $0 = true }
        try await until { store.statistics.pendingActions == count }
        let start = ContinuousClock.now
        for performance in performances { performance.cancel() }
        for performance in performances {
            await #expect(throws: CancellationError.self) { try await performance.value }
        }
        // A pass over all pending actions for each of them took 26 seconds.
        #expect(ContinuousClock.now - start < .seconds(10))
        log.reconnect()
        #expect(await store.shutdown(drain: .finishEffects).isComplete)
    }

    @Test("Cancelling a performed action cancels its effects, begun or not")
    func cancelledPerforming() async throws {
        let done = Events<String>()
        let shop = Shop { number in
            done.add("begun \(number)")
            do { try await Task.sleep(for: .seconds(1_000)) } catch { done.add("cancelled \(number)") }
        }
        let store = try await ShopStore.open(log, ReplicationConfiguration(), shop)
        let begun = Task { try await store.perform(.deliver(1)) }
        await done.wait(for: "begun 1")
        begun.cancel()
        await #expect(throws: CancellationError.self) { try await begun.value }
        #expect(done.all == ["begun 1", "cancelled 1"])
        log.disconnect()
        let waiting = Task { try await store.perform(.deliver(2)) }
        try await until { store.statistics.pendingActions == 1 }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        log.reconnect()
        try await store.commit()
        await store.end()
        #expect(!done.all.contains("begun 2") || done.all.contains("cancelled 2"))
        #expect(store.snapshot.deliveries.isEmpty)
    }

    @Test("A store released without a shutdown leaves nothing behind that retains it")
    func releasing() async throws {
        var store: ShopStore? = try await ShopStore.open(log)
        try await store?.dispatch(.order(1))
        let weak = try #require(store).store.weak
        #expect(weak.isAlive)
        store = nil
        try await until { !weak.isAlive }
    }

    @Test("An unreachable log is reported at the opening")
    func unreachable() async throws {
        log.disconnect()
        await expect(.disconnected) { try await ShopStore.open(log) }
        log.reconnect()
        log.fail(.connect, with: .error(.refused))
        await expect(.refused) { try await ShopStore.open(log) }
        let store = try await ShopStore.open(log)
        await store.end()
    }

    @Test("Changes other than actions are refused by a replicated store, because other replicas would miss them")
    func isolation() async throws {
        let store = try await Store.replicated(through: log, initialState: 0) { (sum: inout Int, step: Int) in
            sum += step
        }
        await #expect(throws: StoreError.notReplayable) { try await store.store.withIsolation("reset") { $0 = 7 } }
        #expect(store.snapshot == 0)
        await store.shutdown(drain: .finishEffects)
    }

    @Test("The statistics have the position of the replica and the end of the log")
    func statistics() async throws {
        let store = try await ShopStore.open(log)
        try await store.order(1...10)
        let other = try await ShopStore.open(memory)
        let goOn = DispatchSemaphore(value: 0)
        log.failAlways(.wait, with: .wait(goOn))
        try await until { log.count(of: .wait) > 1 }
        try await other.order(11...15)
        _ = try await store.replica.writer.end(of: store.replica)
        let behind = store.statistics
        #expect(behind.lag >= 4 && behind.lag <= 6)
        log.failAlways(.wait, with: nil)
        goOn.signal()
        try await store.readBarrier()
        try await store.checkpoint()
        let statistics = store.statistics
        #expect(statistics.lag == 0)
        #expect(statistics.revision == 15)
        #expect(statistics.position == 17)
        #expect(statistics.entries == 17)
        #expect(statistics.snapshotRevision == 15)
        #expect(statistics.snapshotAge != nil)
        #expect(statistics.commits >= 1)
        #expect(statistics.lastCommitDuration <= statistics.longestCommitDuration)
        #expect(statistics.isConnected)
        #expect(statistics.failure == nil)
        for store in [store, other] { await store.end() }
        #expect(store.statistics.failure?.code == .closed)
    }
}

extension Store {
    /// Keeps the store busy.
    fileprivate func hold(_ isHeld: DispatchSemaphore, until mayGoOn: DispatchSemaphore) {
        isHeld.signal()
        mayGoOn.wait()
    }
}
