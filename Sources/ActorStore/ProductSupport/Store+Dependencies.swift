extension Store {
    /// Creates a store with dependencies of its own, which may use the store.
    ///
    /// - Parameters:
    ///   - override: Overrides dependencies. It is called once, before this returns, in the store's turn, with those in
    ///     force here.
    ///   - initialState: The state before the first action, or until the state has been loaded.
    ///   - load: Loads the first state, if there is one to be loaded.
    ///   - reducer: Changes the state, and asks for effects.
    ///   - interceptors: Stand between senders and the reducer, the first of them outermost.
    ///   - configuration: Name, mailbox capacity, priority and executor.
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
