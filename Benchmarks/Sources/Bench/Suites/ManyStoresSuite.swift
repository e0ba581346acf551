import ActorStore
import Benchmarking

/// A service that has a store for each of its many customers.
let manyStoresSuite = Suite(
    "many stores",
    [
        Benchmark("create a store", comparedWith: ["create a bare actor"]) {
        } measure: { _, count in
            for _ in 0..<count { blackHole(Store(initialState: Account.State(), reducer: Account())) }
        },
        Benchmark("create a bare actor") {
        } measure: { _, count in
            for _ in 0..<count { blackHole(BareActor()) }
        },
        Benchmark("one action to each of 100,000 stores", comparedWith: ["one action to each of 100,000 actors"]) {
            (0..<100_000).map { _ in Store(initialState: Account.State(), reducer: Account()) }
        } measure: { stores, count in
            for number in 0..<count {
                stores[number % stores.count].send(.book(1))
                barrier()
            }
        },
        Benchmark("one action to each of 100,000 actors") {
            (0..<100_000).map { _ in BareActor() }
        } measure: { actors, count in
            for number in 0..<count {
                await actors[number % actors.count].apply(.book(1))
                barrier()
            }
        },
    ]
)
