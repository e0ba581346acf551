import ActorStore
import Benchmarking
import Foundation

/// The cost of an overloaded store. The time to send an action that has to wait and to have it reduced, which a
/// background task does for nearly all of 10,000. The bytes of a waiting action, between one and two, and between two
/// and four millions of them; and the bytes that a store retains after a million have waited and been reduced.
///
/// The turn is held meanwhile, as by a reducer slower than its senders.
let overloadSuite = Suite(
    "overload",
    [
        Benchmark(
            "send to a store that is held, and reduce",
            parameters: ["actions": 10_000],
            comparedWith: ["\(Queued.async), send to a queue that is held, and reduce"],
            configuration: Configuration(multiple: 10_000)
        ) {
            Store(initialState: Account.State(), reducer: HeldAccount())
        } measure: { store, count in
            for _ in 0..<(count / 10_000) {
                let hold = Hold()
                hold.begin { store.send(.hold(hold)) }
                for _ in 0..<10_000 { store.send(.book(1)) }
                hold.end()
                blackHole(await store.read(\.balance))
            }
        },
        Benchmark(
            "\(Queued.async), send to a queue that is held, and reduce",
            parameters: ["actions": 10_000],
            configuration: Configuration(multiple: 10_000)
        ) {
            QueueStore(Account.State(), HeldAccount())
        } measure: { store, count in
            for _ in 0..<(count / 10_000) {
                let hold = Hold()
                hold.begin { store.applyAndWait(.hold(hold)) }
                for _ in 0..<10_000 { store.apply(.book(1)) }
                hold.end()
                await store.finish()
            }
        },
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

    /// Returns after all are reduced: they would disturb the next measurement.
    deinit {
        hold.end()
        while store.revision <= actions { Thread.sleep(forTimeInterval: 0.001) }
    }

    /// The store after all are reduced.
    func drained() async -> Store<Account.State, HeldAccount.Action> {
        hold.end()
        blackHole(await store.read(\.balance))
        return store
    }
}

/// The overload of a serial queue.
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
