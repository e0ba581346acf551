import ActorStore
import Benchmarking

/// Creates the actions of a benchmark. A type, and not a closure, so that creating an action is not a call in the loop.
protocol ActionSource<Action>: SendableMetatype {
    associatedtype Action

    static func make() -> Action
}

/// A contender that accepts actions without suspending the caller's task. A protocol, and not a closure, for the same
/// reason.
protocol ActionTarget<Action>: Sendable {
    associatedtype Action

    func apply(_ action: Action)
    /// Waits until all applied actions are reduced.
    func finish() async
}

extension LockedStore: ActionTarget {
    func finish() {}
}

extension QueueStore: ActionTarget {}

/// A store that receives sent actions.
private struct SendingStore<State: Sendable, Action: Sendable>: ActionTarget {
    let store: Store<State, Action>
    let part: any KeyPath<State, Int> & Sendable

    func apply(_ action: Action) { store.send(action) }

    func finish() async { blackHole(await store.read(part)) }
}

/// A queue that the caller waits for.
private struct WaitingQueue<Logic: Reducer & Sendable>: ActionTarget
where Logic.State: Sendable, Logic.Action: Sendable {
    let store: QueueStore<Logic>

    func apply(_ action: Logic.Action) { store.applyAndWait(action) }

    func finish() {}
}

/// A store without observers and effects, and its baselines, under the same load.
struct Contenders<Logic: Reducer & Sendable, Actions: ActionSource<Logic.Action>>
where Logic.State: Sendable, Logic.Action: Sendable {
    private let scenario: Scenario<Logic>
    private let producers: Producers
    private let hasQueues: Bool
    private let parameters: Parameters

    /// - Parameters:
    ///   - scenario: The task of all of them.
    ///   - actions: The factory of the scenario's actions.
    ///   - parameter: The parameter that names the scenario in reports.
    ///   - producers: The producers of the operations.
    ///   - hasQueues: Whether serial queues are among the baselines.
    init(
        _ scenario: Scenario<Logic>,
        _ actions: Actions.Type,
        parameter: String,
        producers: Producers,
        hasQueues: Bool = true
    ) {
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
        // Suspending operations are compared on tasks, as they are used; a separate thread for each would suit only
        // operations that do not suspend.
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
            SendingStore(
                store: Store(initialState: scenario.makeState(), reducer: scenario.makeReducer()),
                part: scenario.part
            )
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
        } measure: { store, count in
            for _ in 0..<count {
                try await store.dispatch(Actions.make())
                barrier()
            }
        }
    }

    private var localVariable: Benchmark {
        Benchmark(Local.variable, parameters: parameters, configuration: configuration) { [scenario] in
            LocalVariable(scenario.makeState(), scenario.makeReducer())
        } measure: { variable, count in
            variable.run(count) { _ in Actions.make() }
        }
    }

    private var bareActor: Benchmark {
        Benchmark(Actors.bare, parameters: parameters, configuration: configuration, producers: producers) {
            [scenario] in
            BareActor(scenario.makeState(), scenario.makeReducer())
        } measure: { actor, count in
            for _ in 0..<count {
                await actor.apply(Actions.make())
                barrier()
            }
        }
    }

    private var mutex: Benchmark { benchmark(Locked.mutex) { MutexStore($0) } }

    private var spinLock: Benchmark { benchmark(Locked.spinning) { SpinningStore($0) } }

    private var queue: Benchmark {
        benchmark(Queued.async) { QueueStore($0.makeState(), $0.makeReducer()) }
    }

    private var waitingQueue: Benchmark {
        benchmark(Queued.sync) { WaitingQueue(store: QueueStore($0.makeState(), $0.makeReducer())) }
    }

    /// An operation that does not suspend.
    private func benchmark<Target: ActionTarget<Logic.Action>>(
        _ name: String,
        comparedWith baselines: [String] = [],
        setUp: @escaping @Sendable (Scenario<Logic>) -> Target
    ) -> Benchmark {
        Benchmark(
            name,
            parameters: parameters,
            comparedWith: baselines,
            configuration: configuration,
            producers: producers,
            setUp: { [scenario] in setUp(scenario) },
            measure: { target, count in
                for _ in 0..<count {
                    target.apply(Actions.make())
                    barrier()
                }
            },
            finish: { await $0.finish() }
        )
    }
}

extension Producers {
    /// Their names in reports.
    var parameters: Parameters {
        switch self {
        case .one: ["producers": 1]
        case .tasks(let count): ["producers": .integer(count)]
        case .threads(let count): ["threads": .integer(count)]
        }
    }
}
