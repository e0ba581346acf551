import ActorStore
import Benchmarking
import Synchronization

/// The wait of other senders while something large happens in a turn or around it: see the maximum, and p99.9.
///
/// Two callers dispatch a small action, 1,000 times a second each, on their own threads. Four times a second another
/// thread disturbs them. The benchmark without the disturbance is beside it.
let pauseSuite = Suite(
    "pauses",
    pauses("a Dictionary of 1,000,000 is copied in a turn, because a snapshot is held") { CopiedTable() }
        + pauses("an Array of 1,000,000 objects is released in a turn") { ReleasedObjects() }
        + pauses("10,000 sequences are woken") { await WokenSequences() }
        + pauses("100,000 sent actions wait, and are reduced") { FilledMailbox() }
)

/// A store that receives dispatches, and can be disturbed.
private protocol Disturbed: Sendable {
    /// The small action.
    func dispatch() async throws
    func disturb()
    func finish() async
}

extension Disturbed {
    func finish() async {}
}

private func pauses<Subject: Disturbed>(
    _ disturbance: String,
    _ makeSubject: @escaping @Sendable () async -> Subject
) -> [Benchmark] {
    func benchmark(_ name: String, comparedWith baselines: [String], isDisturbed: Bool) -> Benchmark {
        Benchmark.latency(
            name,
            parameters: ["while": .text(disturbance)],
            comparedWith: baselines,
            loads: .rates([2_000]),
            callers: 2,
            configuration: Configuration(nanoseconds: 5_000_000_000)
        ) {
            let subject = await makeSubject()
            return (subject: subject, disturber: isDisturbed ? Disturber(every: 0.25) { subject.disturb() } : nil)
        } tearDown: {
            $0.disturber?.stop()
            await $0.subject.finish()
        } operation: {
            $0.disturber?.noteOperation()
            try await $0.subject.dispatch()
        }
    }

    return [
        benchmark("dispatch, disturbed", comparedWith: ["dispatch, undisturbed"], isDisturbed: true),
        benchmark("dispatch, undisturbed", comparedWith: [], isDisturbed: false),
    ]
}

/// A large table in the state. Its next change copies it if a snapshot of the state is retained.
private final class CopiedTable: Disturbed {
    private struct State: Sendable {
        var table = Dictionary(uniqueKeysWithValues: (0..<1_000_000).map { ($0, 0) })
        var bookings = 0
    }

    private enum Action: Sendable { case book, change }

    private let store = Store(initialState: State()) { (state: inout State, action: Action) in
        switch action {
        case .book: state.bookings &+= 1
        case .change: state.table[0, default: 0] &+= 1
        }
    }
    /// Retained until the next disturbance, because another thread may reduce the change.
    private let held = Mutex<State?>(nil)

    func dispatch() async throws { _ = try await store.dispatch(.book) }

    func disturb() {
        let snapshot = store.snapshot
        let old = held.withLock { held in
            defer { held = snapshot }
            return held
        }
        store.send(.change)
        withExtendedLifetime(old) {}
    }
}

/// Many objects in the state, which a reducer releases.
private final class ReleasedObjects: Disturbed {
    private final class Object: Sendable {}

    private struct State: Sendable {
        var objects: [Object] = []
        var bookings = 0
    }

    private enum Action: Sendable { case book, put([Object]), drop }

    private let store = Store(initialState: State()) { (state: inout State, action: Action) in
        switch action {
        case .book: state.bookings &+= 1
        case .put(let objects): state.objects = objects
        case .drop: state.objects = []
        }
    }

    func dispatch() async throws { _ = try await store.dispatch(.book) }

    func disturb() {
        store.send(.put((0..<1_000_000).map { _ in Object() }))
        store.send(.drop)
    }
}

/// Many sequences whose tasks wait for a part that the disturbance changes, and the small action does not.
private final class WokenSequences: Disturbed {
    private let store = Store(initialState: Account.State(), reducer: Account())
    private let following: Following

    init() async {
        let sequences = (0..<10_000).map { [store] _ in store.values(of: \.balance) }
        following = Following(sequences.count) { place in for await value in sequences[place] { blackHole(value) } }
    }

    func dispatch() async throws { _ = try await store.dispatch(.rename("somebody")) }
    func disturb() { store.send(.book(1)) }

    func finish() async {
        await store.shutdown(drain: .cancelEffects)
        await following.finish()
    }
}

/// A mailbox that is filled while the turn is held, and then has to be emptied before later messages. The time to fill
/// it is part of the pause.
private final class FilledMailbox: Disturbed {
    private let store = Store(initialState: Account.State(), reducer: HeldAccount())

    func dispatch() async throws { _ = try await store.dispatch(.book(1)) }

    func disturb() {
        let hold = Hold()
        hold.begin { [store] in store.send(.hold(hold)) }
        for _ in 0..<100_000 { store.send(.book(1)) }
        hold.end()
    }
}
