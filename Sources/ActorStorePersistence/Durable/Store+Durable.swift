public import ActorStore

extension Store where State: Codable, Action: Codable {
    /// Creates a store whose actions are kept in a log, and which continues from the log's state.
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
    /// The state is that of the newest readable snapshot; the same reducer then reduces the actions after it. Their
    /// effects are not run again. For work that must be restarted, such as a timer, send an action after the start.
    ///
    /// The log has all actions that reach the root's reducer: sent, dispatched, from effects, and from scopes. An
    /// action that cannot be encoded, or is too large, is refused before it is reduced. The log does not contain the
    /// states of separate child stores. Interceptors are not run again, because the log has the actions that they
    /// passed on.
    ///
    /// Attaching a reducer to the store traps: its changes would be in snapshots, but not in the log.
    ///
    /// - Parameters:
    ///   - log: The log for the actions. It has one writer at a time.
    ///   - initialState: The state before the first action.
    ///   - reducer: The reducer. It must produce the same state from the same actions.
    ///   - interceptors: The interceptors between senders and the reducer, the outermost first.
    ///   - configuration: The name, mailbox capacity, priority and executor of the store.
    ///   - durability: The level, effects, snapshots, schema and codec.
    /// - Returns: A durable store.
    /// - Throws: ``ActionLogError``: ``ActionLogError/Code/inUse`` if another store writes to the log, also if the task
    ///   is cancelled while this waits for its lease; the reason if the log cannot be read, and then its entries and
    ///   snapshots are unchanged.
    /// - Complexity: O(*n*), where *n* is the size of the snapshot and of the actions after it.
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

    /// Opens the log, and creates the store that continues it.
    ///
    /// - Parameter makeStore: Creates the store from the state, the reducer that also writes, and the outermost and the
    ///   innermost interceptor. The caller passes it, because the types of the store are not specialized in this
    ///   module, whose stores would be slower.
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
        // All replays use the same dependencies as the store, including later reads of earlier states.
        let prepared = reducer.keepingDependencies
        let writer = try LogWriter<State, Action>(log, settings)
        var replay = LogReplay<State, Action>(
            coding: writer.coding,
            initialState: initialState,
            policy: settings.recovery,
            digestInterval: settings.digestInterval
        ) { state, action in _ = prepared.reduce(into: &state, action: action) }
        let opening = try await writer.open(replay)
        // Earlier states then skip the same entries as this store, and no others.
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
            snapshot: opening.report.beginsWithSnapshot ? nil : opening.report.snapshotRevision,
            first: opening.first,
            confirmed: confirmed
        )
        let release = StoreRelease(of: shared)
        let writing = PreparedReducer<State, Action> { state, action in
            let effect = prepared.reduce(into: &state, action: action)
            return release.log.append(action, state, effect)
        }
        let store = makeStore(opening.logged.state, writing, shared.admission, shared.preparation)
        shared.begin(store)
        await writer.start(shared)
        let durable = DurableStore(store, opening.report, shared, PastReader(log, replay))
        if opening.report.beginsWithSnapshot { _ = await store.beginSnapshot(in: shared) }
        return durable
    }

    /// Creates a store with a closure as reducer and without effects, whose actions are kept in a log, and which
    /// continues from the log's state.
    ///
    /// Attaching a reducer to the store traps: its changes would be in snapshots, but not in the log.
    ///
    /// - Parameters:
    ///   - log: The log for the actions. It has one writer at a time.
    ///   - initialState: The state before the first action.
    ///   - interceptors: The interceptors between senders and the reducer, the outermost first.
    ///   - configuration: The name, mailbox capacity, priority and executor of the store.
    ///   - durability: The level, snapshots, schema and codec.
    ///   - reduce: Changes the state. It must produce the same state from the same actions.
    /// - Returns: A durable store.
    /// - Throws: ``ActionLogError``: ``ActionLogError/Code/inUse`` if another store writes to the log, also if the task
    ///   is cancelled while this waits for its lease; the reason if the log cannot be read, and then its entries and
    ///   snapshots are unchanged.
    /// - Complexity: O(*n*), where *n* is the size of the snapshot and of the actions after it.
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

    /// Begins a snapshot of the state between two actions, unless one is being written.
    func beginSnapshot(
        in log: DurableLog<State, Action>,
        unlessSavedFrom least: UInt64? = nil
    ) -> SnapshotSchedule<DurableAccount.Waiter>.Beginning {
        log.beginSnapshot(of: snapshot, unlessSavedFrom: least)
    }
}

/// Retained by the reducer of a durable store, and thus released with the store, after it has reduced all accepted
/// actions. They are then written without waiting for the end of an interval, and the log is closed.
final class StoreRelease<State: Codable & Sendable, Action: Codable & Sendable>: Sendable {
    let log: DurableLog<State, Action>

    init(of log: DurableLog<State, Action>) { self.log = log }

    deinit { log.wake() }
}

extension DurableLog {
    /// Refuses actions while too many wait to be written, and when nothing can be written any more. It is outermost, so
    /// that no other interceptor has acted on a refused action.
    var admission: Interceptor<State, Action> {
        var interceptor = Interceptor<State, Action>("log") { action, _, next in
            if let refusal = self.refusal() {
                if self.failure == nil, refusal.code != .closed { self.overloads.withLock { $0 += 1 } }
                if !self.refuse(refusal) { self.failPerformance() }
            } else {
                try next(action)
            }
        }
        interceptor.keepsActions = true
        return interceptor
    }

    /// Encodes the actions that the other interceptors have passed on. Refuses actions that cannot be encoded, were
    /// reduced before, or expect another revision.
    var preparation: Interceptor<State, Action> {
        var interceptor = Interceptor<State, Action>("log") { action, _, next in
            if try self.prepare(action) { try next(action) }
        }
        interceptor.staysInnermost = true
        return interceptor
    }
}
