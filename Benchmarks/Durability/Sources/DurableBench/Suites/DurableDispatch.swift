import ActorStore
import ActorStorePersistence
import Benchmarking

/// The number of concurrently dispatching tasks.
private let taskCounts = [1, 16, 64]

/// Dispatching to a durable store beside plain inserts, in the same run and on the same disk: one by one, and in groups
/// of as many as there are tasks, the attainable rate if each group of the store had an action of each task.
func dispatchBenchmarks<Plain: PlainInserts>(beside plain: Plain.Type, pipeline: String) -> [Benchmark] {
    SyncTime.allCases.flatMap { dispatchBenchmarks(beside: plain, pipeline: pipeline, $0) }
}

private func dispatchBenchmarks<Plain: PlainInserts>(
    beside _: Plain.Type,
    pipeline: String,
    _ syncTime: SyncTime
) -> [Benchmark] {
    taskCounts.flatMap { tasks -> [Benchmark] in
        let parameters: Parameters = ["tasks": .integer(tasks), "sync": .text(syncTime.rawValue)]
        let (one, group) = ("plain inserts, one by one", "plain inserts, \(pipeline)")
        // Syncs take milliseconds, so a sample has some dozens of them.
        func configuration(multiple: Int) -> Configuration {
            Configuration(
                sampleNanoseconds: 100_000_000,
                multiple: multiple,
                // On a shared machine, most rounds lack one of two cores, and do not count. More time leaves enough.
                nanoseconds: tasks == 1 || syncTime == .slow ? 1_000_000_000 : 3_000_000_000,
                minimumSamples: 7,
                warmUpSamples: 1,
                countsAllocations: false,
                // With syncs of 5 ms, 64 tasks use at most 0.18 of a core.
                needsOneCore: syncTime == .slow
            )
        }
        func plain(_ name: String, atOnce: Int) -> Benchmark {
            Benchmark(name, parameters: parameters, configuration: configuration(multiple: atOnce)) {
                try Plain(on: Plain.Engine(syncTime))
            } measure: { plain, count in
                try plain.insert(count, atOnce: atOnce)
            }
        }
        let dispatch = Benchmark(
            "durable dispatch",
            parameters: parameters,
            comparedWith: tasks == 1 ? [one] : [one, group],
            configuration: configuration(multiple: tasks),
            producers: tasks == 1 ? .one : .tasks(tasks)
        ) {
            try await DispatchFixture(on: Plain.Engine(syncTime))
        } tearDown: {
            await $0.store.shutdown(drain: .cancelEffects)
        } measure: { fixture, count in
            for number in 0..<count { try await fixture.store.dispatch(Booking(task: tasks, number: number)) }
        }
        return [dispatch, plain(one, atOnce: 1)] + (tasks == 1 ? [] : [plain(group, atOnce: tasks)])
    }
}

/// A store, and the medium of its log.
private struct DispatchFixture<Engine: DurableEngine>: Sendable {
    let engine: Engine
    let store: DurableStore<Ledger, Booking>

    init(on engine: Engine) async throws {
        self.engine = engine
        store = try await engine.makeLog().openLedger()
    }
}
