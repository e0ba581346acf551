import ActorStore
import ActorStoreComposition

/// A state that can be made without arguments, so that a store of it need not be given one.
///
/// ```swift
/// struct Counter: DefaultInitializable { var count = 0 }
/// let store = Store(reducer: Counting())    // Begins with Counter().
/// ```
///
/// No store asks for it; it is a convenience for states that have one natural beginning.
public protocol DefaultInitializable {
    /// Creates the value to begin with.
    init()
}

extension Store where State: DefaultInitializable {
    /// Creates a store that begins with the state that is made without arguments; otherwise like
    /// ``init(initialState:loading:reducer:interceptors:configuration:)``.
    ///
    /// - Parameters:
    ///   - reducer: Changes the state, and asks for effects.
    ///   - interceptors: Stand between senders and the reducer, the first of them outermost.
    ///   - configuration: Name, mailbox capacity, priority and executor.
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

    /// Creates a store whose first state is loaded. Until then, ``snapshot`` shows the state that is made without
    /// arguments.
    ///
    /// ```swift
    /// let store = Store(loading: { try await database.load() }, reducer: Orders())
    /// ```
    ///
    /// Everything that is asked of the store waits until the state has been loaded; see
    /// ``init(initialState:loading:reducer:interceptors:configuration:dependencies:)``.
    ///
    /// - Parameters:
    ///   - load: Loads the state, with the store's dependencies in force. It must not wait for the store.
    ///   - reducer: Changes the state, and asks for effects.
    ///   - interceptors: Stand between senders and the reducer, the first of them outermost. They begin after loading.
    ///   - configuration: Name, mailbox capacity, priority and executor.
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
