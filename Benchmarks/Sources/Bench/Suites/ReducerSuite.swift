import ActorStore
import Benchmarking

/// The same with a large state, and with a reducer that has work to do: what the store adds to it.
let reducerSuite = Suite(
    "reducer",
    reducerBenchmarks(named: "one element of a large array", action: .book(1))
        + reducerBenchmarks(named: "a microsecond of work", action: .bookInOrder(1))
)

private func reducerBenchmarks(named name: String, action: LargeLedger.Action) -> [Benchmark] {
    let parameters: Parameters = ["reducer": .text(name)]
    return [
        Benchmark("send", parameters: parameters, comparedWith: ["B1 bare actor", "B2 mutex"]) {
            Store(initialState: LargeLedger.State(), reducer: LargeLedger())
        } measure: { store, count in
            for _ in 0..<count {
                store.send(action)
                barrier()
            }
        },
        Benchmark("B1 bare actor", parameters: parameters) {
            BareActor(LargeLedger.State(), LargeLedger())
        } measure: { actor, count in
            for _ in 0..<count {
                await actor.apply(action)
                barrier()
            }
        },
        Benchmark("B2 mutex", parameters: parameters) {
            MutexStore(LargeLedger.State(), LargeLedger())
        } measure: { store, count in
            for _ in 0..<count {
                store.apply(action)
                barrier()
            }
        },
    ]
}
