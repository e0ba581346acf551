import ActorStore
import Benchmarking

/// A store without observers and effects, and its baselines, under the same load.
struct Contenders<Logic: Reducer & Sendable> where Logic.State: Sendable, Logic.Action: Sendable {
    private let scenario: Scenario<Logic>
    private let producers: Producers
    private let hasQueues: Bool
    private let parameters: Parameters

    /// - Parameters:
    ///   - scenario: What all of them do.
    ///   - parameter: The parameter by which reports call the scenario.
    ///   - producers: Who does it.
    ///   - hasQueues: Whether serial queues are among the baselines.
    init(_ scenario: Scenario<Logic>, parameter: String, producers: Producers, hasQueues: Bool = true) {
        self.scenario = scenario
        self.producers = producers
        self.hasQueues = hasQueues
        parameters = producers.parameters.merging([parameter: .text(scenario.name)]) { first, _ in first }
    }

    /// Many producers need longer samples, because all of them begin and end with each.
    private var configuration: Configuration {
        Configuration(sampleNanoseconds: producers == .one ? 2_000_000 : 20_000_000)
    }

    var benchmarks: [Benchmark] {
        let local = producers == .one ? [Local.variable] : []
        // What suspends its task is compared on tasks, as it is used; a thread of its own for each would suit only what
        // does not.
        let isOnThreads = if case .threads = producers { true } else { false }
        let actors = isOnThreads ? [] : [Actors.bare]
        let locks = [Locked.mutex, Locked.spinning]
        var all = [send(comparedWith: local + actors + locks + (hasQueues ? [Queued.async] : []))]
        if !isOnThreads {
            all.append(dispatch(comparedWith: local + actors + locks + (hasQueues ? [Queued.sync] : [])))
        }
        if producers == .one { all.append(localVariable) }
        if !isOnThreads { all.append(bareActor) }
        all += [mutex, spinLock]
        if hasQueues { all.append(queue) }
        if hasQueues && !isOnThreads { all.append(waitingQueue) }
        return all
    }

    private func send(comparedWith baselines: [String]) -> Benchmark {
        benchmark("send", comparedWith: baselines) { scenario in
            Store(initialState: scenario.makeState(), reducer: scenario.makeReducer())
        } apply: { store, action in
            store.send(action)
        } finish: { [part = scenario.part] store in
            // After all that was sent before.
            blackHole(await store.read(part))
        }
    }

    private func dispatch(comparedWith baselines: [String]) -> Benchmark {
        Benchmark(
            "dispatch",
            parameters: parameters,
            comparedWith: baselines,
            configuration: configuration,
            producers: producers
        ) { [scenario] in
            Store(initialState: scenario.makeState(), reducer: scenario.makeReducer())
        } measure: { [makeAction = scenario.makeAction] store, count in
            for _ in 0..<count {
                try await store.dispatch(makeAction())
                barrier()
            }
        }
    }

    private var localVariable: Benchmark {
        Benchmark(Local.variable, parameters: parameters, configuration: configuration) { [scenario] in
            LocalVariable(scenario.makeState(), scenario.makeReducer())
        } measure: { [makeAction = scenario.makeAction] variable, count in
            variable.run(count) { _ in makeAction() }
        }
    }

    private var bareActor: Benchmark {
        Benchmark(Actors.bare, parameters: parameters, configuration: configuration, producers: producers) {
            [scenario] in
            BareActor(scenario.makeState(), scenario.makeReducer())
        } measure: { [makeAction = scenario.makeAction] actor, count in
            for _ in 0..<count {
                await actor.apply(makeAction())
                barrier()
            }
        }
    }

    private var mutex: Benchmark {
        benchmark(Locked.mutex) { scenario in
            MutexStore(scenario)
        } apply: { store, action in
            store.apply(action)
        }
    }

    private var spinLock: Benchmark {
        benchmark(Locked.spinning) { scenario in
            SpinningStore(scenario)
        } apply: { store, action in
            store.apply(action)
        }
    }

    private var queue: Benchmark {
        benchmark(Queued.async) { scenario in
            QueueStore(scenario.makeState(), scenario.makeReducer())
        } apply: { store, action in
            store.apply(action)
        } finish: { store in
            await store.finish()
        }
    }

    private var waitingQueue: Benchmark {
        benchmark(Queued.sync) { scenario in
            QueueStore(scenario.makeState(), scenario.makeReducer())
        } apply: { store, action in
            store.applyAndWait(action)
        }
    }

    /// One that does not suspend. Inlined, so that `apply` is no call in the loop.
    @inline(__always)
    private func benchmark<Contender: Sendable>(
        _ name: String,
        comparedWith baselines: [String] = [],
        setUp: @escaping @Sendable (Scenario<Logic>) -> Contender,
        apply: @escaping @Sendable (Contender, Logic.Action) -> Void,
        finish: @escaping @Sendable (Contender) async throws -> Void = { _ in }
    ) -> Benchmark {
        Benchmark(
            name,
            parameters: parameters,
            comparedWith: baselines,
            configuration: configuration,
            producers: producers,
            setUp: { [scenario] in setUp(scenario) },
            measure: { [makeAction = scenario.makeAction] contender, count in
                for _ in 0..<count {
                    apply(contender, makeAction())
                    barrier()
                }
            },
            finish: finish
        )
    }
}

extension Producers {
    /// What reports call them.
    var parameters: Parameters {
        switch self {
        case .one: ["producers": 1]
        case .tasks(let count): ["producers": .integer(count)]
        case .threads(let count): ["threads": .integer(count)]
        }
    }
}
