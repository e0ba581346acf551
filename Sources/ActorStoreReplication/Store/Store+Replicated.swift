#if Replication
    public import ActorStore

    extension Store where State: Codable, Action: Codable {
        /// Creates a replica of a store, which has caught up with the others when this returns.
        ///
        /// ```swift
        /// let stock = try await Store.replicated(
        ///     through: RedisServer(address: .host("redis.internal", port: 6379)),
        ///     stream: "stock",
        ///     initialState: Stock.State(),
        ///     reducer: Stock()
        /// )
        /// try await stock.dispatch(.order(3))        // Reduced here, and in the stream for all others.
        /// ```
        ///
        /// The state is that of the newest snapshot on the server, with the actions after it reduced by the reducer,
        /// whose effects are not run for them. The reducer must make the same of the same actions on every machine: it
        /// must not look at the clock or roll dice; what differs belongs into the action.
        ///
        /// - Parameters:
        ///   - server: Where the stream is.
        ///   - stream: Its key. Other keys begin with it in braces.
        ///   - initialState: The state before the first action, the same on all replicas.
        ///   - reducer: Changes the state, and asks for effects.
        ///   - configuration: Name, priority and executor of the store. Its mailbox is not bounded: how much may wait
        ///     is a
        ///   matter of ``ReplicationConfiguration/pendingLimit``, and what comes by the stream must not be dropped.
        ///   - settings: Effects, snapshots, trimming, schema and codec.
        ///   - leaseAcquired: What is sent when this replica has got the lease; see
        ///   ``EffectPlacement/leaseHolder(lasting:)``.
        /// - Throws: ``ReplicationError`` if the server cannot be reached, or the stream or the snapshot cannot be
        ///   read.
        public static func replicated(
            through server: RedisServer,
            stream: String,
            initialState: State,
            reducer: some Reducer<State, Action>,
            configuration: StoreConfiguration = StoreConfiguration(),
            replication settings: ReplicationConfiguration = ReplicationConfiguration(),
            leaseAcquired: Action? = nil
        ) async throws(ReplicationError) -> ReplicatedStore<State, Action> {
            let replica = Replica<State, Action>(stream, server, settings)
            var configuration = configuration
            configuration.mailbox = .unbounded
            let root = Store<ReplicaState<State>, ReplicaAction<State, Action>>(
                initialState: ReplicaState(state: initialState),
                reducer: replica.reducer(reducer.prepared()),
                interceptors: [replica.gate],
                configuration: configuration
            )
            let reader = ReplicaReader(replica)
            try await reader.join(root)
            replica.noteJoined()
            let keeper = ReplicaKeeper(replica) { await root.cancelAllEffects() }
            // Detached, because they are no part of the effect that may have created the replica, and outlive it.
            let priority = Task.currentPriority
            let tasks = [
                Task.detached(priority: priority) { await reader.follow(root, leaseAcquired: leaseAcquired) },
                Task.detached(priority: priority) { await keeper.run() },
            ]
            return ReplicatedStore(root, replica, tasks)
        }

        /// Creates a replica of a store whose reducer is a closure without effects; otherwise like
        /// ``replicated(through:stream:initialState:reducer:configuration:replication:leaseAcquired:)``.
        public static func replicated(
            through server: RedisServer,
            stream: String,
            initialState: State,
            configuration: StoreConfiguration = StoreConfiguration(),
            replication: ReplicationConfiguration = ReplicationConfiguration(),
            reduce: @escaping @Sendable (_ state: inout State, _ action: Action) -> Void
        ) async throws(ReplicationError) -> ReplicatedStore<State, Action> {
            try await replicated(
                through: server,
                stream: stream,
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
        /// Hands actions of this replica over, and reduces those that come by the stream.
        fileprivate func reducer(
            _ prepared: PreparedReducer<State, Action>
        ) -> PreparedReducer<ReplicaState<State>, ReplicaAction<State, Action>> {
            PreparedReducer { [self] state, action in
                switch action {
                case .local(let action, let sender):
                    accept(action, from: sender)
                    return .none
                case .passed(let entry):
                    _ = state.log.admit(entry)
                    return .none
                case .install(let installed):
                    state = installed
                    return .none
                case .entry(let entry):
                    guard state.log.admit(entry) == .reduced, case .action(let action?, let number, _) = entry.content
                    else { return .none }
                    let effect = prepared.reduce(into: &state.state, action: action)
                    if entry.origin == origin {
                        answer(number, with: effect.firstAnswer)
                        saveSnapshot(ifDue: state)
                    }
                    guard !effect.isNone else { return .none }
                    switch effectRun(of: entry, state.log) {
                    case .run(let lease):
                        return effect.map { .local($0, from: LocalSender(lease: lease, isEffect: true)) }
                    case .skip:
                        return effect.cancellations.map { .local($0, from: LocalSender(isEffect: true)) }
                    }
                }
            }
        }

        /// One of all replicas makes a snapshot after so many actions: the one that the last of them came from, which
        /// has been alive a moment ago.
        private func saveSnapshot(ifDue state: ReplicaState<State>) {
            guard state.log.revision.isMultiple(of: max(configuration.snapshotInterval, 1)) else { return }
            snapshots.submit(state) { [weak self] error in self?.noteProblem(error) }
        }

        /// Refuses actions of this replica while it cannot take them. It stands outermost, so that nobody has done
        /// anything about an action that is refused.
        fileprivate var gate: Interceptor<ReplicaState<State>, ReplicaAction<State, Action>> {
            var gate = Interceptor<ReplicaState<State>, ReplicaAction<State, Action>>("replication") {
                [self] action, _, next in
                guard case .local(_, let sender) = action, let refusal = refusal(ofEffect: sender.isEffect) else {
                    return try next(action)
                }
                // Nobody learns of it otherwise than by the store's errors unless somebody waits.
                guard let ticket = sender.ticket else { throw refusal }
                ticket.outcome = .refused(refusal)
            }
            gate.keepsActions = true
            return gate
        }
    }
#endif
