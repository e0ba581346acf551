import ActorStore
import ActorStoreCommands
import Testing

@testable import TestFixtures

@Suite("Removed interceptors", .timeLimit(.minutes(10)))
struct InterceptorRemovalTests {
    @Test("An interceptor that removes itself sees the rest of the turn, and no later action")
    func withinATurn() async throws {
        let (seen, own) = (Collector<String>(), LockedValue<Interception?>(nil))
        let store = Ledger.store()
        let interception = store.use(
            Interceptor("passing") { action, _, next in
                seen.append("\(action)")
                own.withLock { $0 }?.remove()
                try next(action)
            }
        )
        own.withLock { $0 = interception }
        store.send(contentsOf: [.add(1), .add(2)])
        #expect(seen.elements == ["add(1)", "add(2)"])
        store.send(.add(3))
        #expect(seen.elements.count == 2 && store.snapshot.total == 6)
    }

    @Test("An interceptor that sends an action and removes itself sees that action last")
    func afterWhatWasAcceptedBefore() async throws {
        let (seen, own) = (Collector<String>(), LockedValue<Interception?>(nil))
        let store = Ledger.store()
        let interception = store.use(
            Interceptor("passing") { action, context, next in
                seen.append("\(action)")
                if case .add(1) = action {
                    context.send(.add(2))
                    own.withLock { $0 }?.remove()
                    context.send(.add(3))
                }
                try next(action)
            }
        )
        own.withLock { $0 = interception }
        store.send(.add(1))
        #expect(await store.state.total == 6)
        #expect(seen.elements == ["add(1)", "add(2)"])
    }

    @Test("An interceptor is notified of its removal in a background task, so that the remover may hold a lock")
    func onRemoval() async throws {
        let (store, isRemoved) = (Ledger.store(), Signal())
        let lock = LockedValue(0)
        let interception = store.use(
            Interceptor.settingUp("passing") { _ in
                ActiveInterceptor { action, _, next in
                    try next(action)
                } onRemoval: {
                    lock.withLock { $0 += 1 }
                    isRemoved.fire()
                }
            }
        )
        _ = await store.state
        lock.withLock { _ in interception.remove() }
        await isRemoved.wait()
        #expect(lock.withLock { $0 } == 1)
    }

    @Test("A side effect begun before an interceptor's removal passes through it to its end")
    func sideEffects() async throws {
        let (store, seen, asked, answered) = (Ledger.store(), Collector<String>(), Signal(), Signal())
        let interceptions = ["outer", "inner"].map { name in
            store.use(
                SideEffectInterceptor(name) { _, _, next in
                    seen.append("\(name) before")
                    if name == "outer" {
                        asked.fire()
                        await answered.wait()
                    }
                    try await next()
                    seen.append("\(name) after")
                }
            )
        }
        let dispatch = Task { try await store.dispatch(Writing(note: "first")) }
        await asked.wait()
        for interception in interceptions { interception.remove() }
        // It does not wait, because it passes through neither of them.
        try await store.dispatch(Writing(note: "second"))
        answered.fire()
        try await dispatch.value
        #expect(seen.elements == ["outer before", "inner before", "inner after", "outer after"])
        #expect(store.snapshot.note == "first")
    }

    private struct Writing: SideEffect {
        let note: String

        func run(_ context: SideEffectContext<Ledger.State, Ledger.Action>) async throws {
            try await context.dispatch(.write(note))
        }
    }
}
