public import ActorStore

extension Store where State: Codable, Action: Codable {
    /// Creates a store whose actions are kept in a log, and which goes on where it was.
    ///
    /// ```swift
    /// let orders = try await Store.durable(
    ///     in: SQLiteLog(at: "/var/lib/shop/orders"),
    ///     initialState: Orders.State(),
    ///     reducer: Orders()
    /// )
    /// try await orders.dispatch(.order(3))        // In the log when this returns.
    /// orders.store.send(.opened)                  // Starts what a restart has to start.
    /// ```
    ///
    /// The state is that of the newest snapshot that can be read, with the actions after it reduced by the same
    /// reducer. Their effects are not run: the world has seen them. What has to be begun anew, such as a timer, the
    /// reducer begins with an action that the program sends after the start.
    ///
    /// What is kept are the actions that reach the root's reducer, by whatever way: sent, dispatched, by effects, by
    /// stores below. An action that cannot be encoded, or is too large, is refused before it is reduced. States of
    /// children of their own are not in the log; interceptors are not run again, because what they let through is what
    /// is kept. To attach a reducer to the store traps: its changes would be in snapshots, and not in the log.
    ///
    /// - Parameters:
    ///   - log: Where the actions are kept. One store at a time writes to it.
    ///   - initialState: The state before the first action.
    ///   - reducer: Changes the state, and asks for effects. It must make the same of the same actions.
    ///   - interceptors: Stand between senders and the reducer, the first of them outermost.
    ///   - configuration: Name, mailbox capacity, priority and executor of the store.
    ///   - durability: Level, effects, snapshots, schema and codec.
    /// - Throws: ``ActionLogError``: ``ActionLogError/Code/inUse`` if another store has the log; what cannot be read
    ///   otherwise, and then nothing has been changed.
    @inlinable
    public static func durable(
        in log: some ActionLog,
        initialState: State,
        reducer: some Reducer<State, Action>,
        interceptors: [Interceptor<State, Action>] = [],
        configuration: StoreConfiguration = StoreConfiguration(),
        durability: DurabilityConfiguration = DurabilityConfiguration()
    ) async throws(ActionLogError) -> DurableStore<State, Action> {
        try await open(log, initialState, reducer.prepared(), durability) { state, reducer, outermost, innermost in
            Store(
                initialState: state,
                reducer: reducer,
                interceptors: [outermost] + interceptors + [innermost],
                configuration: configuration
            )
        }
    }

    /// Opens the log, and makes the store that goes on with it.
    ///
    /// - Parameter makeStore: Makes the store, given the state, the reducer that also writes, and the outermost and the
    ///   innermost interceptor. The caller does it, because code of this module knows the types of the store at run
    ///   time only, and makes one that is slower.
    @usableFromInline
    static func open(
        _ log: any ActionLog,
        _ initialState: State,
        _ reducer: PreparedReducer<State, Action>,
        _ settings: DurabilityConfiguration,
        _ makeStore: (
            State, PreparedReducer<State, Action>, Interceptor<State, Action>, Interceptor<State, Action>
        ) -> Store<State, Action>
    ) async throws(ActionLogError) -> DurableStore<State, Action> {
        // The same in every replay as in the store, also of actions of the past that somebody asks for later.
        let prepared = reducer.keepingDependencies
        let writer = try LogWriter<State, Action>(log, settings)
        var replay = LogReplay<State, Action>(
            coding: writer.coding,
            initialState: initialState,
            policy: settings.recovery,
            digestInterval: settings.digestInterval
        ) { state, action in _ = prepared.reduce(into: &state, action: action) }
        let opening = try await writer.open(replay)
        // So that the past is always one that the store has had: what it has, or what is reported to be left out.
        replay.leftOut = opening.report.leftOut
        let confirmed =
            settings.keepsConfirmedState
            ? Store(
                initialState: opening.logged.state,
                reducer: PreparedReducer { state, action in
                    _ = prepared.reduce(into: &state, action: action)
                    return .none
                },
                configuration: StoreConfiguration(name: "confirmed", mailbox: .unbounded)
            ) : nil
        let shared = DurableLog(
            writer,
            opening.logged.account,
            snapshot: opening.report.needsSnapshot ? nil : opening.report.snapshotRevision,
            first: opening.first,
            confirmed: confirmed
        )
        let writing = PreparedReducer<State, Action> { state, action in
            let effect = prepared.reduce(into: &state, action: action)
            return shared.append(action, state, effect)
        }
        let store = makeStore(opening.logged.state, writing, shared.admission, shared.preparation)
        shared.begin(store)
        await writer.start(shared)
        let durable = DurableStore(store, opening.report, shared, PastReader(log, replay))
        // So that the next recovery need not leave out what this one did.
        if opening.report.needsSnapshot { _ = await store.beginSnapshot(in: shared) }
        return durable
    }

    /// Creates a store whose reducer is a closure without effects, and whose actions are kept in a log; otherwise like
    /// ``durable(in:initialState:reducer:interceptors:configuration:durability:)``.
    @inlinable
    public static func durable(
        in log: some ActionLog,
        initialState: State,
        interceptors: [Interceptor<State, Action>] = [],
        configuration: StoreConfiguration = StoreConfiguration(),
        durability: DurabilityConfiguration = DurabilityConfiguration(),
        reduce: @escaping @Sendable (_ state: inout State, _ action: Action) -> Void
    ) async throws(ActionLogError) -> DurableStore<State, Action> {
        try await durable(
            in: log,
            initialState: initialState,
            reducer: PreparedReducer { state, action in
                reduce(&state, action)
                return .none
            },
            interceptors: interceptors,
            configuration: configuration,
            durability: durability
        )
    }

    /// Makes a snapshot of the state between two actions, if none is being made.
    func beginSnapshot(
        in log: DurableLog<State, Action>
    ) -> SnapshotSchedule<DurableLog<State, Action>.Waiter>.Beginning {
        log.beginSnapshot(of: snapshot)
    }
}

extension DurableLog {
    /// Refuses actions while too many wait to be written, and when nothing can be written any more. It stands
    /// outermost, so that nobody has done anything about an action that is refused.
    var admission: Interceptor<State, Action> {
        var interceptor = Interceptor<State, Action>("log") { action, _, next in
            if let refusal = self.refusal() {
                _ = self.refuse(refusal)
            } else {
                try next(action)
            }
        }
        interceptor.keepsActions = true
        return interceptor
    }

    /// Encodes what the other interceptors have let through, and refuses what cannot be encoded, was reduced before, or
    /// is meant for another revision.
    var preparation: Interceptor<State, Action> {
        var interceptor = Interceptor<State, Action>("log") { action, _, next in
            if try self.prepare(action) { try next(action) }
        }
        interceptor.staysInnermost = true
        return interceptor
    }
}
