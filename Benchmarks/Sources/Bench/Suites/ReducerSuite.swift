import ActorStore
import Benchmarking

/// What a store adds to a reducer that has work to do, and what becomes of contention as turns get longer.
///
/// The row of B0 is the reducer alone: it says how long the reducer really took. Producers are tasks on the runtime's
/// pool.
///
/// Each step of the reducer waits for the one before. A processor that works ahead does what a store or a lock adds
/// meanwhile, so that with one producer it costs less here than in the suite `dispatch`: what matters here are the rows
/// with several producers.
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
