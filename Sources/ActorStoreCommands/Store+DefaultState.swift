import ActorStore
import ActorStoreComposition

/// A state that can be created without arguments, so that stores can be created without an initial state.
///
/// ```swift
/// struct Counter: DefaultInitializable { var count = 0 }
/// let store = Store(reducer: Counting())    // Begins with Counter().
/// ```
///
/// Stores do not require it. It is a convenience for states with one natural initial value.
public protocol DefaultInitializable {
    /// Creates the initial value.
    init()
}

extension Store where State: DefaultInitializable {
    /// Creates a store whose initial state is `State()`.
    ///
    /// - Parameters:
    ///   - reducer: The reducer, which changes the state and returns effects.
    ///   - interceptors: The interceptors between senders and the reducer, the outermost first.
    ///   - configuration: The name, mailbox capacity, priority and executor.
    @inlinable
    public init(
        reducer: some Reducer<State, Action>,
        interceptors: [Interceptor<State, Action>] = [],
        configuration: StoreConfiguration = StoreConfiguration()
    ) {
        self.init(
            initialState: State(),
            reducer: reducer,
            interceptors: interceptors,
            configuration: configuration
        )
    }

    /// Creates a store whose first state is loaded. Until then, ``snapshot`` is `State()`.
    ///
    /// ```swift
    /// let store = Store(loading: { try await database.load() }, reducer: Orders())
    /// ```
    ///
    /// All messages to the store wait until the state has been loaded; see
    /// ``init(initialState:loading:reducer:interceptors:configuration:dependencies:)``.
    ///
    /// - Parameters:
    ///   - load: Loads the state, with the store's dependencies in force. It must not wait for the store.
    ///   - reducer: The reducer, which changes the state and returns effects.
    ///   - interceptors: The interceptors between senders and the reducer, the outermost first. They are set up after
    ///     loading.
    ///   - configuration: The name, mailbox capacity, priority and executor.
    ///   - dependencies: Sets the store's own dependencies, before loading begins.
    public init(
        loading load: @escaping @Sendable () async throws -> State,
        reducer: some Reducer<State, Action>,
        interceptors: [Interceptor<State, Action>] = [],
        configuration: StoreConfiguration = StoreConfiguration(),
        dependencies: sending ((_ values: inout DependencyValues, _ store: WeakStore<State, Action>) -> Void)? = nil
    ) {
        guard let dependencies else {
            self.init(
                initialState: State(),
                loading: load,
                reducer: reducer,
                interceptors: interceptors,
                configuration: configuration
            )
            return
        }
        self.init(
            initialState: State(),
            loading: load,
            reducer: reducer,
            interceptors: interceptors,
            configuration: configuration,
            dependencies: dependencies
        )
    }
}
