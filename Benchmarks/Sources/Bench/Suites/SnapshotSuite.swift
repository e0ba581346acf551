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
        Benchmark("send while a task reads", comparedWith: ["send", "B2 mutex while a task reads"]) {
            let store = Store(initialState: Account.State(), reducer: Account())
            return ReadContender {
                store.send(.book(1))
            } read: {
                blackHole(store.snapshot)
            }
        } tearDown: {
            await $0.finish()
        } measure: { contender, count in
            contender.write(count)
        },
        Benchmark("B2 mutex while a task reads") {
            let store = MutexStore()
            return ReadContender {
                store.apply(.book(1))
            } read: {
                blackHole(store.state)
            }
        } tearDown: {
            await $0.finish()
        } measure: { contender, count in
            contender.write(count)
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

/// Something that a task reads without end while it is written.
private final class ReadContender: Sendable {
    private let writeOnce: @Sendable () -> Void
    private let isOpen = Atomic<Bool>(true)
    private let isReading = Atomic<Bool>(false)
    private let reader = Mutex<Task<Void, Never>?>(nil)

    init(write: @escaping @Sendable () -> Void, read: @escaping @Sendable () -> Void) {
        writeOnce = write
        let task = Task.detached { [self] in
            while isOpen.load(ordering: .relaxed) {
                if isReading.load(ordering: .relaxed) { read() } else { await Task.yield() }
            }
        }
        reader.withLock { $0 = task }
    }

    func write(_ count: Int) {
        isReading.store(true, ordering: .relaxed)
        for _ in 0..<count { writeOnce() }
        isReading.store(false, ordering: .relaxed)
    }

    func finish() async {
        isOpen.store(false, ordering: .relaxed)
        await reader.withLock { $0 }?.value
    }
}
