import ActorStore
import ActorStoreCommands
import Testing

@testable import TestFixtures

/// A counter as programs with ReSwift have it, as `ComingFromReSwift.md` has it.
@Suite("Coming from ReSwift", .timeLimit(.minutes(10)))
struct ComingFromReSwiftTests {
    struct CounterState: Equatable, Sendable {
        var counter = 0
    }

    struct Increase: Dispatchable {}
    struct Decrease: Dispatchable {}

    struct CounterReducer: Reducer {
        var body: some Reducer<CounterState, any Dispatchable> {
            On(Increase.self) { state, _ in state.counter += 1 }
            On(Decrease.self) { state, _ in state.counter -= 1 }
        }
    }

    actor CounterLabel {
        var text = ""

        func newState(_ counter: Int) { text = "\(counter)" }
    }

    struct IncreaseLater: SideEffect {
        let waiting: @Sendable () async throws -> Void

        func run(_ context: SideEffectContext<CounterState, any Dispatchable>) async throws -> Int {
            try await waiting()
            try await context.dispatch(Increase())
            return context.snapshot.counter
        }
    }

    @Test("A subscriber receives its selection, isolated to itself, and middleware sees every action")
    func counter() async throws {
        let lines = Collector<String>()
        let show: @Sendable (String) -> Void = { lines.append($0) }

        let logging = Interceptor<CounterState, any Dispatchable>("logging") { action, context, next in
            try next(action)
            show("\(type(of: action)), then \(context.state.counter)")
        }

        let store = OpenStore(
            initialState: CounterState(),
            reducer: CounterReducer(),
            interceptors: [logging]
        )

        let label = CounterLabel()
        let subscription = store.observe(\.counter, isolatedTo: label) { label, counter in label.newState(counter) }

        store.send(Increase())
        store.send(Increase())
        try await store.dispatch(Decrease())

        await until { await label.text == "1" }
        subscription.cancel()
        #expect(lines.elements == ["Increase, then 1", "Increase, then 2", "Decrease, then 1"])
    }

    @Test("A thunk becomes a side effect with a result that can be awaited")
    func thunk() async throws {
        let store = OpenStore(initialState: CounterState(), reducer: CounterReducer())

        let counter = try await store.dispatch(IncreaseLater { await Task.yield() })

        #expect(counter == 1)
    }

    @Test("An action dispatched by an observer is queued, and states arrive in order")
    func nestedDispatch() async throws {
        let store = OpenStore(initialState: CounterState(), reducer: CounterReducer())
        let seen = Collector<Int>()
        let tokens = [
            store.observe(\.counter) { [weak store] counter in
                if counter == 1 { store?.send(Increase()) }
            },
            store.observe(\.counter) { seen.append($0) },
        ]
        try await store.dispatch(Increase())
        #expect(await store.state.counter == 2)
        #expect(seen.elements == [0, 1, 2])
        withExtendedLifetime(tokens) {}
    }
}
