import ActorStore
import ActorStoreComposition
import ActorStoreGroups
import Testing

@testable import TestFixtures

@Suite("Dependencies of reducers and stores", .timeLimit(.minutes(10)))
struct ReducerDependencyTests {
    typealias Action = Noting.Action

    @Test("A reducer can override a dependency for itself and for all kinds of effects")
    func modifier() async throws {
        let store = Store(initialState: [], reducer: Noting().dependency(\.number, 5))
        try await store.dispatch(.note)
        try await store.dispatch(.noteInAnEffect).finish()
        try await store.dispatch(.noteAfterAFailure).finish()
        #expect(await store.state == [5, 5, 5])
        try await store.dispatch(.noteInSeveralEffects).finish()
        #expect(await store.state.sorted() == [0, 5, 5, 5, 5, 5])
        store.send(.note)
        #expect(store.snapshot.last == 5)
    }

    @Test("The innermost override applies, and a transformation sees the outer value")
    func nesting() async throws {
        let store = Store<[Int], Action>(
            initialState: [],
            reducer: Combine {
                Noting().dependency(\.number, 6)
                Noting().transformDependency(\.number) { $0 += 1 }
                Noting()
                Combine { Noting().transformDependency(\.number) { $0 *= 10 } }.dependencies { $0.number = 4 }
            }.dependency(\.number, 5)
        )
        try await store.dispatch(.note)
        #expect(store.snapshot == [6, 6, 5, 40])
        try await store.dispatch(.noteInAnEffect).finish()
        #expect(await store.state.count == 4 + 4 * 4)
    }

    @Test("Overrides around the creation of a reducer apply, also in effects of sent actions")
    func creation() async throws {
        let store = withDependencies {
            $0.number = 3
        } operation: {
            Store(initialState: [], reducer: Noting())
        }
        try await store.dispatch(.note)
        let values = store.values(of: \.self, buffering: .unbounded)
        store.send(.noteInAnEffect)
        #expect(try await values.first(2).last == [3, 3])
    }

    @Test("A store and a child keep the overrides around their creation for reducers created later")
    func creationOfAStore() async throws {
        struct Composed: Reducer {
            // Created anew for each action.
            var body: some Reducer<[Int], Action> { Noting() }
        }
        let (store, child) = withDependencies {
            $0.number = 3
        } operation: {
            let store = Store(initialState: [], reducer: Composed())
            let child = withDependencies {
                $0.number = 4
            } operation: {
                store.child(initialState: [], reducer: Composed()) { _ in nil }
            }
            return (store, child)
        }
        let later = store.child(initialState: [], reducer: Composed()) { _ in nil }
        try await withDependencies {
            $0.number = 8
        } operation: {
            try await store.dispatch(.note)
            try await store.dispatch(.noteInAnEffect).finish()
            try await child.dispatch(.note)
            try await later.dispatch(.note)
        }
        #expect(await store.state == [3, 3])
        #expect(child.snapshot.local == [4] && later.snapshot.local == [3])
    }

    @Test("A store with a closure as reducer keeps the overrides around its creation, also for its children")
    func creationOfAStoreByAClosure() async throws {
        let add: @Sendable (inout Int, Int) -> Void = { sum, count in
            @Dependency(\.number) var number
            sum += count * number
        }
        let asking = Work<Int, Int, Int> { $0.dependencies.number }
        let store = withDependencies {
            $0.number = 3
        } operation: {
            Store(initialState: 0, reduce: add)
        }
        let child = store.child(initialState: [], reducer: Noting()) { (_: Action) -> Int? in nil }
        try await withDependencies {
            $0.number = 8
        } operation: {
            try await store.dispatch(2)
            #expect(store.snapshot == 6)
            #expect(try await store.dispatch(asking) == 3)
            try await child.dispatch(.note)
            try await child.dispatch(.noteInAnEffect).finish()
        }
        #expect(await child.state.local == [3, 3])
        try await withDependencies {
            $0.number = 4
        } operation: {
            try await withStore(initialState: 0, reduce: add) { store in
                try await withDependencies {
                    $0.number = 8
                } operation: {
                    try await store.dispatch(2)
                }
                #expect(store.snapshot == 8)
            }
        }
    }

    @Test("Effects of a dispatched action see the overrides around the dispatch, unless their reducer has its own")
    func dispatch() async throws {
        let plain = Store(initialState: [], reducer: Noting())
        let overridden = Store(initialState: [], reducer: Noting().dependency(\.number, 5))
        for store in [plain, overridden] {
            try await withDependencies {
                $0.number = 8
            } operation: {
                try await store.dispatch(.noteInAnEffect).finish()
                try await store.dispatch(.note)
            }
        }
        #expect(await plain.state == [8, 8])
        #expect(await overridden.state == [5, 5])
    }

    @Test("A modified reducer keeps the overrides around its creation")
    func modifierAndCreation() async throws {
        let reducer = withDependencies {
            $0.number = 3
        } operation: {
            Noting().dependency(\.untested, 1)
        }
        let store = Store(initialState: [], reducer: reducer)
        try await withDependencies {
            $0.number = 8
        } operation: {
            try await store.dispatch(.note)
        }
        let outer = Store(initialState: [], reducer: reducer.dependency(\.untested, 2))
        try await outer.dispatch(.note)
        #expect(store.snapshot == [3] && outer.snapshot == [3])
    }

    @Test("A reducer's override of a dependency without a test value reports no issue")
    func overrideOfUntested() async throws {
        struct Reading: Reducer {
            @Dependency(\.untested) var untested
            func reduce(into state: inout Int, action: Void) -> Effect<Void> {
                state = untested
                return .none
            }
        }
        let issues = Collector<ReportedIssue>()
        try await StoreIssueReporter.$scoped.withValue(StoreIssueReporter { issues.append($0) }) {
            let store = Store(initialState: 0, reducer: Reading().dependency(\.untested, 3))
            try await store.dispatch(())
            #expect(store.snapshot == 3)
        }
        #expect(issues.elements.isEmpty)
    }

    @Test("Effects can dispatch to other stores, whose reducers have their own dependencies")
    func otherStores() async throws {
        let other = Store(initialState: [], reducer: Noting().transformDependency(\.number) { $0 += 1 })
        let store = Store(
            initialState: 0,
            reducer: Reduce<Int, Int> { _, _ in
                .run { _ in try await other.dispatch(.note) }
            }.dependency(\.number, 50)
        )
        try await store.dispatch(1).finish()
        #expect(other.snapshot == [2])
    }

    @Test("A store can have its own dependencies, whatever sends and dispatches")
    func storeDependencies() async throws {
        let store = Store(initialState: [], reducer: Noting()) { values, _ in values.number = 11 }
        try await withDependencies {
            $0.number = 8
        } operation: {
            try await store.dispatch(.note)
            try await store.dispatch(.noteInAnEffect).finish()
        }
        store.send(.note)
        #expect(await store.state == [11, 11, 11])
        let child = store.child(initialState: [], reducer: Noting()) { _ in nil }
        try await child.dispatch(.note)
        try await child.dispatch(.noteInAnEffect).finish()
        #expect(await child.state.local == [11, 11])
    }

    @Test("A dependency can read the store's state and send to it, at once and later, without retaining it")
    func dependenciesThatUseTheStore() async throws {
        final class Desk: Sendable {
            let store: WeakStore<[Int], Action>
            init(_ store: WeakStore<[Int], Action>) {
                self.store = store
                #expect(store.snapshot == [42])
                // Queued until all dependencies exist, and before anything else.
                #expect(store.send(.note) == .accepted)
                #expect(store.snapshot == [42])
            }
        }
        let desks = Collector<Desk>()
        let events = Collector<String>()
        let interceptor = Interceptor<[Int], Action>.settingUp("starting") { store in
            store.send(.found(-1))
            return ActiveInterceptor { action, _, next in
                events.append("\(action)")
                try next(action)
            }
        }
        var store: Store<[Int], Action>? = Store(
            initialState: [42],
            reducer: Noting(),
            interceptors: [interceptor]
        ) { values, store in
            desks.append(Desk(store))
            values.number = 12
        }
        weak let weakStore = store
        #expect(store?.snapshot == [42, 12, -1])
        #expect(events.elements == ["note", "found(-1)"])
        let desk = try #require(desks.elements.first)
        try await desk.store.dispatch(.noteInAnEffect).finish()
        #expect(await store?.state == [42, 12, -1, 12])
        store = nil
        #expect(weakStore == nil && !desk.store.isAlive)
        #expect(desk.store.send(.note) == .refused(.shutDown))
    }

    @Test(
        "Interceptors see all actions sent during the creation of dependencies, by the closure or another thread",
        arguments: [false, true],
        [false, true]
    )
    func sentWhileTheyAreMade(isLoading: Bool, isSentByOthers: Bool) async throws {
        let seen = Collector<Int>()
        let interceptor = Interceptor<[Int], Int>("noting") { action, _, next in
            seen.append(action)
            try next(action)
        }
        let reducer = Reduce<[Int], Int> { numbers, number in
            numbers.append(number)
            return .none
        }
        let make: (inout DependencyValues, WeakStore<[Int], Int>) -> Void = { values, store in
            store.send(1)
            if isSentByOthers {
                let hold = Hold()
                onThread {
                    store.send(2)
                    hold.release()
                }
                hold.enter()
            }
            values.number = 11
        }
        let store =
            isLoading
            ? Store(
                initialState: [],
                loading: { [] },
                reducer: reducer,
                interceptors: [interceptor],
                dependencies: make
            )
            : Store(initialState: [], reducer: reducer, interceptors: [interceptor], dependencies: make)
        #expect(await store.state == (isSentByOthers ? [1, 2] : [1]))
        #expect(seen.elements == store.snapshot)
    }

    @Test(
        "A store created by a reducer has its dependencies at once, and so have its children",
        arguments: [false, true]
    )
    func madeInAReducer(isLoading: Bool) async throws {
        struct Service: Sendable { @Dependency(\.untested) var untested }
        let seen = Collector<[Int]?>()
        let stores = Collector<Store<[Int], Action>>()
        let children = Collector<Store<ParentAndChild<[Int], [Int]>, Action>>()
        let maker = Store(initialState: 0) { (count: inout Int, step: Int) in
            count += step
            let store = withDependencies {
                $0.untested = 3
            } operation: {
                let make: (inout DependencyValues, WeakStore<[Int], Action>) -> Void = { values, store in
                    seen.append(store.snapshot)
                    values.number = 11 + values.untested
                    store.send(.note)
                }
                return isLoading
                    ? Store(initialState: [42], loading: { [43] }, reducer: Noting(), dependencies: make)
                    : Store(initialState: [42], reducer: Noting(), dependencies: make)
            }
            #expect(seen.elements == [[42]])
            stores.append(store)
            children.append(store.child(initialState: [], reducer: Noting()) { _ in nil })
        }
        maker.send(1)
        let (store, child) = (try #require(stores.elements.first), try #require(children.elements.first))
        try await child.dispatch(.note)
        try await child.dispatch(.noteInAnEffect).finish()
        #expect(await child.state.local == [14, 14])
        #expect(await store.state == [isLoading ? 43 : 42, 14])
    }

    @Test("A group created by a reducer creates stores, and hands over states, outside of that reducer")
    func groupOfAReducer() async throws {
        typealias Group = StoreGroup<Int, [Int], Action>
        let plain = Store(initialState: [], reducer: Noting().transformDependency(\.number) { $0 += 1 })
        let groups = Collector<Group>()
        let maker = Store(
            initialState: 0,
            reducer: Reduce<Int, Int> { _, _ in
                groups.append(
                    Group(eviction: .never { _, _ in plain.send(.note) }) { _ in
                        plain.send(.note)
                        return Store(initialState: [], reducer: Noting())
                    }
                )
                return .none
            }
        ) { values, _ in
            values.number = 7
        }
        try await maker.dispatch(1)
        let group = try #require(groups.elements.first)
        try await group.dispatch(.note, to: 1)
        #expect(group.existing(1)?.snapshot == [7])
        #expect(await plain.state == [2])
        #expect(await group.evict(1))
        #expect(await plain.state == [2, 2])
    }

    /// A value that notifies its requester.
    private enum ToldKey: DependencyKey {
        static let told = Store(initialState: [], reducer: Noting().transformDependency(\.number) { $0 += 1 })
        static var liveValue: Int { told.send(.note) == .accepted ? 1 : 0 }
        static var testValue: Int { liveValue }
    }

    @Test("A dependency created by a reducer is read outside of that reducer")
    func dependencyOfAReducer() async throws {
        struct Service: Sendable { @Dependency(ToldKey.self) var value }
        // Created here, so that it keeps no dependencies.
        #expect(ToldKey.told.snapshot.isEmpty)
        let services = Collector<Service>()
        let maker = Store(
            initialState: 0,
            reducer: Reduce<Int, Int> { _, _ in
                services.append(Service())
                return .none
            }
        ) { values, _ in
            values.number = 7
        }
        try await maker.dispatch(1)
        #expect(services.elements.first?.value == 1)
        #expect(await ToldKey.told.state == [2])
    }
}
