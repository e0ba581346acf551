import ActorStore
import ActorStoreCommands
import Testing

@testable import TestFixtures

@Suite("Side effects and the end of a store", .timeLimit(.minutes(10)))
struct SideEffectLifetimeTests {
    typealias LedgerWork<Value: Sendable> = Work<Ledger.State, Ledger.Action, Value>

    @Test("A side effect after a shutdown is refused")
    func afterShutdown() async throws {
        let store = Ledger.store()
        await store.shutdown(drain: .finishEffects)
        await #expect(throws: StoreError.shutDown) { try await store.dispatch(LedgerWork { _ in 1 }) }
    }

    @Test("A finishing shutdown awaits a side effect, and reduces what it dispatches meanwhile, directly or nested")
    func finishing() async throws {
        let store = Ledger.store()
        let (began, goOn) = (Signal(), Signal())
        let work = Task {
            try await store.dispatch(
                LedgerWork { context in
                    began.fire()
                    await goOn.wait()
                    try await context.dispatch(.add(1))
                    context.send(.add(10))
                    try await context.dispatch(LedgerWork { context in try await context.dispatch(.add(100)) })
                    return await context.state.total
                }
            )
        }
        await began.wait()
        #expect(store.statistics.runningEffects == 1)
        let shutdown = Task { await store.shutdown(drain: .finishEffects) }
        await until { store.send(.add(0)) != .accepted }
        await #expect(throws: StoreError.shutDown) { try await store.dispatch(LedgerWork { _ in 1 }) }
        goOn.fire()
        #expect(try await work.value == 111)
        _ = await shutdown.value
        #expect(store.snapshot.total == 111)
    }

    @Test("A cancelling shutdown cancels a side effect, and drops its later actions")
    func cancelling() async throws {
        let store = Ledger.store()
        let began = Signal()
        let work = Task {
            try await store.dispatch(
                LedgerWork { context in
                    began.fire()
                    await untilCancelled()
                    return context.send(.add(1))
                }
            )
        }
        await began.wait()
        await store.shutdown(drain: .cancelEffects)
        #expect(try await work.value == .dropped)
        #expect(store.snapshot.total == 0)
    }

    @Test("A side effect that shuts its own store down waits neither for itself nor for effects that wait for it")
    func shutdownFromWithin() async throws {
        let store = Ledger.store()
        let other = Ledger.store()
        let (began, goOn) = (Signal(), Signal())
        let unrelated = Task {
            try await store.dispatch(
                LedgerWork { _ in
                    began.fire()
                    await goOn.wait()
                }
            )
        }
        await began.wait()
        let work = Task {
            try await store.dispatch(
                LedgerWork { context in
                    try await context.dispatch(
                        LedgerWork { _ in
                            // By way of another store, whose side effect waits, too.
                            try await other.dispatch(
                                LedgerWork { _ in
                                    goOn.fire()
                                    await store.shutdown(drain: .finishEffects)
                                    return store.send(.add(1))
                                }
                            )
                        }
                    )
                }
            )
        }
        #expect(try await work.value == .refused(.shutDown))
        try await unrelated.value
    }

    @Test("A running side effect keeps the store alive")
    func lifetime() async throws {
        var store: Store<Ledger.State, Ledger.Action>? = Ledger.store()
        weak let weakStore = store
        let (began, goOn) = (Signal(), Signal())
        let work = Task { [store] in
            try await store?.dispatch(
                LedgerWork { context in
                    began.fire()
                    await goOn.wait()
                    try await context.dispatch(.add(1))
                    return context.snapshot.total
                }
            )
        }
        await began.wait()
        store = nil
        #expect(weakStore != nil)
        goOn.fire()
        #expect(try await work.value == 1)
        await until { weakStore == nil }
    }

    @Test("A side effect of a child belongs to the child's effects and ends with it; a scope passes it on")
    func trees() async throws {
        let root = Ledger.store()
        let counting = Reduce<Int, Int> { (count: inout Int, step: Int) in count += step }
        var child: Store<ParentAndChild<Ledger.State, Int>, Int>? = root.child(initialState: 0, reducer: counting) {
            .add($0)
        }
        let local = try await child?.dispatch(
            Work<ParentAndChild<Ledger.State, Int>, Int, Int> { context in
                try await context.dispatch(3)
                context.send(4)
                return await context.state.local
            }
        )
        #expect(local == 7 && root.snapshot.total == 7)

        let scope = root.scope(state: \.total) { (amount: Int) in .add(amount) }
        let total = try await scope.dispatch(
            Work<Int, Int, Int> { context in
                context.send(1)
                try await context.dispatch(2)
                return context.snapshot
            }
        )
        #expect(total == 10)

        let work = try #require(child)
        let began = Signal()
        let waiting = Task {
            try await work.dispatch(
                Work<ParentAndChild<Ledger.State, Int>, Int, SendOutcome> { context in
                    began.fire()
                    await untilCancelled()
                    return context.send(1)
                }
            )
        }
        await began.wait()
        child = nil
        await root.shutdown(drain: .cancelEffects)
        #expect(try await waiting.value == .dropped)
        await #expect(throws: StoreError.shutDown) {
            try await work.dispatch(Work<ParentAndChild<Ledger.State, Int>, Int, Int> { _ in 1 })
        }
    }
}
