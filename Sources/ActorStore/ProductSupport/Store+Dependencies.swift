extension Store {
    /// Creates a store with its own dependencies, which may use the store.
    ///
    /// - Parameters:
    ///   - override: A closure that overrides dependencies. It is called once, before the initializer returns, within
    ///     the store's turn, with the dependencies that are in force here.
    ///   - initialState: The state before the first action, or until the state has been loaded.
    ///   - load: Loads the first state; nil for a store that loads none.
    ///   - reducer: The reducer that changes the state and returns effects.
    ///   - interceptors: The interceptors between senders and the reducer, the outermost first.
    ///   - configuration: The name, mailbox capacity, priority and executor.
    @inlinable
    package init(
        overriding override: (inout DependencyOverrides, WeakStore<State, Action>) -> Void,
        initialState: State,
        loading load: (@Sendable () async throws -> State)? = nil,
        reducer: some Reducer<State, Action>,
        interceptors: [Interceptor<State, Action>] = [],
        configuration: StoreConfiguration = StoreConfiguration()
    ) {
        let container = DependencyContainer()
        self.init(
            initialState: initialState,
            reducer: PreparedReducer(reducer.prepared().run(in: container)),
            configuration: configuration
        )
        guard case .root(let core) = backing else { return }
        if let load {
            core.beginLoading(interceptors) {
                core.fill(container, override)
            } _: {
                try await load()
            }
        } else {
            core.begin(interceptors) { core.fill(container, override) }
        }
    }
}
