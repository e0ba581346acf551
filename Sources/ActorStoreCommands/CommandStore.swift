import ActorStore
import ActorStoreComposition

/// A store whose actions carry their own state changes; see ``StateUpdater``.
public typealias CommandStore<State: Sendable> = Store<State, Command<State>>

/// The reducer of a store of commands: it applies them.
public struct CommandReducer<State: Sendable>: Reducer {
    /// Creates a reducer that applies commands.
    public init() {}

    /// Applies the command. Returns no effects.
    public func reduce(into state: inout State, action: Command<State>) -> Effect<Command<State>> {
        action.apply(to: &state)
        return .none
    }
}

extension Store where Action == Command<State> {
    /// Creates a store of commands.
    ///
    /// ```swift
    /// let store = CommandStore(initialState: Account())
    /// ```
    ///
    /// - Parameters:
    ///   - initialState: The state before the first command.
    ///   - interceptors: The interceptors between senders and the state, the outermost first.
    ///   - configuration: The name, mailbox capacity, priority and executor.
    public init(
        initialState: State,
        interceptors: [Interceptor<State, Action>] = [],
        configuration: StoreConfiguration = StoreConfiguration()
    ) {
        self.init(
            initialState: initialState,
            reducer: CommandReducer(),
            interceptors: interceptors,
            configuration: configuration
        )
    }

    /// Creates a store of commands whose first state is loaded.
    ///
    /// ```swift
    /// let store = CommandStore(initialState: Account(), loading: { try await database.account() })
    /// store.send(Deposit(amount: 3))    // Applied when the state is there.
    /// ```
    ///
    /// Commands and side effects wait until the state has been loaded; see
    /// ``init(initialState:loading:reducer:interceptors:configuration:dependencies:)``.
    ///
    /// - Parameters:
    ///   - initialState: The value of ``snapshot`` until the state has been loaded.
    ///   - load: Loads the state, with the store's dependencies in force. It must not wait for the store.
    ///   - interceptors: The interceptors between senders and the state, the outermost first. They are set up after
    ///     loading.
    ///   - configuration: The name, mailbox capacity, priority and executor.
    ///   - dependencies: Sets the store's own dependencies, before loading begins.
    public init(
        initialState: State,
        loading load: @escaping @Sendable () async throws -> State,
        interceptors: [Interceptor<State, Action>] = [],
        configuration: StoreConfiguration = StoreConfiguration(),
        dependencies: sending ((_ values: inout DependencyValues, _ store: WeakStore<State, Action>) -> Void)? = nil
    ) {
        guard let dependencies else {
            self.init(
                initialState: initialState,
                loading: load,
                reducer: CommandReducer(),
                interceptors: interceptors,
                configuration: configuration
            )
            return
        }
        self.init(
            initialState: initialState,
            loading: load,
            reducer: CommandReducer(),
            interceptors: interceptors,
            configuration: configuration,
            dependencies: dependencies
        )
    }
}

extension Store where State: DefaultInitializable, Action == Command<State> {
    /// Creates a store of commands whose initial state is `State()`.
    ///
    /// ```swift
    /// let store = CommandStore<Account>()
    /// ```
    ///
    /// - Parameters:
    ///   - interceptors: The interceptors between senders and the state, the outermost first.
    ///   - configuration: The name, mailbox capacity, priority and executor.
    public init(
        interceptors: [Interceptor<State, Action>] = [],
        configuration: StoreConfiguration = StoreConfiguration()
    ) {
        self.init(initialState: State(), interceptors: interceptors, configuration: configuration)
    }

    /// Creates a store of commands whose first state is loaded. Until then, ``snapshot`` is `State()`.
    ///
    /// ```swift
    /// let store = CommandStore<Account>(loading: { try await database.account() })
    /// ```
    ///
    /// Commands and side effects wait until the state has been loaded; see
    /// ``init(initialState:loading:reducer:interceptors:configuration:dependencies:)``.
    ///
    /// - Parameters:
    ///   - load: Loads the state, with the store's dependencies in force. It must not wait for the store.
    ///   - interceptors: The interceptors between senders and the state, the outermost first. They are set up after
    ///     loading.
    ///   - configuration: The name, mailbox capacity, priority and executor.
    ///   - dependencies: Sets the store's own dependencies, before loading begins.
    public init(
        loading load: @escaping @Sendable () async throws -> State,
        interceptors: [Interceptor<State, Action>] = [],
        configuration: StoreConfiguration = StoreConfiguration(),
        dependencies: sending ((_ values: inout DependencyValues, _ store: WeakStore<State, Action>) -> Void)? = nil
    ) {
        self.init(
            initialState: State(),
            loading: load,
            interceptors: interceptors,
            configuration: configuration,
            dependencies: dependencies
        )
    }
}
