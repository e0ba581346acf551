import ActorStore
import Testing

@testable import TestFixtures

@Suite("WeakStore", .timeLimit(.minutes(10)))
struct WeakStoreTests {
    @Test("A weak store sends, dispatches and reads like the store")
    func use() async throws {
        let store = Ledger.store()
        let handle = store.weak
        #expect(handle.isAlive)
        #expect(handle.send(.add(1)) == .accepted)
        #expect(handle.send(contentsOf: [.add(1), .add(1)]) == .accepted)
        try await handle.dispatch(.add(1)).finish()
        #expect(handle.snapshot?.total == 4)
        #expect(await handle.state?.total == 4)
    }

    @Test("A weak store does not keep its store alive, and then refuses actions and has no state")
    func afterRelease() async throws {
        var store: Store<Ledger.State, Ledger.Action>? = Ledger.store()
        weak let weakStore = store
        let handle = try #require(store).weak
        store = nil
        #expect(weakStore == nil)
        #expect(!handle.isAlive)
        #expect(handle.send(.add(1)) == .refused(.shutDown))
        #expect(handle.send(contentsOf: [.add(1)]) == .refused(.shutDown))
        await #expect(throws: StoreError.shutDown) { try await handle.dispatch(.add(1)) }
        #expect(handle.snapshot == nil)
        #expect(await handle.state == nil)
    }

    @Test("A weak store is not alive after a shutdown, and has the last state while the store exists")
    func afterShutdown() async throws {
        let store = Ledger.store()
        let handle = store.weak
        try await store.dispatch(.add(1))
        await store.shutdown(drain: .finishEffects)
        #expect(!handle.isAlive)
        #expect(handle.send(.add(1)) == .refused(.shutDown))
        #expect(handle.snapshot?.total == 1)
        withExtendedLifetime(store) {}
    }

    @Test("A waiting dispatch through a weak store is reduced, even if the store is released meanwhile")
    func dispatchWhileReleased() async throws {
        var store: Store<Ledger.State, Ledger.Action>? = Ledger.store()
        let handle = try #require(store).weak
        let hold = Hold()
        onThread { handle.send(.hold(hold)) }
        await hold.waitUntilEntered()
        let dispatcher = Task { try await handle.dispatch(.add(1)) }
        await until { store?.statistics.waitingActions != 0 }
        store = nil
        hold.release()
        _ = try await dispatcher.value
    }

    @Test("A weak store of a child or scope lasts while that is in use and its root accepts actions")
    func views() async throws {
        let root = Ledger.store()
        var child: Store<ParentAndChild<Ledger.State, Int>, Int>? = root.child(
            initialState: 0,
            reducer: Reduce<Int, Int> { (count: inout Int, step: Int) in count += step }
        ) { .add($0) }
        let handle = try #require(child).weak
        #expect(handle.send(1) == .accepted && handle.send(contentsOf: [1, 1]) == .accepted)
        try await handle.dispatch(1)
        #expect(await handle.state?.local == 4 && handle.snapshot?.parent.total == 4)
        #expect(handle.isAlive)
        child = nil
        #expect(!handle.isAlive && handle.snapshot == nil && handle.send(1) == .refused(.shutDown))

        let scope = root.scope(state: \.total) { (amount: Int) in .add(amount) }
        let weakScope = scope.weak
        #expect(weakScope.send(1) == .accepted && weakScope.snapshot == 5)
        await root.shutdown(drain: .finishEffects)
        #expect(!weakScope.isAlive && weakScope.send(1) == .refused(.shutDown) && weakScope.snapshot == 5)
        withExtendedLifetime(scope) {}
    }
}
