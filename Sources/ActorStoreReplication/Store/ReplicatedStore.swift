#if Replication
    public import ActorStore

    /// A store of which several machines have a replica. Made by
    /// ``ActorStore/Store/replicated(through:stream:initialState:reducer:configuration:replication:leaseAcquired:)``.
    ///
    /// Actions go into a stream on a Redis server, by which they come to all replicas in one order, this one included;
    /// each replica reduces each of them once. What differs from a store of one's own is when an action is reduced:
    /// when it has come back, which takes two ways over the network.
    ///
    /// It ends when it is released, also if ``store`` is kept.
    ///
    /// ``store`` is the state as this replica has it, to be read, observed and narrowed as ever. What is sent or
    /// dispatched there, and what effects send, goes into the stream as well, in the same order; but `dispatch` returns
    /// there when the action has been accepted, and its `revision` counts what was accepted, too.
    public final class ReplicatedStore<State: Codable & Sendable, Action: Codable & Sendable>: Sendable {
        typealias Root = Store<ReplicaState<State>, ReplicaAction<State, Action>>

        /// The state as this replica has it.
        public let store: Store<State, Action>
        private let root: Root
        private let replica: Replica<State, Action>
        private let tasks: [Task<Void, Never>]

        init(
            _ root: Root,
            _ replica: Replica<State, Action>,
            _ tasks: [Task<Void, Never>]
        ) {
            self.root = root
            self.replica = replica
            self.tasks = tasks
            let path: CasePath<ReplicaAction<State, Action>, Action> = ReplicaAction.local
            store = root.scope(state: \.state, action: path.embed, extract: path.extract)
        }

        deinit {
            replica.end(replica.error(.closed))
            for task in tasks { task.cancel() }
        }

        /// Has an action reduced by all replicas, and returns when this one has.
        ///
        /// Cancelling the task ends the wait, and not the action.
        ///
        /// - Throws: a ``ReplicationError``: ``ReplicationError/Cause/overloaded(limit:)`` and
        ///   ``ReplicationError/Cause/disconnected`` if the action was refused, and will not be reduced;
        ///   ``ReplicationError/Cause/unencodable(_:)`` also says that. With ``ReplicationError/Cause/cancelled``,
        ///   ``ReplicationError/Cause/unacknowledged(count:)`` and those that stop the replica it may be reduced later,
        ///   or may have been. After a shutdown ``ReplicationError/Cause/closed``, or `StoreError.shutDown`.
        public func dispatch(_ action: Action, isolation: isolated (any Actor)? = #isolation) async throws {
            try await dispatch(action, Ticket())
        }

        private func dispatch(
            _ action: Action,
            _ ticket: Ticket,
            isolation: isolated (any Actor)? = #isolation
        ) async throws {
            do {
                try await root.dispatch(.local(action, from: LocalSender(ticket: ticket)))
            } catch {
                if case .refused(let refusal) = ticket.outcome { throw refusal }
                throw error
            }
            if case .accepted(let number) = ticket.outcome { try await replica.wait(for: number, isSender: true) }
        }

        /// Has a request reduced by all replicas, and returns the answer that this one has decided when it reduced it,
        /// at the request's place among the actions of all.
        ///
        /// Ask here, and not ``store``, which cannot wait for the answer, and throws `StoreError.unanswered`.
        ///
        /// - Parameters:
        ///   - request: What is asked.
        ///   - isolation: The caller's actor, on which this runs; leave the default.
        /// - Returns: The answer. Another replica may hear of the change later.
        /// - Throws: What ``dispatch(_:isolation:)`` throws; `StoreError.unanswered` if no reducer has answered the
        ///   request, or the first that did with another type; ``ReplicationError/Cause/missedAnswer`` if this replica
        ///   has not reduced it itself.
        public func ask<R: Request>(_ request: R, isolation: isolated (any Actor)? = #isolation) async throws
            -> R.Answer
        where R.StoreAction == Action {
            let ticket = Ticket(isRequest: true)
            defer { if case .accepted(let number) = ticket.outcome { replica.forgetRequest(number) } }
            try await dispatch(R.casePath.embed(request), ticket)
            guard case .accepted = ticket.outcome else { throw StoreError.unanswered }
            guard case .given(let value) = ticket.answer else { throw replica.error(.missedAnswer) }
            // First whether there is one: an answer can be an optional.
            guard let value, let answer = value as? R.Answer else { throw StoreError.unanswered }
            return answer
        }

        /// Accepts an action without waiting; see `Store.send(_:)`. ``commit(isolation:)`` waits until it has been
        /// reduced.
        ///
        /// - Returns: what became of it; refused with `rejected(by: "replication")` if the replica takes no actions
        ///   now. If it was still to come to that when `send` returned, the ``ReplicationError`` reaches the errors of
        ///   ``store``.
        @discardableResult
        public func send(_ action: Action) -> SendOutcome {
            if replica.refusal() != nil { return .refused(.rejected(by: "replication")) }
            return root.send(.local(action, from: LocalSender()))
        }

        /// Waits until every action that this replica has accepted so far has been reduced here.
        ///
        /// - Throws: as ``dispatch(_:)``.
        public func commit(isolation: isolated (any Actor)? = #isolation) async throws {
            await root.settle()
            if let failure = replica.failure { throw failure }
            try await replica.wait(for: replica.accepted, isSender: false)
        }

        /// The state at this moment, here; see `Store.snapshot`.
        public var snapshot: State { root.snapshot.state }

        /// How many actions the state is made of; the same on all replicas with the same state.
        public var revision: UInt64 { root.snapshot.log.revision }

        /// Figures for diagnostics and metrics, as they are at this moment.
        public var statistics: ReplicationStatistics { replica.statistics }

        /// Names this replica in this life of it, for all others.
        public var origin: String { replica.origin }

        /// The lease, if this replica has it; see ``EffectPlacement/leaseHolder(lasting:)``.
        public var lease: ReplicationLease? {
            replica.leaseToken.map { ReplicationLease(token: $0, holder: replica.origin) }
        }

        /// Puts a snapshot on the server now, for replicas that join, and trims the stream behind the one before it.
        ///
        /// - Throws: a ``ReplicationError`` if the server cannot be reached, or the state cannot be encoded.
        public func checkpoint(isolation: isolated (any Actor)? = #isolation) async throws {
            if let failure = replica.failure { throw failure }
            let state = root.snapshot
            // Before the first action there is nothing to save.
            if state.log.position > .zero { try await replica.snapshots.write(state) }
        }

        /// Ends the store's life as `Store.shutdown(drain:within:reserving:clock:isolation:)` does without a limit, and
        /// leaves. The other replicas go on.
        ///
        /// What was accepted is reduced first, and so is what effects still send. Cancelling the task does not shorten
        /// it.
        ///
        /// - Parameters:
        ///   - drain: What becomes of effects. Those of actions that others send are not begun any more.
        ///   - limit: How long to wait for a server that does nothing. What effects take is not limited.
        /// - Throws: ``ReplicationError/Cause/unacknowledged(count:)`` if the server did nothing for so long, or why
        ///   the replica had stopped; it has ended all the same.
        public func shutdown(
            drain: ShutdownDrain,
            within limit: Duration = .seconds(10),
            isolation: isolated (any Actor)? = #isolation
        ) async throws {
            try await ReplicaShutdown(root: root, replica: replica, tasks: tasks).run(drain, limit)
        }
    }

    extension ReplicaAction {
        /// What users' actions become on their way to the stream, and the actions that come by it.
        static var local: CasePath<ReplicaAction, Action> {
            CasePath(embed: { .local($0, from: LocalSender()) }) { action in
                if case .entry(let entry) = action, case .action(let action?, _, _) = entry.content {
                    action
                } else {
                    nil
                }
            }
        }
    }
#endif
