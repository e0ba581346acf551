public import ActorStore

extension Store where State: Codable, Action: Codable {
    /// Creates a replica of a store, which has caught up with the others when this returns.
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
    /// The state is that of the newest snapshot in the log, with the actions after it reduced by the reducer, whose
    /// effects are not run for them. The reducer must make the same of the same actions on every machine: it must not
    /// look at the clock or roll dice; what differs belongs into the action.
    ///
    /// To attach a reducer to the store traps: the other replicas would not know of its changes.
    ///
    /// - Parameters:
    ///   - log: Where the actions are kept, the same for all replicas. No durable store writes to it.
    ///   - initialState: The state before the first action, the same on all replicas.
    ///   - reducer: Changes the state, and asks for effects.
    ///   - configuration: Name, priority and executor of the store. Its mailbox is not bounded: how much may wait is a
    ///     matter of ``ReplicationConfiguration/pendingLimit``, and what comes by the log must not be dropped.
    ///   - settings: Effects, snapshots, retention, schema and codec.
    ///   - leaseAcquired: What is sent when this replica has got the lease; see
    ///     ``EffectPlacement/leaseHolder(lasting:)``.
    /// - Throws: ``ActionLogError`` if the log cannot be reached, or what is in it cannot be read;
    ///   ``ActionLogError/Code/otherReducer`` if actions for another version of the reducer are in it behind the newest
    ///   snapshot, or a replica with a newer version has joined.
    public static func replicated(
        through log: some ActionLog,
        initialState: State,
        reducer: some Reducer<State, Action>,
        configuration: StoreConfiguration = StoreConfiguration(),
        replication settings: ReplicationConfiguration = ReplicationConfiguration(),
        leaseAcquired: Action? = nil
    ) async throws(ActionLogError) -> ReplicatedStore<State, Action> {
        // The same in the replay as in the store.
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
        // Detached, because they are no part of the effect that may have created the replica, and outlive it.
        let task = Task.detached(priority: Task.currentPriority) {
            await follower.follow(root, of: replica, leaseAcquired: leaseAcquired)
        }
        await writer.keep(replica)
        let store = ReplicatedStore(root, replica, opening.report, [task])
        // So that the others go on from what this one has left out.
        if opening.report.needsSnapshot {
            do {
                // Behind the entry of this replica, of which it is certain what it is.
                try await store.readBarrier()
                try await store.checkpoint()
            } catch {
                replica.noteProblem(error as? ActionLogError ?? .closed(in: log.name))
            }
        }
        return store
    }

    /// Creates a replica of a store whose reducer is a closure without effects; otherwise like
    /// ``replicated(through:initialState:reducer:configuration:replication:leaseAcquired:)``.
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
    /// Hands actions of this replica over, and reduces those that come by the log.
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

    /// In the turn.
    private func reduce(
        _ entry: ReplicatedEntry<Action>,
        _ prepared: PreparedReducer<State, Action>,
        _ logged: inout LoggedState<State>
    ) -> Effect<ReplicaAction<State, Action>> {
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

    /// Refuses actions of this replica while it cannot take them, or cannot encode them. It stands outermost, so that
    /// nobody has done anything about an action that is refused.
    var admission: Interceptor<LoggedState<State>, ReplicaAction<State, Action>> {
        var admission = Interceptor<LoggedState<State>, ReplicaAction<State, Action>>("log") { [self] action, _, next in
            guard case .local(let local, var sender) = action else { return try next(action) }
            do throws(ActionLogError) {
                if let refusal = refusal(ofEffect: sender.isEffect, under: sender.lease) { throw refusal }
                if sender.payload == nil { sender.payload = try coding.encode(local) }
            } catch {
                // Nobody learns of it otherwise than by the store's errors unless somebody waits.
                guard let ticket = sender.ticket else { throw error }
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
    /// The store has been shut down.
    static func closed(in log: String) -> ActionLogError {
        ActionLogError(.closed, in: log, "The store has been shut down.")
    }
}
