import ActorStore
import Benchmarking

/// A service with a store for each of its many customers.
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
            Keyed(
                (0..<100_000).map { _ in Store(initialState: Account.State(), reducer: Account()) },
                KeyOrder(scattered: 100_000)
            )
        } measure: { stores, count in
            stores.step(count) { stores, key in stores[key].send(.book(1)) }
        },
        Benchmark("one action to each of 100,000 actors") {
            Keyed((0..<100_000).map { _ in BareActor() }, KeyOrder(scattered: 100_000))
        } measure: { actors, count in
            var keys = actors.keys
            for _ in 0..<count {
                await actors.subject[keys.next()].apply(.book(1))
                barrier()
            }
            actors.keys = keys
        },
    ]
)
