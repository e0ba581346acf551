import ActorStore
import Benchmarking
import Synchronization

/// What it costs to tell many observers of one change: one operation is one action, seen by all.
let fanOutSuite = Suite(
    "fan-out",
    [1, 10, 100, 1_000, 10_000].flatMap(closureBenchmarks) + [1, 10, 100, 1_000, 10_000].flatMap(taskBenchmarks)
)

/// Counts calls, as cheaply as a listener can do something.
private final class Counter: Sendable {
    let calls = Atomic<Int>(0)
    func count() { calls.add(1, ordering: .relaxed) }
}

/// A store with its observers, which go after it, so that none has to be taken out of its list.
private struct ObservedStore: Sendable {
    let store = Store(initialState: Account.State(), reducer: Account())
    let observations: [Observation]

    init(observers: Int) {
        let counter = Counter()
        let store = store
        observations = (0..<observers).map { _ in store.observe(\.balance) { _ in counter.count() } }
    }
}

private func closureBenchmarks(observers: Int) -> [Benchmark] {
    let parameters: Parameters = ["observers": .integer(observers)]
    return [
        Benchmark(
            "closures",
            parameters: parameters,
            comparedWith: ["B2 mutex with closures", "B3 serial queue with closures"]
        ) {
            ObservedStore(observers: observers)
        } measure: { observed, count in
            for _ in 0..<count {
                observed.store.send(.book(1))
                barrier()
            }
        },
        Benchmark("B2 mutex with closures", parameters: parameters) {
            let store = MutexStore()
            let counter = Counter()
            for _ in 0..<observers { store.listen { _ in counter.count() } }
            return store
        } measure: { store, count in
            for _ in 0..<count {
                store.apply(.book(1))
                barrier()
            }
        },
        Benchmark("B3 serial queue with closures", parameters: parameters) {
            let store = QueueStore()
            let counter = Counter()
            for _ in 0..<observers { store.listen { _ in counter.count() } }
            return store
        } measure: { store, count in
            for _ in 0..<count {
                store.apply(.book(1))
                barrier()
            }
            await store.finish()
        },
    ]
}

private func taskBenchmarks(observers: Int) -> [Benchmark] {
    let parameters: Parameters = ["observers": .integer(observers)]
    let baselines = [RawContinuations.name, StreamActor.name, RawContinuations.cancellableName]
    let configuration = Configuration(sampleNanoseconds: 10_000_000)
    return [
        Benchmark("values(of:)", parameters: parameters, comparedWith: baselines, configuration: configuration) {
            await FollowedStore(observers: observers, isStream: false)
        } tearDown: {
            await $0.finish()
        } measure: { store, count in
            for _ in 0..<count { await store.publish() }
        },
        Benchmark("stream(of:)", parameters: parameters, comparedWith: baselines, configuration: configuration) {
            await FollowedStore(observers: observers, isStream: true)
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
        Benchmark(StreamActor.name, parameters: parameters, configuration: configuration) {
            await FollowedActor(observers: observers)
        } tearDown: {
            await $0.finish()
        } measure: { actor, count in
            for _ in 0..<count { await actor.publish() }
        },
    ]
}

/// What an action costs that changes nothing that its many observers look at.
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
        + [1_000, 100_000].map { observers in
            Benchmark("observe and cancel among others", parameters: ["observers": .integer(observers)]) {
                ObservedStore(observers: observers)
            } measure: { observed, count in
                for _ in 0..<count { observed.store.observe(\.balance) { _ in }.cancel() }
            }
        }
)
