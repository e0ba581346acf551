import ActorStore
import Benchmarking

/// The cost of a `dispatch` in a store typical of services: four fields are observed, there is an interceptor, and an
/// effect runs, each by itself and all together.
///
/// The fast path of a store requires that there are no such features; the first observer or interceptor ends it. Each
/// action changes two of the four observed fields.
let realisticStoreSuite = Suite(
    "realistic store",
    realisticBenchmarks(.trivial) { store in
        [
            store.observe(\.balance) { blackHole($0) }, store.observe(\.bookings) { blackHole($0) },
            store.observe(\.owner) { blackHole($0) }, store.observe(\.isLocked) { blackHole($0) },
        ]
    }
        + realisticBenchmarks(.order) { store in
            [
                store.observe(\.orders) { blackHole($0) }, store.observe(\.recent) { blackHole($0) },
                store.observe(\.name) { blackHole($0) }, store.observe(\.blocked) { blackHole($0) },
            ]
        }
        + [
            Benchmark("dispatch, all of it, an effect for each action", comparedWith: ["a bare task"]) {
                let store = Store(
                    initialState: Account.State(),
                    reducer: Starting(base: Account(), startsEach: true),
                    interceptors: [passing()]
                )
                return Furnished(
                    store: store,
                    observations: [
                        store.observe(\.balance) { blackHole($0) }, store.observe(\.bookings) { blackHole($0) },
                        store.observe(\.owner) { blackHole($0) }, store.observe(\.isLocked) { blackHole($0) },
                    ]
                )
            } measure: { furnished, count in
                for _ in 0..<count { try await furnished.store.dispatch(.action(.book(1))).finish() }
            },
            Benchmark("a bare task") {
            } measure: { _, count in
                for _ in 0..<count { await Task.detached {}.value }
            },
        ]
)

private func realisticBenchmarks<Logic: Reducer & Sendable>(
    _ scenario: Scenario<Logic>,
    observeFour: @escaping @Sendable (Store<Logic.State, StartingAction<Logic.Action>>) -> [StoreObservation]
) -> [Benchmark] where Logic.State: Sendable, Logic.Action: Sendable {
    func benchmark(
        _ name: String,
        comparedWith baselines: [String] = ["dispatch"],
        isObserved: Bool = false,
        isIntercepted: Bool = false,
        hasEffect: Bool = false
    ) -> Benchmark {
        Benchmark(name, parameters: ["action": .text(scenario.name)], comparedWith: baselines) {
            let store = Store(
                initialState: scenario.makeState(),
                reducer: Starting(base: scenario.makeReducer(), startsEach: false),
                interceptors: isIntercepted ? [passing()] : []
            )
            let observations = isObserved ? observeFour(store) : []
            if hasEffect { try await store.dispatch(.start) }
            return Furnished(store: store, observations: observations)
        } tearDown: {
            _ = await $0.store.shutdown(drain: .cancelEffects)
        } measure: { [makeAction = scenario.makeAction] furnished, count in
            for _ in 0..<count {
                try await furnished.store.dispatch(.action(makeAction()))
                barrier()
            }
        }
    }

    return [
        benchmark("dispatch", comparedWith: []),
        benchmark("dispatch, four fields observed", isObserved: true),
        benchmark("dispatch, an interceptor", isIntercepted: true),
        benchmark("dispatch, an effect under way", hasEffect: true),
        benchmark("dispatch, all of it", isObserved: true, isIntercepted: true, hasEffect: true),
    ]
}

/// A store, with its observers, which are released after it.
private struct Furnished<State: Sendable, Action: Sendable>: Sendable {
    let store: Store<State, Action>
    let observations: [StoreObservation]
}

private func passing<State: Sendable, Action: Sendable>() -> Interceptor<State, Action> {
    Interceptor("passing") { action, _, next in try next(action) }
}

private enum StartingAction<Base: Sendable>: Sendable {
    case action(Base)
    case start
}

/// Another reducer, with an effect.
private struct Starting<Base: Reducer & Sendable>: Reducer, Sendable where Base.State: Sendable, Base.Action: Sendable {
    let base: Base
    let startsEach: Bool

    func reduce(into state: inout Base.State, action: StartingAction<Base.Action>) -> Effect<
        StartingAction<Base.Action>
    > {
        switch action {
        case .action(let action):
            _ = base.reduce(into: &state, action: action)
            return startsEach ? .run { _ in } : .none
        case .start:
            return .run { _ in try await Task.sleep(for: .seconds(3_600)) }
        }
    }
}
