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
        Benchmark("a member of a view", comparedWith: ["snapshot"]) {
            Store(initialState: Account.State(), reducer: Account()).view
        } measure: { view, count in
            for _ in 0..<count {
                blackHole(view.balance)
                barrier()
            }
        },
        Benchmark("the view of a store, and a member of it", comparedWith: ["snapshot"]) {
            Store(initialState: Account.State(), reducer: Account())
        } measure: { store, count in
            for _ in 0..<count {
                blackHole(store.view.balance)
                barrier()
            }
        },
        Benchmark("a member of a view of a part", comparedWith: ["snapshot"]) {
            Store(initialState: Wrapped(), reducer: Reduce { _, _ in .none }).view(state: \.account) {
                (action: Account.Action) in action
            }
        } measure: { view, count in
            for _ in 0..<count {
                blackHole(view.balance)
                barrier()
            }
        },
        Benchmark("snapshot of a scope", comparedWith: ["snapshot"]) {
            Store(initialState: Wrapped(), reducer: Reduce<Wrapped, Account.Action> { _, _ in .none }).scope(\.account)
        } measure: { store, count in
            for _ in 0..<count {
                blackHole(store.snapshot)
                barrier()
            }
        },
        Benchmark("the value of a binding", comparedWith: ["snapshot"]) {
            Store(initialState: Account.State(), reducer: Account()).binding(\.balance) { .book($0) }
        } measure: { binding, count in
            for _ in 0..<count {
                blackHole(binding.value)
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

/// An account among other things.
private struct Wrapped: Sendable {
    var name = "an account"
    var account = Account.State()
    var list = [1, 2, 3]
}

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
