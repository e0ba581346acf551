import ActorStore
import Benchmarking
import Synchronization

/// The wait of a caller from the intended start of its operation.
let latencySuite = Suite("latency", dispatchLatency + idleLatency + fanOutLatency(observers: 1_000))

private let dispatchLatency = [
    Benchmark.latency("dispatch", comparedWith: [Actors.bare, Queued.sync]) {
        Store(initialState: Account.State(), reducer: Account())
    } operation: {
        _ = try await $0.dispatch(.book(1))
    },
    Benchmark.latency(Actors.bare) {
        BareActor()
    } operation: {
        await $0.apply(.book(1))
    },
    Benchmark.latency(Queued.sync) {
        QueueStore(Account.State(), Account())
    } operation: {
        $0.applyAndWait(.book(1))
    },
]

/// A store that was idle for two tenths of a millisecond: until the action is reduced.
private let idleLatency = [
    Benchmark.latency(
        "send, until reduced",
        parameters: ["store": "idle"],
        comparedWith: ["\(Queued.async), until reduced", "\(Locked.mutex), until reduced"],
        loads: .rates([5_000])
    ) {
        Store(initialState: Account.State(), reducer: Account())
    } operation: { store in
        let revision = store.revision
        store.send(.book(1))
        while store.revision == revision {}
    },
    Benchmark.latency("\(Queued.async), until reduced", parameters: ["store": "idle"]) {
        CountingQueue()
    } operation: { store in
        store.applyAndWait()
    },
    Benchmark.latency("\(Locked.mutex), until reduced", parameters: ["store": "idle"]) {
        MutexStore(.trivial)
    } operation: { store in
        store.apply(.book(1))
    },
]

/// A store on a queue whose caller can see that an action was reduced.
private struct CountingQueue: Sendable {
    private let store = QueueStore(Account.State(), Account())
    private let counter = ReducedCounter()

    private final class ReducedCounter: Sendable {
        let count = Atomic<Int>(0)
    }

    init() {
        let counter = counter
        store.listen { _ in counter.count.add(1, ordering: .releasing) }
    }

    func applyAndWait() {
        let before = counter.count.load(ordering: .relaxed)
        store.apply(.book(1))
        while counter.count.load(ordering: .acquiring) == before {}
    }
}

/// Until the last of many observers has received the change.
private func fanOutLatency(observers: Int) -> [Benchmark] {
    let parameters: Parameters = ["observers": .integer(observers)]
    let configuration = Configuration(nanoseconds: 1_500_000_000)
    return [
        Benchmark.latency(
            "send to the last observer",
            parameters: parameters,
            comparedWith: [RawContinuations.name, Streams.actor],
            loads: .fractions([0.1, 0.25, 0.5, 0.75, 0.9]),
            configuration: configuration
        ) {
            await FollowedStore(.trivial, observers: observers, isStream: false)
        } tearDown: {
            await $0.finish()
        } operation: {
            await $0.publish()
        },
        Benchmark.latency(RawContinuations.name, parameters: parameters) {
            await FollowedContinuations(observers: observers)
        } tearDown: {
            await $0.finish()
        } operation: {
            await $0.publish()
        },
        Benchmark.latency(Streams.actor, parameters: parameters) {
            await FollowedActor(.trivial, observers: observers)
        } tearDown: {
            await $0.finish()
        } operation: {
            await $0.publish()
        },
    ]
}
