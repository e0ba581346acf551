import ActorStore
import ActorStoreCommands
import ActorStoreInstruments
import Benchmarking

/// The cost of interceptors and attached reducers for a `send`.
let interceptionSuite = Suite(
    "interception",
    [
        sending("send") { Store(initialState: Account.State(), reducer: Account()) },
        sending("send, after an interceptor was removed", comparedWith: ["send"]) {
            let store = Store(initialState: Account.State(), reducer: Account())
            store.use(passing).remove()
            return store
        },
        sending("send, an interceptor that passes on", comparedWith: ["send"]) {
            Store(initialState: Account.State(), reducer: Account(), interceptors: [passing])
        },
        sending("send, four interceptors that pass on", comparedWith: ["send"]) {
            Store(
                initialState: Account.State(),
                reducer: Account(),
                interceptors: [passing, passing, passing, passing]
            )
        },
        sending("send, a rule about a part that does not change", comparedWith: ["send"]) {
            Store(
                initialState: Account.State(),
                reducer: Account(),
                interceptors: [.observing(.onChange(of: \.limit) { _, _ in nil })]
            )
        },
        sending("send, a logger whose entries go nowhere", comparedWith: ["send"]) {
            Store(
                initialState: Account.State(),
                reducer: Account(),
                interceptors: [.logger(to: { entry in blackHole(entry) })]
            )
        },
        sending("send, a store with dependencies of its own", comparedWith: ["send"]) {
            Store(initialState: Account.State(), reducer: Account()) { values, _ in values.context = .live }
        },
        sendingToAChild("send to a child") { _ in },
        sendingToAChild("send to a child, an interceptor that passes on", comparedWith: ["send to a child"]) { child in
            child.use(Interceptor("passing") { action, _, next in try next(action) })
        },
        dispatching("dispatch") { _ in },
        dispatching("dispatch, after an asynchronous interceptor was removed", comparedWith: ["dispatch"]) { store in
            store.use(AsyncInterceptor("passing") { action, _ in action }).remove()
        },
        dispatching("dispatch, an asynchronous interceptor that passes on", comparedWith: ["dispatch"]) { store in
            store.use(AsyncInterceptor("passing") { action, _ in action })
        },
    ]
)

/// The cost of actions that carry their change, and of side effects that return a value.
let commandSuite = Suite(
    "commands",
    [
        sending("send") { Store(initialState: Account.State(), reducer: Account()) },
        Benchmark("send, a command", comparedWith: ["send"]) {
            CommandStore(initialState: Account.State())
        } measure: { store, count in
            for _ in 0..<count {
                store.send(Booking(amount: 1))
                barrier()
            }
        },
        Benchmark("dispatch a side effect that returns a number", comparedWith: ["a bare task"]) {
            CommandStore(initialState: Account.State())
        } measure: { store, count in
            for _ in 0..<count { blackHole(try await store.dispatch(Answering())) }
        },
        Benchmark("a bare task") {
        } measure: { _, count in
            for _ in 0..<count { blackHole(await Task { 42 }.value) }
        },
    ]
)

private func sending(
    _ name: String,
    comparedWith baselines: [String] = [],
    _ makeStore: @escaping @Sendable () -> Store<Account.State, Account.Action>
) -> Benchmark {
    Benchmark(name, comparedWith: baselines) {
        makeStore()
    } measure: { store, count in
        for _ in 0..<count {
            store.send(.book(1))
            barrier()
        }
    }
}

private func dispatching(
    _ name: String,
    comparedWith baselines: [String] = [],
    _ prepare: @escaping @Sendable (Store<Account.State, Account.Action>) -> Void
) -> Benchmark {
    Benchmark(name, comparedWith: baselines) {
        let store = Store(initialState: Account.State(), reducer: Account())
        prepare(store)
        return store
    } measure: { store, count in
        for _ in 0..<count {
            try await store.dispatch(.book(1))
            barrier()
        }
    }
}

private typealias Branch = Store<ParentAndChild<Account.State, Int>, Account.Action>

private func sendingToAChild(
    _ name: String,
    comparedWith baselines: [String] = [],
    _ prepare: @escaping @Sendable (Branch) -> Void
) -> Benchmark {
    Benchmark(name, comparedWith: baselines) { () -> (root: Store<Account.State, Account.Action>, child: Branch) in
        let root = Store(initialState: Account.State(), reducer: Account())
        let child = root.child(
            initialState: 0,
            reducer: Reduce { (bookings: inout Int, _: Account.Action) in bookings &+= 1 }
        )
        prepare(child)
        return (root, child)
    } measure: { stores, count in
        for _ in 0..<count {
            stores.child.send(.book(1))
            barrier()
        }
    }
}

private let passing = Interceptor<Account.State, Account.Action>("passing") { action, _, next in try next(action) }

private struct Booking: StateUpdater {
    let amount: Int

    func update(_ state: inout Account.State) {
        state.balance &+= amount
        state.bookings &+= 1
    }
}

private struct Answering: SideEffect {
    func run(_ context: SideEffectContext<Account.State, Command<Account.State>>) async throws -> Int { 42 }
}
