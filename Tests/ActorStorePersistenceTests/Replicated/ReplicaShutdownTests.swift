import ActionLogConformance
import ActorStore
import Dispatch
import Foundation
import Testing

@testable import ActorStorePersistence

@Suite("Shutdowns of replicated stores", .timeLimit(.minutes(10)))
struct ReplicaShutdownTests {
    let memory = MemoryLog()
    let log: FaultyLog

    init() { log = FaultyLog(memory) }

    @Test("A shutdown waits for effects, and their actions are in the log")
    func effects() async throws {
        let store = try await ShopStore.open(log)
        for number in 1...20 { try await store.dispatch(.deliver(number)) }
        #expect(await store.end().isComplete)
        await #expect(throws: (any Error).self) { try await store.dispatch(.order(1)) }
        #expect(!store.send(.order(1)).isAccepted)
        let next = try await ShopStore.open(log)
        #expect(next.snapshot.deliveries.sorted() == Array(1...20))
        await next.end()
        #expect(await store.end().failure == nil)
    }

    @Test("A shutdown reduces actions of effects, also if an effect awaits it, and in a cancelled task")
    func feedback() async throws {
        let gate = AsyncStream.makeStream(of: Void.self)
        let holder = LockedValue<Store<Shop.State, Shop.Action>?>(nil)
        let shop = Shop { number in
            for await _ in gate.stream { break }
            guard let store = holder.withLock({ $0 }) else { return }
            store.send(.order(number))
            // Actions of other senders than effects are refused by now, so only the other delivery comes.
            for await count in store.values(of: \.deliveries.count) where count > 0 || number == 1 { break }
        }
        let store = try await ShopStore.open(log, ReplicationConfiguration(), shop)
        holder.withLock { $0 = store.store }
        try await store.dispatch(.deliver(1))
        try await store.dispatch(.deliver(2))
        let end = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await store.end()
        }
        try await until { !store.send(.order(7)).isAccepted }
        gate.continuation.yield()
        gate.continuation.yield()
        #expect(await end.value.isComplete)
        #expect(store.snapshot.deliveries.sorted() == [1, 2])
        #expect(!store.snapshot.orders.contains(1) && !store.snapshot.orders.contains(2))
        let next = try await ShopStore.open(log)
        #expect(next.snapshot == store.snapshot)
        await next.end()
    }

    @Test("A shutdown that cancels effects also cancels those of actions that come back from the log meanwhile")
    func laterEffects() async throws {
        let begun = Events<Int>()
        let shop = Shop { number in
            begun.add(number)
            while !Task.isCancelled { try? await Task.sleep(for: .seconds(1_000)) }
        }
        let store = try await ShopStore.open(log, ReplicationConfiguration(), shop)
        let goOn = DispatchSemaphore(value: 0)
        log.failAlways(.append, with: .wait(goOn))
        #expect(store.send(.deliver(1)).isAccepted)
        let shutdown = Task { await store.shutdown(drain: .cancelEffects) }
        try await until { !store.send(.order(1)).isAccepted }
        log.failAlways(.append, with: nil)
        goOn.signal()
        #expect(await shutdown.value.isComplete)
    }

    @Test(
        "A shutdown does not end while an action comes back from the log, or an effect sends one",
        arguments: [
            // The pending actions and the newest settled one, before and after the look at the effects.
            (before: (0, 3), after: (0, 3), isQuiet: true),
            ((1, 3), (0, 4), false),
            ((0, 3), (1, 3), false),
            ((0, 3), (0, 4), false),
            ((1, 3), (1, 3), false),
        ] as [(before: (Int, UInt64), after: (Int, UInt64), isQuiet: Bool)]
    )
    func quietness(before: (Int, UInt64), after: (Int, UInt64), isQuiet: Bool) async {
        for isIdle in [true, false] {
            var (actions, settled) = before
            let found = await ShopStore.isQuiet {
                (actions, settled, actions == 0)
            } isIdle: {
                (actions, settled) = after
                return isIdle
            }
            #expect(found == (isQuiet && isIdle))
        }
    }

    @Test("A shutdown that cancels effects also cancels those of child stores")
    func effectsOfChildren() async throws {
        let begun = Events<Int>()
        let shop = Shop { number in
            begun.add(number)
            while !Task.isCancelled { try? await Task.sleep(for: .seconds(1_000)) }
        }
        let store = try await ShopStore.open(log)
        let child = store.store.child(initialState: Shop.State(), reducer: shop) { _ in true }
        try await child.dispatch(.deliver(1))
        await begun.wait(for: 1)
        #expect(await store.shutdown(drain: .cancelEffects).isComplete)
        withExtendedLifetime(child) {}
    }

    @Test("An action encoded while the replica ends is refused, and its effects are not awaited")
    func endWithinTurn() async throws {
        let codec = InterruptedCodec()
        let store = try await ShopStore.open(log, ReplicationConfiguration(codec: codec))
        let errors = store.store.errors
        codec.whileEncoding.withLock { [replica = store.replica] body in
            body = { replica.end(ActionLogError(.refused, in: "memory", "A test ends the replica.")) }
        }
        let isOver = CancellationNote()
        Task {
            try? await store.store.dispatch(.deliver(1)).finish()
            isOver.note()
        }
        for await failure in errors {
            #expect((failure.error as? ActionLogError)?.code == .refused)
            break
        }
        let end = ContinuousClock.now + .seconds(10)
        while !isOver.isNoted, ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(1)) }
        #expect(isOver.isNoted)
        await store.end()
    }

    @Test(
        "A replica suspended by an observer reduces its accepted actions, and ends",
        arguments: [ShutdownDrain.finishEffects, .cancelEffects]
    )
    func suspended(drain: ShutdownDrain) async throws {
        let (store, other) = try await (ShopStore.open(log), ShopStore.open(log))
        let orders = store.store.values(of: \.orders, buffering: .bounded(1, onOverflow: .suspendStore))
            .makeAsyncIterator()
        for number in 1...5 { #expect(store.send(.order(number)).isAccepted) }
        #expect(await store.shutdown(drain: drain, within: .seconds(60)).isComplete)
        #expect(store.snapshot.orders == [1, 2, 3, 4, 5])
        await other.reaches { $0.orders == [1, 2, 3, 4, 5] }
        await other.end()
        withExtendedLifetime(orders) {}
    }

    @Test("A shutdown without a log ends in time, and reports the number of unconfirmed actions")
    func withoutLog() async throws {
        let store = try await ShopStore.open(log)
        log.disconnect()
        for number in 1...3 { store.send(.order(number)) }
        let waiting = Task { try await store.commit() }
        let report = await store.shutdown(drain: .finishEffects, within: .milliseconds(50))
        #expect(report.unwrittenActions == 3)
        #expect(!report.isComplete)
        await #expect(throws: (any Error).self) { try await waiting.value }
    }

    @Test("A shutdown whose log hangs ends in time", arguments: [FaultyLog.Call.append, .read, .finish, .write])
    func hangingLog(call: FaultyLog.Call) async throws {
        let store = try await ShopStore.open(log)
        try await store.order(1...3)
        let goOn = DispatchSemaphore(value: 0)
        log.failAlways(call, with: .wait(goOn))
        store.send(.order(4))
        let clock = ContinuousClock()
        let start = clock.now
        let report = await store.shutdown(drain: .finishEffects, within: .milliseconds(200))
        #expect(clock.now - start < .seconds(60))
        if call == .append { #expect(report.unwrittenActions == 1) }
        goOn.signal()
    }

    @Test("An endless effect is named by a shutdown with a deadline, and its actions are dropped")
    func stubbornEffect() async throws {
        let gate = AsyncStream.makeStream(of: Void.self)
        let begun = Events<Int>()
        let store = try await ShopStore.open(
            log,
            ReplicationConfiguration(),
            Shop { number in
                begun.add(number)
                await Task { for await _ in gate.stream {} }.value
            }
        )
        try await store.dispatch(.deliver(1))
        await begun.wait(for: 1)
        let report = await store.shutdown(drain: .finishEffects, within: .milliseconds(100))
        #expect(report.effects.unfinishedEffects.count == 1)
        #expect(report.unwrittenActions == 0)
        gate.continuation.finish()
        #expect(store.snapshot.deliveries.isEmpty)
    }

    @Test("A replica whose store is shut down by itself ends at the next entry, and no caller waits forever")
    func storeAlone() async throws {
        let store = try await ShopStore.open(log)
        let other = try await ShopStore.open(memory)
        try await store.order([1])
        await store.store.shutdown(drain: .finishEffects)
        try await other.order([2])
        await expect(.closed) { try await store.readBarrier() }
        #expect(await store.failure()?.code == .closed)
        #expect(store.snapshot.orders == [1])
        await store.end()
        await other.end()
    }

    @Test("A replica whose store was shut down by itself before it read its own actions can be shut down")
    func storeAloneWithUnreadActions() async throws {
        let goOn = DispatchSemaphore(value: 0)
        let store = try await ShopStore.open(log)
        try await hold(.read, until: goOn)
        let commits = store.statistics.commits
        store.send(.order(1))
        try await until { store.statistics.commits > commits }
        await store.store.shutdown(drain: .finishEffects)
        let end = Task { await store.shutdown(drain: .finishEffects) }
        try await until { store.replica.isClosing }
        log.failNoMore()
        goOn.signal()
        #expect(await end.value.unwrittenActions == 1)
        let next = try await ShopStore.open(memory)
        #expect(next.snapshot.orders == [1])
        await next.end()
    }

    @Test("A store that is being shut down by itself reduces no entry without those before it")
    func prefixAtEnd() async throws {
        let gate = AsyncStream.makeStream(of: Void.self)
        let (begun, goOn) = (Events<Int>(), DispatchSemaphore(value: 0))
        let shop = Shop { number in
            begun.add(number)
            for await _ in gate.stream {}
        }
        let store = try await ShopStore.open(log, ReplicationConfiguration(), shop)
        let other = try await ShopStore.open(memory)
        try await store.dispatch(.deliver(1))
        await begun.wait(for: 1)
        try await hold(.read, until: goOn)
        try await other.order([2])
        let commits = store.statistics.commits
        // Its caller awaits its effects, so that it is reduced while the shutdown waits for the delivery.
        let dispatch = Task { try await store.dispatch(.order(3)) }
        try await until { store.statistics.commits > commits }
        let end = Task { _ = await store.store.shutdown(drain: .finishEffects) }
        try await until { !store.store.phase.isReady }
        log.failNoMore()
        goOn.signal()
        _ = await dispatch.result
        gate.continuation.finish()
        await end.value
        #expect([[], [2], [2, 3]].contains(store.snapshot.orders))
        await store.end()
        await other.end()
    }

    /// Has calls of the replica's log wait, and returns when one waits.
    private func hold(_ call: FaultyLog.Call, until goOn: DispatchSemaphore) async throws {
        log.failAlways(call, with: .wait(goOn))
        let calls = log.count(of: call)
        try await until { [log] in log.count(of: call) > calls }
    }

    @Test("Times beyond every clock count as no limit")
    func endlessTimes() async throws {
        let endless = Duration.seconds(Int64.max)
        let store = try await ShopStore.open(
            log,
            ReplicationConfiguration(effects: .leaseHolder(lasting: endless), replicaPatience: endless)
        )
        for await holder in store.effectsHolder.values(of: \.self) where holder != nil { break }
        try await store.dispatch(.deliver(1))
        #expect(await store.shutdown(drain: .finishEffects, within: endless).isComplete)
        #expect(store.snapshot.deliveries == [1])
    }
}

/// Runs a closure during its encoding.
private struct InterruptedCodec: StateCodec {
    let whileEncoding = LockedValue<(@Sendable () -> Void)?>(nil)
    private let codec = JSONStateCodec()

    func encode(_ value: some Encodable) throws -> Data {
        whileEncoding.withLock { body in
            defer { body = nil }
            return body
        }?()
        return try codec.encode(value)
    }

    func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        try codec.decode(type, from: data)
    }
}
