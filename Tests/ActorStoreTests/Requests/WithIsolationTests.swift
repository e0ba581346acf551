import Testing

@testable import ActorStore

@Suite("Code that runs between two actions", .timeLimit(.minutes(10)))
struct WithIsolationTests {
    @Test("It changes the state as one action, and returns a value")
    func change() async throws {
        let store = Ledger.store()
        let observed = Collector<Int>()
        let observation = store.observe(\.total) { observed.append($0) }
        let before = try await store.withIsolation("deposit") { ledger in
            defer { ledger.total += 3 }
            return ledger.total
        }
        #expect(before == 0 && store.snapshot.total == 3 && store.revision == 1)
        #expect(observed.elements == [0, 3])
        observation.cancel()
    }

    @Test("No other action comes between what it reads and what it writes")
    func isExclusive() async throws {
        let store = Ledger.store()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<250 {
                        try await store.withIsolation("count") { ledger in
                            let total = ledger.total
                            ledger.total = total + 1
                        }
                    }
                }
                group.addTask { for _ in 0..<250 { try await store.dispatch(.add(1)) } }
            }
            try await group.waitForAll()
        }
        #expect(store.snapshot.total == 2_000 && store.revision == 2_000)
    }

    @Test("It takes its place in the order of everything that is asked of the store")
    func order() async throws {
        let store = Ledger.store()
        let hold = await store.holdUp()
        for _ in 0..<3 { store.send(.add(1)) }
        async let seen = store.withIsolation("look") { $0.total }
        hold.release()
        #expect(try await seen == 3)
    }

    @Test("Instruments see it by its name; interceptors and observers of actions do not see it")
    func visibility() async throws {
        let intercepted = Collector<Ledger.Action>()
        let store = Store(
            initialState: Ledger.State(),
            reducer: Ledger(),
            interceptors: [
                Interceptor("spy") { action, _, next in
                    intercepted.append(action)
                    try next(action)
                }
            ]
        )
        let recording = RecordingInstrument()
        store.use(recording)
        let actions = Collector<Ledger.Action>()
        let observation = store.observeActions { action, _ in actions.append(action) }
        try await store.withIsolation("correct the total") { $0.total = 7 }
        try await store.dispatch(.add(1))
        await until { !actions.elements.isEmpty }
        #expect(intercepted.elements.count == 1 && actions.elements.count == 1)
        #expect(store.snapshot.total == 8)
        #expect(recording.events.contains { "\($0)".contains("correct the total") })
        observation.cancel()
    }

    @Test("Children and what the state asks for follow the change")
    func followers() async throws {
        let store = Ledger.store()
        try await store.dispatch(.add(1))
        let (started, seen) = (Signal(), Collector<Int>())
        store.effect(toggle: \.isEven) { _ in .run { _ in started.fire() } }
        let child = store.child(initialState: 0) { (_: inout Int, _: Ledger.Action) in }
        let observation = child.observe(\.parent.total) { seen.append($0) }
        try await store.withIsolation("double") { $0.total *= 2 }
        await started.wait()
        #expect(child.snapshot.parent.total == 2 && seen.elements == [1, 2])
        observation.cancel()
    }

    @Test("It is refused after a shutdown, and not called")
    func shutdown() async {
        let store = Ledger.store()
        await store.shutdown(drain: .finishEffects)
        await #expect(throws: StoreError.shutDown) {
            try await store.withIsolation("late") { _ in Issue.record("It was called.") }
        }
    }

    @Test("A store that loads its first state calls it when it is ready, or refuses it when that failed")
    func loading() async throws {
        struct Broken: Error {}
        let loaded = Signal()
        let store = Store<Ledger.State, Ledger.Action>(
            initialState: Ledger.State(),
            loading: {
                await loaded.wait()
                return Ledger.State(total: 40)
            },
            reducer: Ledger()
        )
        async let total = store.withIsolation("add") { ledger in
            ledger.total += 2
            return ledger.total
        }
        loaded.fire()
        #expect(try await total == 42)
        let failed = Store<Ledger.State, Ledger.Action>(
            initialState: Ledger.State(),
            loading: { throw Broken() },
            reducer: Ledger()
        )
        await #expect(throws: StoreError.notReady) { try await failed.withIsolation("add") { $0.total += 2 } }
    }
}
