import ActorStore
import Benchmarking
import Synchronization

/// What it costs to read a state, and what readers cost the writer.
let snapshotSuite = Suite(
    "snapshots",
    [
        Benchmark("snapshot", comparedWith: [MutexStore.name, BareActor.name]) {
            Store(initialState: Account.State(), reducer: Account())
        } measure: { store, count in
            for _ in 0..<count {
                blackHole(store.snapshot)
                barrier()
            }
        },
        Benchmark(MutexStore.name) {
            MutexStore()
        } measure: { store, count in
            for _ in 0..<count {
                blackHole(store.state)
                barrier()
            }
        },
        Benchmark(BareActor.name) {
            BareActor()
        } measure: { actor, count in
            for _ in 0..<count {
                blackHole(await actor.state)
                barrier()
            }
        },
        Benchmark("send while a task reads", comparedWith: ["send"]) {
            ReadStore()
        } tearDown: {
            await $0.finish()
        } measure: { store, count in
            await store.send(count)
        },
        Benchmark("send") {
            Store(initialState: Account.State(), reducer: Account())
        } measure: { store, count in
            for _ in 0..<count {
                store.send(.book(1))
                barrier()
            }
        },
    ]
)

/// A store that a task reads without end while actions are sent.
private final class ReadStore: Sendable {
    private let store = Store(initialState: Account.State(), reducer: Account())
    private let isReading = Atomic<Bool>(true)
    private let isWanted = Atomic<Bool>(false)
    private let reader = Mutex<Task<Void, Never>?>(nil)

    init() {
        let task = Task.detached { [self] in
            while isReading.load(ordering: .relaxed) {
                if isWanted.load(ordering: .relaxed) {
                    blackHole(store.snapshot)
                } else {
                    await Task.yield()
                }
            }
        }
        reader.withLock { $0 = task }
    }

    func send(_ count: Int) async {
        isWanted.store(true, ordering: .relaxed)
        for _ in 0..<count {
            store.send(.book(1))
            barrier()
        }
        isWanted.store(false, ordering: .relaxed)
    }

    func finish() async {
        isReading.store(false, ordering: .relaxed)
        await reader.withLock { $0 }?.value
    }
}
