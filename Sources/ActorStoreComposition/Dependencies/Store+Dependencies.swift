import ActorStore

extension Store {
    /// Creates a store with its own dependencies, which can use the store.
    ///
    /// ```swift
    /// let store = Store(initialState: Shop.State(), reducer: Shop()) { values, store in
    ///     values.clock = clock
    ///     values.cashDesk = CashDesk(onPayment: { store.send(.paid($0)) }, total: { store.snapshot?.total ?? 0 })
    /// }
    /// ```
    ///
    /// The dependencies are in force in the reducer, in attached reducers, in their effects, in those of all children,
    /// in the ``SideEffect``s that are dispatched to any of them, and in ``withIsolation(_:isolation:_:)``. They never
    /// change, and do not depend on the sender. Dependencies that are not overridden have the values in force where the
    /// store was created. The overrides of a child that is created under overrides take precedence.
    ///
    /// ## Loading
    ///
    /// ```swift
    /// let store = Store(
    ///     initialState: .empty,
    ///     loading: { try await database.load() },
    ///     reducer: Orders()
    /// ) { values, _ in
    ///     values.clock = clock
    /// }
    /// ```
    ///
    /// Actions that are sent while the dependencies are set, and while the state is being loaded, wait for the state,
    /// and then pass through the interceptors.
    ///
    /// - Parameters:
    ///   - initialState: The state before the first action; the value of ``ActorStore/Store/snapshot`` until the state
    ///     has been loaded.
    ///   - load: Loads the state, in a task of its own, with the task-locals of the calling task and with the store's
    ///     dependencies in force; nil for a store that begins with `initialState`. It must not wait for the store,
    ///     which waits for it.
    ///   - reducer: The reducer, which changes the state and returns effects.
    ///   - interceptors: The interceptors between senders and the reducer, the outermost first. They are set up after
    ///     loading.
    ///   - configuration: The name, mailbox capacity, priority and executor.
    ///   - dependencies: Sets the dependencies. It is called once, within the store's turn, before this initializer
    ///     returns and the loading begins. It can read the state. Actions that are sent meanwhile, by this closure or
    ///     by code that it passes the store to, pass through the interceptors and are reduced when all dependencies are
    ///     set. The handle does not retain the store. If a reducer creates the store, the closure runs within that
    ///     reducer, and must not read other stores.
    @inlinable  // Without inlining, the types of the store are known only at run time, and the store is slower.
    public init(
        initialState: State,
        loading load: (@Sendable () async throws -> State)? = nil,
        reducer: some Reducer<State, Action>,
        interceptors: [Interceptor<State, Action>] = [],
        configuration: StoreConfiguration = StoreConfiguration(),
        dependencies: sending @escaping (_ values: inout DependencyValues, _ store: WeakStore<State, Action>) -> Void
    ) {
        self.init(
            overriding: { overrides, store in DependencyValues.update(&overrides) { dependencies(&$0, store) } },
            initialState: initialState,
            loading: load,
            reducer: reducer,
            interceptors: interceptors,
            configuration: configuration
        )
    }
}

extension DependencyValues {
    @usableFromInline
    static func update(_ overrides: inout DependencyOverrides, _ update: (inout DependencyValues) -> Void) {
        var values = DependencyValues(overrides)
        update(&values)
        overrides = values.overrides
    }
}
