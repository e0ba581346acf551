import ActorStore
import Benchmarking

/// The cost of an action, by `send` and by `dispatch`, without observers and effects: with one producer, then several,
/// which are tasks on the threads of the runtime's pool, and threads for operations that do not suspend.
let dispatchSuite = Suite(
    "dispatch",
    contenders(.trivial, BookOne.self) + contenders(.order, ReadyOrder.self) + contenders(.freshOrder, FreshOrder.self)
        + [1, 10, 100, 1_000].flatMap(batchBenchmarks)
)

private func contenders<Logic: Reducer & Sendable, Actions: ActionSource<Logic.Action>>(
    _ scenario: Scenario<Logic>,
    _ actions: Actions.Type
) -> [Benchmark] where Logic.State: Sendable, Logic.Action: Sendable {
    let crowds: [Producers] = [.one, .tasks(2), .tasks(8), .threads(2), .threads(8)]
    return crowds.flatMap { Contenders(scenario, actions, parameter: "action", producers: $0).benchmarks }
}

/// The figures are per action, not per batch.
private func batchBenchmarks(of size: Int) -> [Benchmark] {
    let parameters: Parameters = ["batch": .integer(size)]
    let actions = Array(repeating: Account.Action.book(1), count: size)
    let configuration = Configuration(multiple: 1_000)
    return [
        Benchmark(
            "send(contentsOf:)",
            parameters: parameters,
            comparedWith: ["send one by one"],
            configuration: configuration
        ) {
            Store(initialState: Account.State(), reducer: Account())
        } measure: { store, count in
            for _ in 0..<(count / size) { store.send(contentsOf: actions) }
        },
        Benchmark("send one by one", parameters: parameters, configuration: configuration) {
            Store(initialState: Account.State(), reducer: Account())
        } measure: { store, count in
            for _ in 0..<(count / size) { for action in actions { store.send(action) } }
        },
    ]
}
