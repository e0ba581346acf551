public import ActorStore

extension Store where State: Codable, Action: Codable {
    /// Creates a replica of a store, which has caught up with the log when this returns.
    ///
    /// ```swift
    /// let stock = try await Store.replicated(
    ///     through: PostgresLog(server, stream: "stock"),
    ///     initialState: Stock.State(),
    ///     reducer: Stock()
    /// )
    /// try await stock.dispatch(.order(3))        // In the log for all, and reduced here.
    /// ```
    ///
    /// The state is that of the newest snapshot in the log; the reducer then reduces the actions after it, without
    /// running their effects. The reducer must produce the same state from the same actions on every machine: it must
    /// not read a clock or generate random numbers. Pass such values in the action.
    ///
    /// Attaching a reducer to the store traps: other replicas would not see its changes.
    ///
    /// - Parameters:
    ///   - log: The log of the actions, the same for all replicas. A durable store must not write to it.
    ///   - initialState: The state before the first action, the same on all replicas.
    ///   - reducer: The reducer.
    ///   - configuration: The name, priority and executor of the store. Its mailbox is unbounded, because entries of
    ///     the log must not be dropped; ``ReplicationConfiguration/pendingLimit`` limits the actions that wait.
    ///   - settings: The effects, snapshots, retention, schema and codec.
    ///   - leaseAcquired: The action that is sent when this replica gets the lease; see
    ///     ``EffectPlacement/leaseHolder(lasting:)``.
    /// - Returns: A replica.
    /// - Throws: ``ActionLogError`` if the log cannot be reached or read; ``ActionLogError/Code/otherReducer`` if it
    ///   has actions for another version of the reducer after the newest snapshot, or if a replica with a newer
    ///   version has joined. A cancelled task does not end this.
    /// - Complexity: O(*n*), where *n* is the size of the snapshot and of the actions after it.
    public static func replicated(
        through log: some ActionLog,
        initialState: State,
        reducer: some Reducer<State, Action>,
        configuration: StoreConfiguration = StoreConfiguration(),
        replication settings: ReplicationConfiguration = ReplicationConfiguration(),
        leaseAcquired: Action? = nil
    ) async throws(ActionLogError) -> ReplicatedStore<State, Action> {
        // The replay uses the same dependencies as the store.
        let prepared = reducer.prepared().keepingDependencies
        let writer = try ReplicaWriter<State, Action>(log, settings)
        let replay = LogReplay<State, Action>(
            coding: writer.coding,
            initialState: initialState,
            policy: settings.recovery,
            digestInterval: settings.digestInterval
        ) { state, action in _ = prepared.reduce(into: &state, action: action) }
        let follower = ReplicaFollower(writer, replay)
        let opening = try await follower.open()
        let replica = Replica(writer, opening)
        var configuration = configuration
        configuration.mailbox = .unbounded
        let root = Store<LoggedState<State>, ReplicaAction<State, Action>>(
            initialState: opening.logged,
            reducer: replica.reducer(prepared),
            interceptors: [replica.admission],
            configuration: configuration
        )
        replica.begin(root)
        // Detached, because it must outlive an effect that may have created the replica, and is not a part of it.
        let task = Task.detached(priority: Task.currentPriority) {
            await follower.follow(root, of: replica, leaseAcquired: leaseAcquired)
        }
        let store = ReplicatedStore(root, replica, opening.report, [task])
        // The other replicas then continue without the skipped entries.
        if opening.report.needsSnapshot, let failure = await store.checkpointAfterLoss() {
            // Without the snapshot, no other replica could continue behind the skipped entries.
            await store.shutdown(drain: .cancelEffects, within: .seconds(1))
            throw failure
        }
        // Not earlier: a replica that does not open must not get the lease of effects.
        await writer.keep(replica)
        return store
    }

    /// Creates a replica of a store with a closure as reducer and without effects. The replica has caught up with the
    /// log when this returns.
    ///
    /// Attaching a reducer to the store traps: other replicas would not see its changes.
    ///
    /// - Parameters:
    ///   - log: The log of the actions, the same for all replicas. A durable store must not write to it.
    ///   - initialState: The state before the first action, the same on all replicas.
    ///   - configuration: The name, priority and executor of the store. Its mailbox is unbounded, because entries of
    ///     the log must not be dropped; ``ReplicationConfiguration/pendingLimit`` limits the actions that wait.
    ///   - replication: The snapshots, retention, schema and codec.
    ///   - reduce: Changes the state. It must produce the same state from the same actions on every machine.
    /// - Returns: A replica.
    /// - Throws: ``ActionLogError`` if the log cannot be reached or read; ``ActionLogError/Code/otherReducer`` if it
    ///   has actions for another version of the reducer after the newest snapshot, or if a replica with a newer
    ///   version has joined. A cancelled task does not end this.
    /// - Complexity: O(*n*), where *n* is the size of the snapshot and of the actions after it.
    public static func replicated(
        through log: some ActionLog,
        initialState: State,
        configuration: StoreConfiguration = StoreConfiguration(),
        replication: ReplicationConfiguration = ReplicationConfiguration(),
        reduce: @escaping @Sendable (_ state: inout State, _ action: Action) -> Void
    ) async throws(ActionLogError) -> ReplicatedStore<State, Action> {
        try await replicated(
            through: log,
            initialState: initialState,
            reducer: PreparedReducer { state, action in
                reduce(&state, action)
                return .none
            },
            configuration: configuration,
            replication: replication
        )
    }
}

extension Replica {
    /// Returns the reducer of the root, which accepts actions of this replica and reduces entries of the log.
    func reducer(
        _ prepared: PreparedReducer<State, Action>
    ) -> PreparedReducer<LoggedState<State>, ReplicaAction<State, Action>> {
        PreparedReducer { [self] logged, action in
            switch action {
            case .local(let action, let sender):
                guard let refusal = accept(action, sender, logged.account) else { return .none }
                return .run { _ in throw refusal }
            case .install(let installed):
                logged = installed
                _ = noteReduced(logged, isAction: false, isOwn: false, size: 0)
                return .none
            case .entry(let entry): return reduce(entry, prepared, &logged)
            }
        }
    }

    /// Reduces an entry of the log. Runs within the store's turn.
    private func reduce(
        _ entry: ReplicatedEntry<Action>,
        _ prepared: PreparedReducer<State, Action>,
        _ logged: inout LoggedState<State>
    ) -> Effect<ReplicaAction<State, Action>> {
        // A store that is being shut down refuses entries, but still reduces those whose effects a caller awaits. Such
        // an entry must not be reduced without those before it.
        guard entry.position == logged.account.point.position + 1 else {
            self.root.withLock { $0 }?.effectHold?.fail(ActionLogError.closed(in: coding.log))
            return .none
        }
        let verdict = logged.account.admit(entry.header, of: entry.identity)
        var effect = Effect<Action>.none
        if verdict == .reduced, let action = entry.action {
            effect = prepared.reduce(into: &logged.state, action: action)
        }
        let isOwn = entry.identity.origin == origin
        let duties = noteReduced(logged, isAction: verdict == .reduced, isOwn: isOwn, size: entry.size)
        if isOwn { deliver(entry.identity.number, Ticket.Arrival(verdict: verdict, answer: effect.firstAnswer)) }
        if duties.makesSnapshot { _ = beginSnapshot(of: logged) }
        if duties.makesDigest { makeDigest(of: logged) }
        guard !effect.isNone else { return .none }
        switch effectRun(isOwn: isOwn) {
        case .here(let lease): return effect.map { .local($0, LocalSender(lease: lease, isEffect: true)) }
        case .elsewhere: return effect.cancellations.map { .local($0, LocalSender(isEffect: true)) }
        }
    }

    /// Refuses actions of this replica while it cannot accept or encode them. It is outermost, so that no other
    /// interceptor has acted on a refused action.
    var admission: Interceptor<LoggedState<State>, ReplicaAction<State, Action>> {
        var admission = Interceptor<LoggedState<State>, ReplicaAction<State, Action>>("log") { [self] action, _, next in
            guard case .local(let local, var sender) = action else { return try next(action) }
            do throws(ActionLogError) {
                if let refusal = refusal(ofEffect: sender.isEffect, under: sender.lease) {
                    if failure == nil, ![.fenced, .closed].contains(refusal.code) { overloads.withLock { $0 += 1 } }
                    throw refusal
                }
                if sender.payload == nil { sender.payload = try coding.encode(local) }
            } catch {
                guard let ticket = sender.ticket else {
                    // The performance whose effects have sent the action fails.
                    if let failure { self.root.withLock { $0 }?.effectHold?.fail(failure) }
                    // To the store's errors.
                    throw error
                }
                ticket.outcome = .refused(error)
                return
            }
            try next(.local(local, sender))
        }
        admission.keepsActions = true
        return admission
    }
}

extension ActionLogError {
    /// The error when the store has been shut down.
    static func closed(in log: String) -> ActionLogError {
        ActionLogError(.closed, in: log, "The store has been shut down.")
    }
}
