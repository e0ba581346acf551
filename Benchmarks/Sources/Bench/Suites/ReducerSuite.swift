import ActorStore
import Benchmarking

/// The cost of a store around a reducer with work to do, and the contention for longer turns.
///
/// The row of B0 is the reducer alone: it shows the actual duration of the reducer. Producers are tasks on the
/// runtime's pool.
///
/// Each step of the reducer depends on the previous one. An out-of-order processor overlaps the costs of a store or a
/// lock with it, so that with one producer they are lower here than in the suite `dispatch`: the rows with several
/// producers matter here.
let reducerSuite = Suite(
    "reducer",
    [25, 1_000, 10_000].flatMap { nanoseconds in
        [Producers.one, .tasks(2), .tasks(8)].flatMap { reducerBenchmarks(.work(nanoseconds), OneWork.self, $0) }
    } + reducerBenchmarks(.largeArray, BookInArray.self, .one)
)

private func reducerBenchmarks<Logic: Reducer & Sendable, Actions: ActionSource<Logic.Action>>(
    _ scenario: Scenario<Logic>,
    _ actions: Actions.Type,
    _ producers: Producers
) -> [Benchmark] where Logic.State: Sendable, Logic.Action: Sendable {
    Contenders(scenario, actions, parameter: "reducer", producers: producers, hasQueues: false).benchmarks
}
