public import ActorStore

/// A store of which several machines have a replica. Made by
/// `Store.replicated(through:initialState:reducer:configuration:replication:leaseAcquired:)`.
///
/// Actions go into a log, by which they come to all replicas in one order, this one included; each replica reduces each of
/// them once, and none before it is in the log. So the state of a replica is always what the first so many entries of
/// the log make.
///
/// ``store`` is the state as this replica has it, to be read, observed and narrowed as ever. What is sent or dispatched
/// there, and what effects send, goes into the log as well, in the same order; but `dispatch` returns there when the
/// action has been accepted, and its `revision` counts what was accepted, too.
///
/// It ends when it is released, also if ``store`` is kept.
public final class ReplicatedStore<State: Codable & Sendable, Action: Codable & Sendable>: Sendable {
    /// The state as this replica has it.
    public let store: Store<State, Action>
    /// The replica that runs effects, by the log: the last one that has had the lease of effects; nil if none has.
    ///
    /// ```swift
    /// for await holder in stock.effectsHolder.values(of: \.self) { show(holder?.holder) }
    /// ```
    public let effectsHolder: Store<ActionLogLease?, Never>
    /// How far this replica can follow the log.
    ///
    /// ```swift
    /// for await phase in stock.phase.values(of: \.self) { health.set(phase == .connected) }
    /// ```
    public let phase: Store<ReplicaPhase, Never>
    /// What the replica has begun with.
    public let recovery: RecoveryReport

    let root: Replica<State, Action>.Root
    let replica: Replica<State, Action>
    let tasks: [Task<Void, Never>]
    private let revisions: Store<UInt64, Never>

    init(
        _ root: Replica<State, Action>.Root,
        _ replica: Replica<State, Action>,
        _ recovery: RecoveryReport,
        _ tasks: [Task<Void, Never>]
    ) {
        self.root = root
        self.replica = replica
        self.recovery = recovery
        self.tasks = tasks
        let path: CasePath<ReplicaAction<State, Action>, Action> = ReplicaAction.local
        store = root.scope(state: \.state, action: path.embed, extract: path.extract)
        effectsHolder = root.scope(\.account.effectsHolder).readOnly
        revisions = root.scope(\.account.revision).readOnly
        phase = replica.phases.readOnly
    }

    deinit {
        replica.end(ActionLogError(.closed, in: replica.coding.log, "The replica was released."))
        for task in tasks { task.cancel() }
    }

    // MARK: Actions

    /// Has an action reduced by all replicas, and returns when it is in the log and this replica has reduced it.
    ///
    /// ```swift
    /// try await orders.dispatch(.order(3), id: request.id)                // Once, however often it is sent.
    /// try await orders.dispatch(.cancel(3), expecting: orders.revision)   // If nothing has happened since.
    /// ```
    ///
    /// Cancelling the task ends the wait, and not the action.
    ///
    /// - Parameters:
    ///   - action: What happens.
    ///   - id: Names the action, in at most 512 bytes of UTF-8. One with the same name as one of the last 10,000 named ones is not reduced again, on any
    ///     replica; this returns when the log has acknowledged that one and it has been reduced here. The names are kept
    ///     in the log.
    ///   - revision: The revision that the state must have for the action to be reduced, when its turn has come among
    ///     the actions of all replicas.
    ///   - isolation: The caller's actor, on which this runs; leave the default.
    /// - Returns: The effects that the action has started here, to be awaited or cancelled.
    /// - Throws: An ``ActionLogError``: with ``ActionLogError/Code/overloaded``, ``ActionLogError/Code/unencodable``,
    ///   ``ActionLogError/Code/tooLarge``, ``ActionLogError/Code/unexpectedRevision`` and
    ///   ``ActionLogError/Code/fenced``, or with the error of the connection if the ``DisconnectionPolicy`` refuses
    ///   actions, it is not reduced on any replica. With others it may be reduced, or have been: the replica has ended
    ///   while it was on its way. With ``ActionLogError/Code/unknownOutcome`` it is in the log, and this replica has gone
    ///   on behind it. A `CancellationError` if the task is cancelled while it waits; then it may be reduced, too. A
    ///   `StoreError` if the store has been shut down.
    @discardableResult
    public func dispatch(
        _ action: Action,
        id: String? = nil,
        expecting revision: UInt64? = nil,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> StoreTask {
        let ticket = Ticket(id: id, expected: revision)
        let task = try await accept(action, ticket)
        try await arrive(ticket)
        return task
    }

    /// Has an action go on its way to the log.
    private func accept(
        _ action: Action,
        _ ticket: Ticket,
        tracksFeedback: Bool = false,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> StoreTask {
        if let refusal = replica.refusal(), store.phase.isReady { throw refusal }
        // Here and not in the turn, in which others would wait for it.
        let sender = LocalSender(ticket: ticket, payload: try replica.coding.encode(action))
        do {
            let (task, _) = try await root.dispatch(.local(action, sender), tracksFeedback: tracksFeedback) { _ in }
            if case .refused(let refusal) = ticket.outcome { throw refusal }
            return task
        } catch {
            if case .refused(let refusal) = ticket.outcome { throw refusal }
            throw error
        }
    }

    /// Waits until what came of an action is known here.
    private func arrive(_ ticket: Ticket, isolation: isolated (any Actor)? = #isolation) async throws {
        switch ticket.outcome {
        case .none, .refused: return
        case .repeated(let number): return try await replica.wait(for: number)
        case .accepted(let number): try await replica.wait(for: number)
        }
        switch ticket.arrival?.verdict {
        case .reduced, .passed, .repeated: break
        case .unexpected(let revision): throw ActionLogError.unexpectedRevision(revision, in: replica.coding.log)
        case .fenced:
            throw ActionLogError(
                .fenced,
                in: replica.coding.log,
                "The action was sent for a version of the reducer in whose place there is a newer one."
            )
        case nil: if ticket.expected != nil { throw unknownOutcome }
        }
    }

    private var unknownOutcome: ActionLogError {
        ActionLogError(
            .unknownOutcome,
            in: replica.coding.log,
            "The action is in the log, and this replica, which had fallen behind, went on with a snapshot that it is in."
        )
    }

    /// Has a request reduced by all replicas, and returns the answer that this one has decided when it reduced it, at
    /// the request's place among the actions of all.
    ///
    /// Ask here, and not ``store``, which cannot wait for the answer, and throws `StoreError.unanswered`.
    ///
    /// - Parameters:
    ///   - request: What is asked.
    ///   - isolation: The caller's actor, on which this runs; leave the default.
    /// - Returns: The answer. Another replica may hear of the change later.
    /// - Throws: What ``dispatch(_:id:expecting:isolation:)`` throws; `StoreError.unanswered` if no reducer has answered
    ///   the request, or the first that did with another type; ``ActionLogError/Code/unknownOutcome`` if this replica
    ///   has not reduced it itself.
    public func ask<R: Request>(_ request: R, isolation: isolated (any Actor)? = #isolation) async throws -> R.Answer
    where R.StoreAction == Action {
        let ticket = Ticket()
        _ = try await accept(R.casePath.embed(request), ticket)
        try await arrive(ticket)
        guard let arrival = ticket.arrival else { throw unknownOutcome }
        // First whether there is one: an answer can be an optional.
        guard let value = arrival.answer, let answer = value as? R.Answer else { throw StoreError.unanswered }
        return answer
    }

    /// Has an action reduced by all replicas, and waits for all that comes of it here: its effects, if this replica runs
    /// them, those of the actions that they send, and so on.
    ///
    /// If the calling task is cancelled, it cancels the effects, also those that have still to begin.
    ///
    /// - Parameters:
    ///   - action: What happens.
    ///   - isolation: The caller's actor, on which this runs; leave the default.
    /// - Throws: What ``dispatch(_:id:expecting:isolation:)`` throws; then, when the action has been reduced, the first
    ///   error of an effect, or a `CancellationError`.
    public func perform(_ action: Action, isolation: isolated (any Actor)? = #isolation) async throws {
        try Task.checkCancellation()
        let ticket = Ticket()
        let task = try await accept(action, ticket, tracksFeedback: true)
        do {
            try await arrive(ticket)
        } catch {
            task.cancel()
            // Effects that have begun are awaited; those of an action that has still to come back by the log never begin.
            if ticket.arrival != nil { try? await task.finishForPerformer() }
            throw error
        }
        try await task.finishForPerformer()
    }

    /// Accepts an action without waiting; see `Store.send(_:)`. ``commit(isolation:)`` waits until it has been reduced.
    ///
    /// - Parameter action: What happens.
    /// - Returns: What became of it; `.refused(.rejected(by: "log"))` if the replica takes no actions now, or this one
    ///   cannot be encoded or is too large. If the replica comes to take none after this has returned, and before the
    ///   action is accepted, the ``ActionLogError`` reaches the errors of ``store``.
    @discardableResult
    public func send(_ action: Action) -> SendOutcome {
        guard replica.refusal() == nil, let payload = try? replica.coding.encode(action) else {
            // A store that has ended says so itself.
            if store.phase.isReady { return .refused(.rejected(by: "log")) }
            return root.send(.local(action, LocalSender()))
        }
        return root.send(.local(action, LocalSender(payload: payload)))
    }

    /// Waits until every action that this replica has accepted so far is in the log and has been reduced here.
    ///
    /// - Parameter isolation: The caller's actor, on which this runs; leave the default.
    /// - Throws: Why the replica has ended, or a `CancellationError`.
    public func commit(isolation: isolated (any Actor)? = #isolation) async throws {
        await root.settle()
        if let failure = replica.failure { throw failure }
        try await replica.wait()
    }

    /// Waits until this replica has reduced everything that the log had when this was called: what is read afterwards is
    /// not older than what any replica had acknowledged by then.
    ///
    /// ```swift
    /// try await stock.readBarrier()
    /// return stock.snapshot.available
    /// ```
    ///
    /// - Parameter isolation: The caller's actor, on which this runs; leave the default.
    /// - Throws: What the log throws if it cannot be asked; ``ActionLogError/Code/lostEntries`` if it loses what this waits
    ///   for; why the replica has ended, or waits; a `CancellationError`.
    public func readBarrier(isolation: isolated (any Actor)? = #isolation) async throws {
        if let failure = replica.failure { throw failure }
        let end = try await waitCancellably { [replica] in try await replica.writer.end(of: replica) }
        try await replica.wait(forPosition: end.position)
    }

    // MARK: The state

    /// The state at this moment, here; see `Store.snapshot`.
    public var snapshot: State { store.snapshot }

    /// How many actions the state is made of; the same on all replicas with the same state.
    public var revision: UInt64 { revisions.snapshot }

    /// Figures for diagnostics and metrics, as they are at this moment.
    public var statistics: ReplicationStatistics { replica.statistics }

    /// Names this replica in this life of it, for all others.
    public var origin: String { replica.origin }

    /// The lease of effects, if this replica has it by its own clock; see ``EffectPlacement/leaseHolder(lasting:)``.
    ///
    /// Whatever the effects change elsewhere can refuse those with a lower token than it has seen: they come from a
    /// replica that does not know yet that its time is over.
    public var lease: ActionLogLease? { replica.lease }

    /// Puts a snapshot into the log now, for replicas that open, and deletes what is no longer needed, as the
    /// ``ReplicationConfiguration/retention`` says.
    ///
    /// - Parameter isolation: The caller's actor, on which this runs; leave the default.
    /// - Returns: The revision of the newest snapshot that the log has then, which is at least that of the state when
    ///   this was called.
    /// - Throws: An ``ActionLogError`` if it could not be saved, which takes nothing from the log. A `CancellationError`
    ///   if the task is cancelled before the snapshot is in the log; the snapshot is still written.
    @discardableResult
    public func checkpoint(isolation: isolated (any Actor)? = #isolation) async throws -> UInt64 {
        try await waitCancellably { [self] in try await makeSnapshot() }
    }

    /// Makes a snapshot of a state that is not older than this call.
    private func makeSnapshot() async throws -> UInt64 {
        let revision = revision
        // How an earlier one ended is not what was asked for.
        while true {
            guard replica.mayKeepState, root.snapshot.account.point != .start else { break }
            let beginning = replica.beginSnapshot(of: root.snapshot)
            if beginning == .waits {
                try? await replica.snapshotEnd()
                continue
            }
            if beginning == .makes { try await replica.snapshotEnd() }
            break
        }
        guard let saved = replica.snapshotRevision, saved >= revision else {
            throw replica.failure ?? replica.problem
                ?? ActionLogError(
                    .closed,
                    in: replica.coding.log,
                    "No snapshot was made, because the replica has ended."
                )
        }
        return saved
    }
}

extension LogAccount {
    /// Who runs effects.
    fileprivate var effectsHolder: ActionLogLease? {
        holder.map { ActionLogLease(name: EffectsLease.name, token: lease, holder: $0) }
    }
}
