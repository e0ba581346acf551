import ActorStore
import Benchmarking
import Foundation

/// What memory an unbounded mailbox takes when its store cannot keep up: the bytes of an action that waits, between one
/// and two, and between two and four millions of them; and what a store still holds when a million have waited and been
/// reduced.
///
/// The turn is held meanwhile, as a reducer would that is slower than its senders.
let overloadSuite = Suite(
    "overload",
    [
        Benchmark.memory(
            "an action that waits",
            parameters: ["actions": 1_000_000],
            comparedWith: ["\(Queued.async), an action that waits"],
            count: 1_000_000
        ) { count in
            Backlog(actions: count)
        },
        Benchmark.memory(
            "\(Queued.async), an action that waits",
            parameters: ["actions": 1_000_000],
            count: 1_000_000
        ) { count in
            QueueBacklog(actions: count)
        },
        Benchmark.memory("an action that waits", parameters: ["actions": 2_000_000], count: 2_000_000) { count in
            Backlog(actions: count)
        },
        Benchmark.memory(
            "a store after 1,000,000 actions have waited",
            comparedWith: ["a store after one action has waited"],
            count: 4
        ) {
        } make: { _ in
            await Backlog(actions: 1_000_000).drained()
        },
        Benchmark.memory("a store after one action has waited", count: 4) {
        } make: { _ in
            await Backlog(actions: 1).drained()
        },
    ]
)

/// A store whose turn is held while actions are sent to it.
private final class Backlog: Sendable {
    private let store = Store(initialState: Account.State(), reducer: HeldAccount())
    private let hold = Hold()
    private let actions: Int

    init(actions: Int) {
        self.actions = actions
        hold.begin { [store, hold] in store.send(.hold(hold)) }
        for _ in 0..<actions { store.send(.book(1)) }
    }

    /// Returns when all is reduced: it would disturb what is measured next.
    deinit {
        hold.end()
        while store.revision <= actions { Thread.sleep(forTimeInterval: 0.001) }
    }

    /// The store, when all is reduced.
    func drained() async -> Store<Account.State, HeldAccount.Action> {
        hold.end()
        blackHole(await store.read(\.balance))
        return store
    }
}

/// The same on a serial queue.
private final class QueueBacklog: Sendable {
    private let store = QueueStore(Account.State(), HeldAccount())
    private let hold = Hold()

    init(actions: Int) {
        hold.begin { [store, hold] in store.applyAndWait(.hold(hold)) }
        for _ in 0..<actions { store.apply(.book(1)) }
    }

    deinit {
        hold.end()
        store.applyAndWait(.book(1))
    }
}
