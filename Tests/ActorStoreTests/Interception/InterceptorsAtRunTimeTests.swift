import ActorStore
import ActorStoreCommands
import Testing

@testable import TestFixtures

@Suite("Interceptors added at run time", .timeLimit(.minutes(10)))
struct InterceptorsAtRunTimeTests {
    typealias Guardian = Interceptor<Ledger.State, Ledger.Action>

    func recording(_ name: String, _ events: Collector<String>) -> Guardian {
        Guardian(name) { action, _, next in
            events.append(name)
            try next(action)
        }
    }

    func adding(_ amount: Int) -> Guardian {
        Guardian("adding \(amount)") { action, _, next in
            guard case .add(let number) = action else { return try next(action) }
            try next(.add(number + amount))
        }
    }

    @Test("An added interceptor sees later actions, and none after its removal")
    func addingAndRemoving() async throws {
        let store = Ledger.store()
        let events = Collector<String>()
        try await store.dispatch(.add(1))
        let interception = store.use(recording("late", events))
        try await store.dispatch(.add(1))
        store.send(.add(1))
        interception.remove()
        interception.remove()
        try await store.dispatch(.add(1))
        #expect(events.elements == ["late", "late"])
        #expect(store.snapshot.total == 4)
    }

    @Test("Additions and removals have a place in the order of all actions")
    func totalOrder() async throws {
        let store = Ledger.store()
        let hold = await store.holdUp()
        store.send(.add(1))
        let ten = store.use(adding(10))
        store.send(.add(1))
        let hundred = store.use(adding(100))
        store.send(.add(1))
        ten.remove()
        store.send(.add(1))
        hundred.remove()
        store.send(.add(1))
        let totals = store.values(of: \.total, buffering: .unbounded)
        hold.release()
        #expect(await store.state.total == 1 + 11 + 111 + 101 + 1)
        #expect(try await totals.first(1) == [225])
    }

    @Test("The chain has the initialiser's interceptors, then the added ones in order, with outermost ones in front")
    func orderOfTheChain() async throws {
        let events = Collector<String>()
        let store = Ledger.store(interceptors: [recording("first", events), recording("second", events)])
        store.use(recording("third", events))
        store.use(recording("zeroth", events), at: .outermost)
        store.use(recording("fourth", events), at: .innermost)
        try await store.dispatch(.add(1))
        #expect(events.elements == ["zeroth", "first", "second", "third", "fourth"])
    }

    @Test("One interceptor can be added several times, and each token removes one use")
    func severalUses() async throws {
        let store = Ledger.store()
        let ten = adding(10)
        let first = store.use(ten)
        let second = store.use(ten)
        try await store.dispatch(.add(0))
        first.remove()
        try await store.dispatch(.add(0))
        second.remove()
        try await store.dispatch(.add(0))
        #expect(store.snapshot.total == 20 + 10)
    }

    @Test("An interceptor added or removed within a turn takes effect after that turn")
    func withinATurn() async throws {
        let store = Ledger.store()
        let events = Collector<String>()
        let inner = recording("inner", events)
        store.use(
            Guardian("outer") { [weak store] action, _, next in
                if case .write = action { store?.use(inner) }
                try next(action)
            }
        )
        store.send(contentsOf: [.write("go"), .add(1)])
        #expect(events.elements.isEmpty)
        store.send(.add(1))
        #expect(events.elements == ["inner"])
    }

    @Test("Releasing a token does not remove its interceptor")
    func releasingTheToken() async throws {
        let store = Ledger.store()
        do { _ = store.use(adding(10)) }
        try await store.dispatch(.add(1))
        #expect(store.snapshot.total == 11)
    }

    @Test("An added interceptor rejects, swallows, replaces and sends like an initial one")
    func whatItMayDo() async throws {
        struct Forbidden: Error {}
        let store = Ledger.store()
        store.use(
            Guardian("guardian") { action, context, next in
                switch action {
                case .add(let amount) where amount < 0: throw Forbidden()
                case .add(0): return
                case .add(let amount):
                    context.send(.write("\(amount) added"))
                    try next(.add(2 * amount))
                default: try next(action)
                }
            }
        )
        await #expect(throws: StoreError.rejected(by: "guardian")) { try await store.dispatch(.add(-1)) }
        #expect(try await store.errors.first(1).first?.error is Forbidden)
        await #expect(throws: StoreError.rejected(by: "guardian")) { try await store.dispatch(.add(0)) }
        try await store.dispatch(.add(3))
        #expect(await store.state == Ledger.State(total: 6, note: "3 added"))
        #expect(store.statistics.rejectedActions == 2)
    }

    @Test("An interceptor is set up once per use before its first action, and notified once of its removal or the end")
    func settingUp() async throws {
        let events = Collector<String>()
        let counting = Guardian.settingUp("counting") { store in
            events.append("set up \(store.isAlive)")
            store.send(.add(1))
            return ActiveInterceptor { action, _, next in
                events.append("action")
                try next(action)
            } onRemoval: {
                events.append("removed")
            }
        }
        let store = Ledger.store(interceptors: [counting])
        #expect(await store.state.total == 1)
        let interception = store.use(counting)
        #expect(await store.state.total == 2)
        #expect(events.elements == ["set up true", "action", "set up true", "action", "action"])
        interception.remove()
        interception.remove()
        await until { events.elements.last == "removed" && events.elements.count == 6 }
        await store.shutdown(drain: .finishEffects)
        await until { events.elements.count == 7 }
        store.use(counting)
        #expect(events.elements.count == 7)
    }

    @Test("The context has the store's revision and name")
    func context() async throws {
        let events = Collector<String>()
        let store = Ledger.store(configuration: StoreConfiguration(name: "orders"))
        store.use(
            Guardian("names") { action, context, next in
                try next(action)
                events.append("\(context.storeName) \(context.revision)")
            }
        )
        for _ in 1...2 { try await store.dispatch(.add(1)) }
        #expect(events.elements == ["orders 1", "orders 2"])
    }

    @Test("Tokens and interceptors do not keep the store alive, and its end removes them")
    func lifetimes() async throws {
        let removed = Collector<String>()
        var store: Store<Ledger.State, Ledger.Action>? = Ledger.store()
        weak let weakStore = store
        let interception = store?.use(
            Guardian.settingUp("waiting") { store in
                ActiveInterceptor { _, _, _ in
                    _ = store.isAlive
                } onRemoval: {
                    removed.append("removed")
                }
            }
        )
        store = nil
        #expect(weakStore == nil)
        await until { removed.elements == ["removed"] }
        interception?.remove()
    }

    @Test("Additions and removals under concurrent senders lose and duplicate no action")
    func underLoad() async throws {
        let store = Ledger.store()
        let events = Collector<String>()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for sender in 0..<3 {
                group.addTask {
                    for _ in 0..<1_000 {
                        if sender == 0 { store.send(.add(1)) } else { try await store.dispatch(.add(1)) }
                    }
                }
            }
            group.addTask {
                for _ in 0..<500 { store.use(recording("passing", events)).remove() }
            }
            try await group.waitForAll()
        }
        #expect(await store.state.total == 3_000)
        #expect(store.revision == 3_000)
    }

    @Test("A root's interceptor sees its children's actions in the root's form")
    func children() async throws {
        let store = Ledger.store()
        let child = store.child(
            initialState: 0,
            reducer: Reduce<Int, Int> { (count: inout Int, step: Int) in count += step }
        ) { .add($0) }
        let interception = store.use(
            Guardian("guardian") { action, _, next in
                if case .add(0) = action { return }
                try next(action)
            }
        )
        try await child.dispatch(3)
        await #expect(throws: StoreError.rejected(by: "guardian")) { try await child.dispatch(0) }
        interception.remove()
        try await child.dispatch(0)
        #expect(child.snapshot.local == 3 && store.snapshot.total == 3 && store.revision == 2)
    }

    @Test(
        "A removed interceptor is released by a background task, so that the remover may hold a lock",
        arguments: [0, 1, 2, 3]
    )
    func releaseOutsideOfTheCaller(kind: Int) async throws {
        let (store, isReleased) = (Ledger.store(), Signal())
        let lock = LockedValue(0)
        let interception = addInterceptor(to: store, kind) {
            lock.withLock { $0 += 1 }
            isReleased.fire()
        }
        _ = await store.state
        lock.withLock { _ in interception.remove() }
        await isReleased.wait()
    }

    private func addInterceptor(
        to store: Store<Ledger.State, Ledger.Action>,
        _ kind: Int,
        onRelease: @escaping @Sendable () -> Void
    ) -> Interception {
        let token = Token(onRelease)
        return switch kind {
        case 0:
            store.use(
                Interceptor("held") { [token] action, _, next in try withExtendedLifetime(token) { try next(action) } }
            )
        case 1: store.use(AsyncInterceptor("held") { [token] action, _ in withExtendedLifetime(token) { action } })
        case 2:
            store.use(
                SideEffectInterceptor("held") { [token] _, _, next in
                    withExtendedLifetime(token) {}
                    try await next()
                }
            )
        default: store.use(HoldingInstrument(token: token))
        }
    }

    private struct HoldingInstrument: StoreInstrument {
        let token: Token
        func record(_ event: InstrumentEvent) {}
    }
}
