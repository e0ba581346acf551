import ActorStore
import ActorStoreCommands
import ActorStoreComposition
import Testing

@testable import TestFixtures

/// The declarations of Katana's reference of its store, in their order, as a program uses them: the reference has no
/// other code. `SampleLengthTests` counts what is marked.
@Suite("Samples: Katana", .timeLimit(.minutes(10)))
struct KatanaSampleTests {
    struct AppState: DefaultInitializable, Equatable { var count = 0 }

    typealias AppCommand = Command<AppState>

    struct Increment: StateUpdater {
        var amount = 1

        func update(_ state: inout AppState) { state.count += amount }
    }

    struct Count: SideEffect {
        func run(_ context: SideEffectContext<AppState, AppCommand>) async throws -> Int {
            try await context.dispatch(Increment())
            return context.snapshot.count
        }
    }

    /// A dependency that reads the store, of which Katana's container of dependencies is made.
    enum Current: DependencyKey {
        static let liveValue: @Sendable () -> Int = { -1 }
        static let testValue: @Sendable () -> Int = { -1 }
    }

    private let intercepted = Collector<String>()
    private var interceptor: Interceptor<AppState, AppCommand> {
        Interceptor("names") { [intercepted] command, _, next in
            intercepted.append(command.name)
            try next(command)
        }
    }

    /// Loads the state when it may.
    private let gate = AsyncStream<Void>.makeStream()
    private var stateInitializer: @Sendable () async throws -> AppState {
        { [gate] in
            for await _ in gate.stream { break }
            return AppState(count: 40)
        }
    }

    @Test("Store: a store for reading and observing only, in place of the inherited one")
    func store() async throws {
        let store = CommandStore<AppState>()

        // sample: Katana, Store
        let partialStore: Store<AppState, Never> = store.readOnly
        // end

        try await store.dispatch(Increment())
        #expect(partialStore.snapshot.count == 1)
    }

    // sample: Katana, DependenciesInitializer
    typealias DependenciesInitializer = @Sendable (inout DependencyValues, WeakStore<AppState, AppCommand>) -> Void
    // end

    private let dependenciesInitializer: DependenciesInitializer = { values, store in
        values[Current.self] = { store.snapshot?.count ?? -1 }
    }

    @Test("isReady: a store is ready after loading its state")
    func isReady() async throws {
        let store = CommandStore<AppState>(loading: stateInitializer)
        #expect(!store.phase.isReady)
        gate.continuation.yield()
        try await store.ready()

        // sample: Katana, isReady
        let isReady = store.phase.isReady
        // end

        #expect(isReady)
    }

    @Test("dependencies: side effects have the dependencies of the store")
    func dependencies() async throws {
        // A store shows its dependencies to reducers, effects and side effects, which have a use for them, not to
        // others.
        struct Look: SideEffect {
            func run(_ context: SideEffectContext<AppState, AppCommand>) async throws -> Int {
                // sample: Katana, dependencies
                let dependencies = context.dependencies
                // end
                return dependencies[Current.self]()
            }
        }
        let load: @Sendable () async throws -> AppState = { AppState(count: 7) }
        let store = CommandStore<AppState>(loading: load, dependencies: dependenciesInitializer)
        #expect(try await store.dispatch(Look()) == 7)
    }

    @Test("init(): a store begins with the default state")
    func initializer() {
        // sample: Katana, init()
        let store = CommandStore<AppState>()
        // end

        #expect(store.snapshot == AppState() && store.phase.isReady)
    }

    @Test("init(interceptors:): interceptors see dispatched actions")
    func initializerWithInterceptors() async throws {
        // sample: Katana, init(interceptors:)
        let store = CommandStore<AppState>(interceptors: [interceptor])
        // end

        try await store.dispatch(Increment())
        #expect(intercepted.elements == ["Increment"] && store.snapshot.count == 1)
    }

    @Test("init(interceptors:stateInitializer:configuration:): earlier actions wait for the state")
    func initializerWithState() async throws {
        // sample: Katana, init(interceptors:stateInitializer:configuration:)
        let store = CommandStore<AppState>(
            loading: stateInitializer,
            interceptors: [interceptor],
            configuration: StoreConfiguration(name: "counter")
        )
        // end

        store.send(Increment())
        #expect(store.snapshot.count == 0 && intercepted.elements.isEmpty && store.name == "counter")
        gate.continuation.yield()
        #expect(await store.state.count == 41)
        #expect(intercepted.elements == ["Increment"])
    }

    @Test("init(interceptors:stateInitializer:dependenciesInitializer:configuration:): dependencies can use the store")
    func initializerWithDependencies() async throws {
        // sample: Katana, init(interceptors:stateInitializer:dependenciesInitializer:configuration:)
        let store = CommandStore<AppState>(
            loading: stateInitializer,
            interceptors: [interceptor],
            configuration: StoreConfiguration(name: "counter"),
            dependencies: dependenciesInitializer
        )
        // end

        struct Look: SideEffect {
            func run(_ context: SideEffectContext<AppState, AppCommand>) async throws -> Int {
                context.dependencies[Current.self]()
            }
        }
        // Dispatched before the state is there, which it finds nevertheless.
        async let count = store.dispatch(Look())
        gate.continuation.yield()
        #expect(try await count == 40)
    }

    @Test("addAnyListener: a listener of an erased store")
    func addAnyListener() async throws {
        let counts = Collector<Int?>()
        let store = CommandStore<AppState>()
        let anyStore = AnyStore(store)

        // sample: Katana, addAnyListener
        let unsubscribe = anyStore.observe { state in counts.append((state as? AppState)?.count) }
        // end

        try await store.dispatch(Increment())
        unsubscribe.cancel()
        try await store.dispatch(Increment())
        #expect(counts.elements == [0, 1])
    }

    @Test("addListener: a listener of each change, with the states before and after it")
    func addListener() async throws {
        let changes = Collector<[Int?]>()
        let store = CommandStore<AppState>()

        // sample: Katana, addListener
        let unsubscribe = store.observe(.changes(of: \.self)) { changes.append([$0.old?.count, $0.new.count]) }
        // end

        try await store.dispatch(Increment())
        unsubscribe.cancel()
        try await store.dispatch(Increment())
        #expect(changes.elements == [[nil, 0], [0, 1]])
    }

    @Test("dispatch of a returning side effect: its value, through the interceptors of side effects")
    func dispatchReturning() async throws {
        let store = CommandStore<AppState>(interceptors: [interceptor])
        store.use(
            SideEffectInterceptor("names") { [intercepted] sideEffect, _, next in
                intercepted.append("\(type(of: sideEffect))")
                try await next()
            }
        )

        // sample: Katana, dispatch(_: ReturningSideEffect)
        let count = try await store.dispatch(Count())
        // end

        #expect(count == 1 && intercepted.elements == ["Count", "Increment"])
    }

    @Test("dispatch of a side effect: it returns after the whole body, and several run concurrently")
    func dispatchSideEffect() async throws {
        /// Two of them can only end if both run.
        struct Meet: SideEffect {
            func run(_ context: SideEffectContext<AppState, AppCommand>) async throws {
                try await context.dispatch(Increment())
                await until { context.snapshot.count >= 2 }
            }
        }
        let store = CommandStore<AppState>()
        async let other: Void = store.dispatch(Meet())

        // sample: Katana, dispatch(_: AnySideEffect)
        try await store.dispatch(Meet())
        // end

        #expect(store.snapshot.count == 2)
        try await other
    }

    @Test("dispatch of an updater: it returns after the state is updated")
    func dispatchUpdater() async throws {
        let store = CommandStore<AppState>()

        // sample: Katana, dispatch(_: AnyStateUpdater)
        try await store.dispatch(Increment())
        // end

        #expect(store.snapshot.count == 1)
    }

    @Test("anyDispatch: an erased updater or side effect")
    func anyDispatch() async throws {
        let anyStore = AnyStore(CommandStore<AppState>())
        let dispatchables: [any Sendable] = [Increment(amount: 4), Count()]
        var value: any Sendable = ()

        for dispatchable in dispatchables {
            // sample: Katana, anyDispatch
            value = try await anyStore.dispatch(dispatchable)
            // end
        }

        #expect(value as? Int == 5)
    }

    @Test("Configuration: name, mailbox, priority and executor of a store")
    func configuration() {
        // sample: Katana, Configuration
        let configuration = StoreConfiguration(name: "counter")
        // end

        #expect(CommandStore<AppState>(configuration: configuration).name == "counter")
    }
}
