import ActorStore
import Benchmarking

/// The waits of the slowest callers: `dispatch` by 2 and by 8 random callers, with reducers of several lengths, and
/// with an observer that takes 50 µs in each turn.
///
/// See p99.9 and the maximum. A store reduces messages of others on the thread of one of its callers, which would show
/// here, as it would for a caller behind a slow turn. The rates are the same for all, and below that of the slowest.
let tailLatencySuite = Suite(
    "tail latency",
    [2, 8].flatMap { callers in
        [25, 1_000, 10_000].flatMap { tailBenchmarks(.work($0), observer: 0, callers: callers) }
            + tailBenchmarks(.work(25), observer: 50_000, callers: callers)
    }
)

/// - Parameter observer: The nanoseconds that an observer computes in each turn; 0 without one.
private func tailBenchmarks(_ scenario: Scenario<Work>, observer: Int, callers: Int) -> [Benchmark] {
    let parameters: Parameters = [
        "callers": .integer(callers),
        "turn": .text(observer == 0 ? scenario.name : "\(scenario.name) and an observer of \(observer / 1_000) µs"),
    ]

    func benchmark<Contender: Sendable>(
        _ name: String,
        comparedWith baselines: [String] = [],
        setUp: @escaping @Sendable (Listener?) -> Contender,
        apply: @escaping @Sendable (Contender) async throws -> Void
    ) -> Benchmark {
        Benchmark.latency(
            name,
            parameters: parameters,
            comparedWith: baselines,
            loads: .rates([4_000, 8_000]),
            callers: callers,
            configuration: Configuration(nanoseconds: 2_500_000_000)
        ) {
            setUp(observer == 0 ? nil : Listener(nanoseconds: observer))
        } operation: {
            try await apply($0)
        }
    }

    return [
        benchmark("dispatch", comparedWith: [Actors.bare, Queued.sync]) { listener in
            let store = Store(initialState: scenario.makeState(), reducer: scenario.makeReducer())
            let observation = listener.map { listener in store.observe(\.actions) { _ in listener.compute() } }
            return (store: store, observation: observation)
        } apply: {
            _ = try await $0.store.dispatch(.work)
        },
        benchmark(Actors.bare) { listener in
            (actor: BareActor(scenario.makeState(), scenario.makeReducer()), listener: listener)
        } apply: {
            if let listener = $0.listener {
                await $0.actor.apply(.work) { _ in listener.compute() }
            } else {
                await $0.actor.apply(.work)
            }
        },
        benchmark(Queued.sync) { listener in
            let store = QueueStore(scenario.makeState(), scenario.makeReducer())
            if let listener { store.listen { _ in listener.compute() } }
            return store
        } apply: {
            $0.applyAndWait(.work)
        },
    ]
}

/// A listener that computes for a stated time.
private struct Listener: Sendable {
    private let computation: Computation

    init(nanoseconds: Int) { computation = Computation(nanoseconds: nanoseconds) }

    func compute() { blackHole(computation.run(1)) }
}
