import ActorStore
import ActorStorePersistence
import Benchmarking

/// How many tasks dispatch at the same time.
private let taskCounts = [1, 16, 64]

/// Dispatching to a durable store beside plain inserts, in the same run and on the same disk: one by one, and in groups
/// of as many as there are tasks, which is what could be attained if each group of the store had an action of each task.
func dispatchBenchmarks<Plain: PlainInserts>(beside _: Plain.Type, pipeline: String) -> [Benchmark] {
    taskCounts.flatMap { tasks -> [Benchmark] in
        let parameters: Parameters = ["tasks": .integer(tasks)]
        let (one, group) = ("plain inserts, one by one", "plain inserts, \(pipeline)")
        // Syncs take milliseconds, so that a sample has some dozens of them.
        let configuration = Configuration(
            sampleNanoseconds: 150_000_000,
            multiple: tasks,
            nanoseconds: 1_500_000_000,
            minimumSamples: 7,
            warmUpSamples: 1,
            countsAllocations: false
        )
        func plain(_ name: String, atOnce: Int) -> Benchmark {
            Benchmark(name, parameters: parameters, configuration: configuration) {
                try Plain(on: Plain.Engine(syncNanoseconds: nil))
            } measure: { plain, count in
                try plain.insert(count, atOnce: atOnce)
            }
        }
        let dispatch = Benchmark(
            "durable dispatch",
            parameters: parameters,
            comparedWith: tasks == 1 ? [one] : [one, group],
            configuration: configuration,
            producers: tasks == 1 ? .one : .tasks(tasks)
        ) {
            try await DispatchFixture(on: Plain.Engine(syncNanoseconds: nil))
        } tearDown: {
            await $0.store.shutdown(drain: .cancelEffects)
        } measure: { fixture, count in
            for number in 0..<count { try await fixture.store.dispatch(Booking(task: tasks, number: number)) }
        }
        return [dispatch, plain(one, atOnce: 1)] + (tasks == 1 ? [] : [plain(group, atOnce: tasks)])
    }
}

/// A store, and what its log is on.
private struct DispatchFixture<Engine: DurableEngine>: Sendable {
    let engine: Engine
    let store: DurableStore<Ledger, Booking>

    init(on engine: Engine) async throws {
        self.engine = engine
        store = try await engine.makeLog().openLedger()
    }
}
