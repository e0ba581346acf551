import ActorStore
import Testing

@Suite("Scopes and trees: lifetimes, costs and order", .timeLimit(.minutes(10)))
struct StoreScopeLifetimeTests {
    @Test("A scope keeps no store alive, and its observations go on without it, until the store ends")
    func lifetime() async throws {
        var store: Store<Ledger.State, Ledger.Action>? = Ledger.store()
        weak let observed = store
        let told = Collector<Int>()
        let values: StoreSequence<Int>?
        let token: Observation?
        weak var scope: Store<Int, Ledger.Action>?
        do {
            let total = store?.scope(\.total)
            scope = total
            values = total?.values(of: \.self, buffering: .unbounded)
            token = total?.observe(\.self) { told.append($0) }
        }
        #expect(scope == nil)
        store?.send(.add(3))
        let kept = store?.scope(\.total)
        store = nil
        #expect(observed == nil)
        #expect(kept?.send(.add(1)) == .refused(.shutDown) && kept?.snapshot == 3)
        #expect(try await values?.all() == [0, 3])
        #expect(told.elements == [0, 3])
        token?.cancel()
    }

    @Test("Scopes need no cache: a thousand that are made anew are one group of observers to the store")
    func noCache() async throws {
        let store = Ledger.store()
        let told = Collector<Int>()
        let tokens = (0..<1_000).map { _ in store.scope(\.total).observe(\.self) { told.append($0) } }
        let observers = await store.observers
        #expect(observers.count == 1_000 && Set(observers.map(\.subject)).count == 1)
        store.send(.write("something else"))
        #expect(told.elements.count == 1_000)
        store.send(.add(1))
        #expect(told.elements.suffix(1_000) == Array(repeating: 1, count: 1_000)[...])
        withExtendedLifetime(tokens) {}
    }

    @Test("A tree is one order, and trees are independent: while one is busy its children wait, and others do not")
    func serialDomains() async throws {
        let (busy, idle) = (Ledger.store(), Ledger.store())
        let count = Reduce<Int, Int> { (count: inout Int, step: Int) in count += step }
        let child = busy.child(initialState: 0, reducer: count) { .add($0) }
        let hold = await busy.holdUp()
        #expect(child.send(1) == .accepted)
        try await idle.dispatch(.add(1))
        #expect(idle.snapshot.total == 1)
        #expect(busy.statistics.waitingActions == 1 && busy.statistics.reducedActions == 0)
        hold.release()
        let state = await child.state
        #expect(state.local == 1 && state.parent.total == 1)
    }
}
