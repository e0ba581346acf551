import ActorStore
import Benchmarking

/// What an action costs, by `send` and by `dispatch`, without observers and effects.
let dispatchSuite = Suite(
    "dispatch",
    [1, 2, 8].flatMap { producers in dispatchBenchmarks(producers: producers) }
        + [1, 10, 100, 1_000].flatMap(batchBenchmarks)
)

private func dispatchBenchmarks(producers: Int) -> [Benchmark] {
    let parameters: Parameters = ["producers": .integer(producers)]
    let local = producers == 1 ? [LocalVariable.name] : []
    let baselines = [QueueStore.name, BareActor.name, MutexStore.name, StreamActor.name] + local
    // Many producers need longer samples, because they are tasks that begin and end with each.
    let configuration = Configuration(sampleNanoseconds: producers == 1 ? 2_000_000 : 20_000_000)
    var benchmarks = [
        Benchmark("send", parameters: parameters, comparedWith: baselines, configuration: configuration) {
            Store(initialState: Account.State(), reducer: Account())
        } measure: { store, count in
            await produce(count, by: producers) { share in
                for _ in 0..<share {
                    store.send(.book(1))
                    barrier()
                }
            }
            // Until all of them are reduced.
            blackHole(await store.read(\.bookings))
        },
        Benchmark("dispatch", parameters: parameters, comparedWith: baselines, configuration: configuration) {
            Store(initialState: Account.State(), reducer: Account())
        } measure: { store, count in
            await produce(count, by: producers) { share in
                for _ in 0..<share {
                    _ = try? await store.dispatch(.book(1))
                    barrier()
                }
            }
        },
        Benchmark(QueueStore.name, parameters: parameters, configuration: configuration) {
            QueueStore()
        } measure: { store, count in
            await produce(count, by: producers) { share in
                for _ in 0..<share {
                    store.apply(.book(1))
                    barrier()
                }
            }
            await store.finish()
        },
        Benchmark(BareActor.name, parameters: parameters, configuration: configuration) {
            BareActor()
        } measure: { actor, count in
            await produce(count, by: producers) { share in
                for _ in 0..<share {
                    await actor.apply(.book(1))
                    barrier()
                }
            }
        },
        Benchmark(MutexStore.name, parameters: parameters, configuration: configuration) {
            MutexStore()
        } measure: { store, count in
            await produce(count, by: producers) { share in
                for _ in 0..<share {
                    store.apply(.book(1))
                    barrier()
                }
            }
        },
        Benchmark(StreamActor.name, parameters: parameters, configuration: configuration) {
            StreamActor()
        } measure: { actor, count in
            await produce(count, by: producers) { share in
                for _ in 0..<share {
                    await actor.apply(.book(1))
                    barrier()
                }
            }
        },
    ]
    if producers == 1 {
        benchmarks.append(
            Benchmark(LocalVariable.name, parameters: parameters, configuration: configuration) {
            } measure: { _, count in
                LocalVariable.run(count)
            }
        )
    }
    return benchmarks
}

/// The figures are for each action, not for each batch.
private func batchBenchmarks(of size: Int) -> [Benchmark] {
    let parameters: Parameters = ["batch": .integer(size)]
    let actions = Array(repeating: Account.Action.book(1), count: size)
    // A multiple of each size.
    let configuration = Configuration(operationsPerSample: 50_000)
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
