import ActorStore

extension Store {
    /// Creates a store with dependencies of its own, which may use the store.
    ///
    /// ```swift
    /// let store = Store(initialState: Shop.State(), reducer: Shop()) { values, store in
    ///     values.clock = clock
    ///     values.cashDesk = CashDesk(onPayment: { store.send(.paid($0)) }, total: { store.snapshot?.total ?? 0 })
    /// }
    /// ```
    ///
    /// They are in force in the reducer, in attached reducers, in their effects, in those of all children, in the
    /// ``SideEffect``s that are dispatched to any of them, and in ``withIsolation(_:isolation:_:)``. They never change,
    /// and do not depend on who sends or dispatches. What they do not override is what was in force where the store was
    /// created. A child that is made under overrides keeps these over them.
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
    /// What is sent while the dependencies are set, and while the state is being loaded, waits for the state, and then
    /// passes through the interceptors.
    ///
    /// - Parameters:
    ///   - initialState: The state before the first action; what ``ActorStore/Store/snapshot`` shows until the state
    ///     has been loaded.
    ///   - load: Loads the state, in a task of its own, with the task-locals of the calling task and with the store's
    ///     dependencies in force; nil for a store that begins with `initialState`. It must not wait for the store,
    ///     which waits for it.
    ///   - reducer: Changes the state, and asks for effects.
    ///   - interceptors: Stand between senders and the reducer, the first of them outermost. They are set up when the
    ///     state is there.
    ///   - configuration: Name, mailbox capacity, priority and executor.
    ///   - dependencies: Sets the dependencies. It is called once, before this returns and the loading begins, in the
    ///     store's turn: it can read the state, and what it sends, or what those to whom it gives the store send,
    ///     passes through the interceptors and is reduced when all dependencies are there. The handle does not keep the
    ///     store alive. When a reducer creates the store this runs within that reducer, and must not read other stores.
    @inlinable  // Code of this module knows the types of the store at run time only, and makes a slower one.
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
