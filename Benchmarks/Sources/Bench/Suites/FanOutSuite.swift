import ActorStore
import Benchmarking
import Synchronization

/// The cost of notifying many observers of one change. One operation is one action, seen by all: by closures, also with
/// two producers, and by tasks; with a trivial action and with a realistic one.
let fanOutSuite = Suite(
    "fan-out",
    [1, 10, 100, 1_000, 10_000].flatMap { closureBenchmarks(.trivial, observers: $0, .one) }
        + [1, 100, 10_000].flatMap { closureBenchmarks(.order, observers: $0, .one) }
        + [1, 100, 10_000].flatMap { closureBenchmarks(.trivial, observers: $0, .tasks(2)) }
        + [1, 10, 100, 1_000, 10_000].flatMap { taskBenchmarks(.trivial, observers: $0) }
        + [1, 100, 10_000].flatMap { taskBenchmarks(.order, observers: $0) }
)

/// Counts calls as cheaply as possible.
private final class Counter: Sendable {
    let calls = Atomic<Int>(0)
    func count() { calls.add(1, ordering: .relaxed) }
}

/// A store with its observers, which are released after it, so that none has to be removed from its list.
private struct ObservedStore<Logic: Reducer & Sendable>: Sendable where Logic.State: Sendable, Logic.Action: Sendable {
    let store: Store<Logic.State, Logic.Action>
    let observations: [StoreObservation]

    init(_ scenario: Scenario<Logic>, observers: Int) {
        let counter = Counter()
        let store = Store(initialState: scenario.makeState(), reducer: scenario.makeReducer())
        self.store = store
        observations = (0..<observers).map { _ in store.observe(scenario.part) { _ in counter.count() } }
    }
}

private func closureBenchmarks<Logic: Reducer & Sendable>(
    _ scenario: Scenario<Logic>,
    observers: Int,
    _ producers: Producers
) -> [Benchmark] where Logic.State: Sendable, Logic.Action: Sendable {
    var parameters = producers.parameters
    parameters["action"] = .text(scenario.name)
    parameters["observers"] = .integer(observers)
    let configuration = Configuration(sampleNanoseconds: producers == .one ? 2_000_000 : 20_000_000)
    let makeAction = scenario.makeAction
    let locks = ["\(Locked.mutex), closures", "\(Locked.spinning), closures"]
    return [
        Benchmark(
            "closures",
            parameters: parameters,
            comparedWith: locks + ["\(Queued.async), closures"],
            configuration: configuration,
            producers: producers,
            setUp: { ObservedStore(scenario, observers: observers) },
            measure: { observed, count in
                for _ in 0..<count {
                    observed.store.send(makeAction())
                    barrier()
                }
            },
            // After all earlier sends.
            finish: { blackHole(await $0.store.read(scenario.part)) }
        ),
        Benchmark(
            "closures, dispatch",
            parameters: parameters,
            comparedWith: locks + ["\(Queued.sync), closures"],
            configuration: configuration,
            producers: producers,
            setUp: { ObservedStore(scenario, observers: observers) },
            measure: { observed, count in
                for _ in 0..<count {
                    try await observed.store.dispatch(makeAction())
                    barrier()
                }
            }
        ),
        Benchmark(
            "\(Locked.mutex), closures",
            parameters: parameters,
            configuration: configuration,
            producers: producers,
            setUp: { observed(MutexStore(scenario), observers: observers) },
            measure: { store, count in
                for _ in 0..<count {
                    store.apply(makeAction())
                    barrier()
                }
            }
        ),
        Benchmark(
            "\(Locked.spinning), closures",
            parameters: parameters,
            configuration: configuration,
            producers: producers,
            setUp: { observed(SpinningStore(scenario), observers: observers) },
            measure: { store, count in
                for _ in 0..<count {
                    store.apply(makeAction())
                    barrier()
                }
            }
        ),
        Benchmark(
            "\(Queued.async), closures",
            parameters: parameters,
            configuration: configuration,
            producers: producers,
            setUp: { observedQueue(scenario, observers: observers) },
            measure: { store, count in
                for _ in 0..<count {
                    store.apply(makeAction())
                    barrier()
                }
            },
            finish: { await $0.finish() }
        ),
        Benchmark(
            "\(Queued.sync), closures",
            parameters: parameters,
            configuration: configuration,
            producers: producers,
            setUp: { observedQueue(scenario, observers: observers) },
            measure: { store, count in
                for _ in 0..<count {
                    store.applyAndWait(makeAction())
                    barrier()
                }
            }
        ),
    ]
}

private func observed<Logic, Lock>(_ store: LockedStore<Logic, Lock>, observers: Int) -> LockedStore<Logic, Lock> {
    let counter = Counter()
    for _ in 0..<observers { store.listen { _ in counter.count() } }
    return store
}

private func observedQueue<Logic: Reducer & Sendable>(_ scenario: Scenario<Logic>, observers: Int) -> QueueStore<Logic>
where Logic.State: Sendable, Logic.Action: Sendable {
    let store = QueueStore(scenario.makeState(), scenario.makeReducer())
    let counter = Counter()
    for _ in 0..<observers { store.listen { _ in counter.count() } }
    return store
}

private func taskBenchmarks<Logic: Reducer & Sendable>(_ scenario: Scenario<Logic>, observers: Int) -> [Benchmark]
where Logic.State: Sendable, Logic.Action: Sendable {
    let parameters: Parameters = ["action": .text(scenario.name), "observers": .integer(observers)]
    let baselines = [RawContinuations.name, Streams.actor, RawContinuations.cancellableName]
    let configuration = Configuration(sampleNanoseconds: 10_000_000)
    return [
        Benchmark("values(of:)", parameters: parameters, comparedWith: baselines, configuration: configuration) {
            await FollowedStore(scenario, observers: observers, isStream: false)
        } tearDown: {
            await $0.finish()
        } measure: { store, count in
            for _ in 0..<count { await store.publish() }
        },
        Benchmark("stream(of:)", parameters: parameters, comparedWith: baselines, configuration: configuration) {
            await FollowedStore(scenario, observers: observers, isStream: true)
        } tearDown: {
            await $0.finish()
        } measure: { store, count in
            for _ in 0..<count { await store.publish() }
        },
        Benchmark(RawContinuations.name, parameters: parameters, configuration: configuration) {
            await FollowedContinuations(observers: observers)
        } tearDown: {
            await $0.finish()
        } measure: { continuations, count in
            for _ in 0..<count { await continuations.publish() }
        },
        Benchmark(RawContinuations.cancellableName, parameters: parameters, configuration: configuration) {
            await FollowedContinuations(observers: observers, isCancellable: true)
        } tearDown: {
            await $0.finish()
        } measure: { continuations, count in
            for _ in 0..<count { await continuations.publish() }
        },
        Benchmark(Streams.actor, parameters: parameters, configuration: configuration) {
            await FollowedActor(scenario, observers: observers)
        } tearDown: {
            await $0.finish()
        } measure: { actor, count in
            for _ in 0..<count { await actor.publish() }
        },
    ]
}

/// A state of many observable parts, and of an unobserved number.
private struct Cells: Reducer {
    struct State: Equatable, Sendable {
        var unobserved = 0
        var cells = Array(repeating: 0, count: 1_000)
    }

    func reduce(into state: inout State, action: Int) -> Effect<Int> {
        state.unobserved &+= action
        return .none
    }
}

/// The cost of an action that changes nothing that its many observers observe: observers of one part share a
/// comparison, observers of separate parts do not.
let unaffectedSuite = Suite(
    "unaffected",
    [10, 100, 1_000, 10_000, 100_000, 1_000_000].map { observers in
        Benchmark("send", parameters: ["observers": .integer(observers)]) {
            let store = Store(initialState: Account.State(), reducer: Account())
            let observations = (0..<observers).map { _ in store.observe(\.owner) { _ in } }
            return (store: store, observations: observations)
        } measure: { fixture, count in
            for _ in 0..<count {
                fixture.store.send(.book(1))
                barrier()
            }
        }
    }
        + [10, 100, 1_000].map { parts in
            Benchmark("send, each observer has a part of its own", parameters: ["observers": .integer(parts)]) {
                let store = Store(initialState: Cells.State(), reducer: Cells())
                let observations = (0..<parts).map { place in store.observe(\.cells[place]) { _ in } }
                return (store: store, observations: observations)
            } measure: { fixture, count in
                for _ in 0..<count {
                    fixture.store.send(1)
                    barrier()
                }
            }
        }
        + [1_000, 100_000].map { observers in
            Benchmark("observe and cancel among others", parameters: ["observers": .integer(observers)]) {
                ObservedStore(.trivial, observers: observers)
            } measure: { observed, count in
                for _ in 0..<count { observed.store.observe(\.balance) { _ in }.cancel() }
            }
        }
)
