import ActorStoreCommands
import ActorStoreComposition
import ActorStoreInstruments
import Testing

@testable import ActorStore
@testable import TestFixtures

@Suite("withIsolation: code between two actions", .timeLimit(.minutes(10)))
struct WithIsolationTests {
    @Test("withIsolation changes the state as one action, and returns a value")
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

    @Test("withIsolation reads and writes without an action in between")
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

    @Test("withIsolation has its place in the order of all operations of the store")
    func order() async throws {
        let store = Ledger.store()
        let hold = await store.holdUp()
        for _ in 0..<3 { store.send(.add(1)) }
        async let seen = store.withIsolation("look") { $0.total }
        hold.release()
        #expect(try await seen == 3)
    }

    @Test("Instruments see withIsolation by name; interceptors and observers of actions do not see it")
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
        let observation = store.actions.observe { action, _ in actions.append(action) }
        try await store.withIsolation("correct the total") { $0.total = 7 }
        try await store.dispatch(.add(1))
        await until { !actions.elements.isEmpty }
        #expect(intercepted.elements.count == 1 && actions.elements.count == 1)
        #expect(store.snapshot.total == 8)
        #expect(recording.events.contains { "\($0)".contains("correct the total") })
        observation.cancel()
    }

    @Test("A change by withIsolation is not part of the next transition, of a root, a scope or a child")
    func transitions() async throws {
        let store = Ledger.store()
        let (scope, child) = (store.scope(\.total), Ledger.child(of: store))
        let (ofRoot, ofScope, ofChild) = (store.transitions(), scope.transitions(), child.transitions())
        for amount in 1...2 {
            try await store.dispatch(.add(amount))
            try await child.dispatch(.add(amount))
            try await store.withIsolation("correct") { $0.total *= 100 }
        }
        try await store.dispatch(.add(3))
        let (pairsOfRoot, pairsOfScope) = (
            try await ofRoot.first(3).map { [$0.old.total, $0.new.total] },
            try await ofScope.first(3).map { [$0.old, $0.new] }
        )
        #expect(pairsOfRoot == [[0, 1], [100, 102], [10_200, 10_203]])
        #expect(pairsOfScope == pairsOfRoot)
        let pairsOfChild = try await ofChild.first(2).map { [$0.old.parent.total, $0.new.parent.total] }
        #expect(pairsOfChild == [[1, 1], [102, 102]])
    }

    @Test("A rule of changes is not called for a change by withIsolation, nor is the change part of the next one")
    func rules() async throws {
        let seen = Collector<[Int]>()
        let rule = ObserverRule<Ledger.State, Ledger.Action>.onChange(of: \.total) { old, new in
            seen.append([old, new])
            return nil
        }
        let store = Ledger.store(interceptors: [.observing(rule)])
        try await store.dispatch(.add(1))
        try await store.withIsolation("correct") { $0.total = 100 }
        try await store.dispatch(.write("nothing"))
        try await store.withIsolation("correct again") { $0.total = 200 }
        try await store.dispatch(.add(1))
        #expect(seen.elements == [[0, 1], [200, 201]])
    }

    @Test("The state kept for changes by withIsolation is released with the observer or rule that needs it")
    func forgetting() async throws {
        let store = Ledger.store()
        let numberOfRenewals: @Sendable () async -> Int = { [root = store.root] in
            await root.perform { root.lazyTreeParts?.renewals.count ?? 0 }
        }
        var transitions = [store.transitions(), store.transitions()]
        let observation = store.actions.observe { _, _ in }
        let rules = store.use(
            .observing(.onChange(of: \.total) { _, _ in nil }, .onChange(of: \.note) { _, _ in nil })
        )
        #expect(await numberOfRenewals() == 3)
        rules.remove()
        #expect(await numberOfRenewals() == 2)
        transitions.removeAll()
        await until { await numberOfRenewals() == 0 }
        observation.cancel()
    }

    @Test(
        "withIsolation has the dependencies of the store, or of its caller, in any caller's turn",
        arguments: [false, true]
    )
    func dependencies(isOfStore: Bool) async throws {
        let store = withDependencies {
            if isOfStore { $0.number = 7 }
        } operation: {
            Ledger.store()
        }
        struct Correction: Sendable {
            @Dependency(\.number) var number
        }
        let correction = Correction()
        let ask: @Sendable () async throws -> Int = {
            try await withDependencies {
                $0.number = 8
            } operation: {
                try await store.withIsolation("look") { _ in correction.number }
            }
        }
        #expect(try await ask() == (isOfStore ? 7 : 8))
        let hold = Hold()
        onThread {
            withDependencies {
                $0.number = 9
            } operation: {
                _ = store.send(.hold(hold))
            }
        }
        await hold.waitUntilEntered()
        async let number = ask()
        let core = try #require(store.root as? StoreCore<Ledger.State, Ledger.Action>)
        await until { core.mailboxLock.withLock { core.mailbox.messages.count } == 1 }
        hold.release()
        #expect(try await number == (isOfStore ? 7 : 8))
    }

    @Test("Children and state-driven effects follow a change by withIsolation")
    func followers() async throws {
        let store = Ledger.store()
        try await store.dispatch(.add(1))
        let (started, seen) = (Signal(), Collector<Int>())
        store.effect(toggle: \.isEven) { _ in .run { _ in started.fire() } }
        let child = store.child(initialState: 0, reducer: EmptyReducer())
        let observation = child.observe(\.parent.total) { seen.append($0) }
        try await store.withIsolation("double") { $0.total *= 2 }
        await started.wait()
        #expect(child.snapshot.parent.total == 2 && seen.elements == [1, 2])
        observation.cancel()
    }

    @Test("withIsolation throws after a shutdown, without calling its closure")
    func shutdown() async {
        let store = Ledger.store()
        await store.shutdown(drain: .finishEffects)
        await #expect(throws: StoreError.shutDown) {
            try await store.withIsolation("late") { _ in Issue.record("It was called.") }
        }
    }

    @Test("withIsolation waits for the first state, and throws if the loading failed")
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
