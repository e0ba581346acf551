import ActorStore
import ActorStoreViews
import Benchmarking
import Synchronization

/// The cost of reading a state, and the cost of readers for the writer.
let snapshotSuite = Suite(
    "snapshots",
    [
        Benchmark("snapshot", comparedWith: [Locked.mutex, Actors.bare]) {
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
        Benchmark(Locked.mutex) {
            MutexStore(.trivial)
        } measure: { store, count in
            for _ in 0..<count {
                blackHole(store.snapshot)
                barrier()
            }
        },
        Benchmark(Actors.bare) {
            BareActor()
        } measure: { actor, count in
            for _ in 0..<count {
                blackHole(await actor.state)
                barrier()
            }
        },
    ] + [1, 3].flatMap(contestBenchmarks)
)

/// An account in a larger state.
private struct Wrapped: Sendable {
    var name = "an account"
    var account = Account.State()
    var list = [1, 2, 3]
}

/// One writing thread and some reading ones, all of them endless: the duration of a write, and of a read of one reader,
/// whose `throughput` is the number of reads per second of each reader, of the slowest one. All have their own threads,
/// which sleep between samples.
private func contestBenchmarks(readers: Int) -> [Benchmark] {
    let parameters: Parameters = ["readers": .integer(readers)]
    let producers = Producers.threads(1 + readers)
    // A share of each sample for each thread, so that all begin together, and so large that a thread that gets its core
    // late does not make it look long enough.
    let configuration = Configuration(sampleNanoseconds: 20_000_000, multiple: 10_000 * producers.count)

    func contest(
        _ name: String,
        comparedWith baselines: [String] = [],
        counting: Contest.Side,
        write: @escaping @Sendable (Keeping) -> Void,
        read: @escaping @Sendable (Keeping) -> Account.State
    ) -> Benchmark {
        Benchmark(
            name,
            parameters: parameters,
            comparedWith: baselines,
            configuration: configuration,
            producers: producers
        ) {
            Contest(readers: readers, counting: counting, Keeping(), write: write) { blackHole(read($0)) }
        } measure: { contest, share in
            contest.takePart(share)
        }
    }

    let locks = [Locked.mutex, Locked.spinning]
    return [
        contest(
            "send while others read",
            comparedWith: ["send without readers"] + locks.map { "\($0), a write while others read" },
            counting: .writes
        ) {
            $0.store.send(.book(1))
        } read: {
            $0.store.snapshot
        },
        contest(
            "snapshot while another sends",
            comparedWith: locks.map { "\($0), a read while another writes" },
            counting: .reads
        ) {
            $0.store.send(.book(1))
        } read: {
            $0.store.snapshot
        },
        contest("\(Locked.mutex), a write while others read", counting: .writes) {
            $0.mutex.apply(.book(1))
        } read: {
            $0.mutex.snapshot
        },
        contest("\(Locked.mutex), a read while another writes", counting: .reads) {
            $0.mutex.apply(.book(1))
        } read: {
            $0.mutex.snapshot
        },
        contest("\(Locked.spinning), a write while others read", counting: .writes) {
            $0.spinLock.apply(.book(1))
        } read: {
            $0.spinLock.snapshot
        },
        contest("\(Locked.spinning), a read while another writes", counting: .reads) {
            $0.spinLock.apply(.book(1))
        } read: {
            $0.spinLock.snapshot
        },
        Benchmark("send without readers", parameters: parameters) {
            Store(initialState: Account.State(), reducer: Account())
        } measure: { store, count in
            for _ in 0..<count {
                store.send(.book(1))
                barrier()
            }
        },
    ]
}

/// A fixture that can be written and read.
private struct Keeping: Sendable {
    let store = Store(initialState: Account.State(), reducer: Account())
    let mutex = MutexStore(.trivial)
    let spinLock = SpinningStore(.trivial)
}

/// Threads of which one writes while the others read. Either the writes or the reads are counted; the others continue
/// until these are done.
private final class Contest: Sendable {
    enum Side { case writes, reads }

    private let threads: Int
    private let counted: Side
    private let subject: Keeping
    private let write: @Sendable (Keeping) -> Void
    private let read: @Sendable (Keeping) -> Void
    /// The number of threads that have arrived in all samples so far.
    private let arrived = Atomic<Int>(0)
    /// The number of counted threads that have finished, in all samples so far.
    private let done = Atomic<Int>(0)

    init(
        readers: Int,
        counting side: Side,
        _ subject: Keeping,
        write: @escaping @Sendable (Keeping) -> Void,
        read: @escaping @Sendable (Keeping) -> Void
    ) {
        threads = 1 + readers
        counted = side
        self.subject = subject
        self.write = write
        self.read = read
    }

    /// Writes or reads for one sample, to which each of the threads comes with an equal share of the operations. Each
    /// counted thread does as many as all shares together.
    func takePart(_ share: Int) {
        let (sample, number) = arrived.add(1, ordering: .relaxed).oldValue.quotientAndRemainder(dividingBy: threads)
        let side: Side = number == 0 ? .writes : .reads
        let operation = side == .writes ? write : read
        guard side == counted else {
            let all = (sample + 1) * (counted == .writes ? 1 : threads - 1)
            while done.load(ordering: .relaxed) < all { operation(subject) }
            return
        }
        for _ in 0..<(share * threads) { operation(subject) }
        done.add(1, ordering: .relaxed)
    }
}
