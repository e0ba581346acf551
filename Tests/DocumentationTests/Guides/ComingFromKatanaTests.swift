import ActorStore
import ActorStoreCommands
import ActorStoreComposition
import Testing

@testable import TestFixtures

/// The store of Katana's reference, as `ComingFromKatana.md` has it.
@Suite("Coming from Katana", .timeLimit(.minutes(10)))
struct ComingFromKatanaTests {
    struct CounterState: Equatable, Sendable {
        var count = 0
    }

    struct Increment: StateUpdater {
        let amount: Int

        func update(_ state: inout CounterState) { state.count += amount }
    }

    /// What side effects use; the reference has a container of such things.
    enum NextAmount: DependencyKey {
        static let liveValue: @Sendable () async throws -> Int = { 1 }
        static let testValue: @Sendable () async throws -> Int = { 1 }
    }

    struct IncrementByNext: SideEffect {
        func run(_ context: SideEffectContext<CounterState, Command<CounterState>>) async throws -> Int {
            let amount = try await context.dependencies[NextAmount.self]()
            try await context.dispatch(Increment(amount: amount))
            return context.snapshot.count
        }
    }

    @Test("A store loads its state, then applies updaters and runs side effects, which return values")
    func store() async throws {
        let loadCount: @Sendable () async throws -> Int = { 40 }
        let lines = Collector<String>()
        let show: @Sendable (String) -> Void = { lines.append($0) }

        let store = CommandStore(
            initialState: CounterState(),
            loading: { CounterState(count: try await loadCount()) },
            dependencies: { values, store in
                values[NextAmount.self] = { (store.snapshot?.count ?? 0) / 10 }
            }
        )
        store.send(Increment(amount: 1))  // Applied when the state is there.
        try await store.ready()

        let listener = store.observe(.changes(of: \.count)) { change in
            show("\(change.old.map { "\($0)" } ?? "nothing") -> \(change.new)")
        }

        try await store.dispatch(Increment(amount: 9))
        let count = try await store.dispatch(IncrementByNext())
        listener.cancel()

        #expect(count == 55)
        #expect(lines.elements.suffix(2) == ["41 -> 50", "50 -> 55"])
    }

    @Test("An interceptor blocks an action by not passing it on, and its dispatch throws")
    func interceptor() async throws {
        let noDecrements = Interceptor<CounterState, Command<CounterState>>("no decrements") { command, context, next in
            if let increment = command.updater as? Increment, increment.amount < 0 { return }
            try next(command)
        }
        let rules = Interceptor<CounterState, Command<CounterState>>.observing(
            .onStart { Command(Increment(amount: 1)) },
            .onChange(of: \.count) { old, new in new == 7 ? Command(Increment(amount: 100)) : nil }
        )
        let store = CommandStore(initialState: CounterState(), interceptors: [noDecrements, rules])

        await #expect(throws: StoreError.rejected(by: "no decrements")) {
            try await store.dispatch(Increment(amount: -5))
        }
        try await store.dispatch(Increment(amount: 6))
        #expect(await store.state.count == 107)
    }

    @Test("Side effects await others, in sequence or concurrently")
    func nesting() async throws {
        let store = CommandStore(initialState: CounterState())

        struct IncrementTwice: SideEffect {
            func run(_ context: SideEffectContext<CounterState, Command<CounterState>>) async throws {
                try await context.dispatch(IncrementByNext())
                async let first = context.dispatch(IncrementByNext())
                async let second = context.dispatch(IncrementByNext())
                _ = try await (first, second)
            }
        }

        try await store.dispatch(IncrementTwice())
        #expect(store.snapshot.count == 3)
    }
}
