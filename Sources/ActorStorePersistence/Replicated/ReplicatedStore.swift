public import ActorStore

/// A store with replicas on several machines. Create a replica with
/// `Store.replicated(through:initialState:reducer:configuration:replication:leaseAcquired:)`.
///
/// Actions are appended to a log, from which all replicas, including this one, read them in one order. Each replica
/// reduces each action once, and only after it is in the log. So the state of a replica always results from a prefix of
/// the log.
///
/// ``store`` has the state of this replica. Read, observe and scope it like any other store. Actions that are sent or
/// dispatched there, and those of effects, also go through the log, in the same order. `dispatch` on ``store`` returns
/// when the action has been accepted, and its `revision` includes accepted actions.
///
/// The replica ends when it is released, even if ``store`` is still retained.
public final class ReplicatedStore<State: Codable & Sendable, Action: Codable & Sendable>: Sendable {
    /// The store with the state of this replica.
    public let store: Store<State, Action>
    /// The replica that runs effects according to the log: the last holder of the lease of effects; nil if there has
    /// been no holder.
    ///
    /// ```swift
    /// for await holder in stock.effectsHolder.values(of: \.self) { show(holder?.holder) }
    /// ```
    public let effectsHolder: Store<ActionLogLease?, Never>
    /// The connection of this replica to the log.
    ///
    /// ```swift
    /// for await phase in stock.phase.values(of: \.self) { health.set(phase == .connected) }
    /// ```
    public let phase: Store<ReplicaPhase, Never>
    /// The report of the recovery from which the replica started.
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
        phase = replica.phases.store.readOnly
    }

    deinit {
        replica.end(
            ActionLogError(
                .closed,
                in: replica.coding.log,
                "The replica was released. Retain it while you use its store."
            )
        )
        for task in tasks { task.cancel() }
    }

    // MARK: Actions

    /// Appends an action to the log, and returns when the log has acknowledged it and this replica has reduced it.
    ///
    /// ```swift
    /// try await orders.dispatch(.order(3), id: request.id)                // Once, however often it is sent.
    /// try await orders.dispatch(.cancel(3), expecting: orders.revision)   // If nothing has happened since.
    /// ```
    ///
    /// Cancelling the task ends the wait, but does not cancel the action.
    ///
    /// - Parameters:
    ///   - action: The action.
    ///   - id: The name of the action, in at most 512 bytes of UTF-8. No replica reduces an action again if its name is
    ///     one of the last 10,000; this then returns when the log has acknowledged the first one and it has been
    ///     reduced here. The log keeps the names.
    ///   - revision: The revision that the state must have at the action's place in the order of all actions.
    ///   - isolation: The actor on which this runs; by default the caller's.
    /// - Returns: A task for the effects of the action on this replica, which can be awaited or cancelled.
    /// - Throws: An ``ActionLogError``: with ``ActionLogError/Code/overloaded``, ``ActionLogError/Code/unencodable``,
    ///   ``ActionLogError/Code/tooLarge``, ``ActionLogError/Code/unexpectedRevision`` and
    ///   ``ActionLogError/Code/fenced``, or with the error of the connection if the ``DisconnectionPolicy`` refuses
    ///   actions, no replica reduces the action. With other codes, the replica has ended before the action came back
    ///   from the log, so that it may be reduced or not. With ``ActionLogError/Code/unknownOutcome``, the action is in
    ///   the log, but this replica has skipped it by means of a snapshot. A `CancellationError` if the task is
    ///   cancelled during the wait; the action may then be reduced as well. A `StoreError` if the store has been shut
    ///   down.
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

    /// Accepts an action, which is then appended to the log.
    private func accept(
        _ action: Action,
        _ ticket: Ticket,
        tracksFeedback: Bool = false,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> StoreTask {
        if let refusal = replica.refusal(), store.phase.isReady { throw refusal }
        // Encoded here and not within the turn, which would make other callers wait.
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

    /// Waits until the outcome of an action is known here.
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
                "The action was sent for a version of the reducer that a newer one has replaced. Update this program."
            )
        case nil: if ticket.expected != nil { throw ActionLogError.skipped(in: replica.coding.log) }
        }
    }

    /// Appends a request to the log, and returns the answer of this replica's reducer, computed at the request's place
    /// in the order of all actions.
    ///
    /// Use this instead of `ask` on ``store``, which cannot wait for the answer, and throws `StoreError.unanswered`.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - isolation: The actor on which this runs; by default the caller's.
    /// - Returns: The answer. Other replicas may receive the change later.
    /// - Throws: The errors of ``dispatch(_:id:expecting:isolation:)``; `StoreError.unanswered` if no reducer answers
    ///   the request, or the first answer has another type; ``ActionLogError/Code/unknownOutcome`` if this replica has
    ///   not reduced the request itself.
    public func ask<R: Request>(_ request: R, isolation: isolated (any Actor)? = #isolation) async throws -> R.Answer
    where R.StoreAction == Action {
        let ticket = Ticket()
        _ = try await accept(R.casePath.embed(request), ticket)
        try await arrive(ticket)
        guard let arrival = ticket.arrival else { throw ActionLogError.skipped(in: replica.coding.log) }
        // Checked first, because an answer can be an optional.
        guard let value = arrival.answer, let answer = value as? R.Answer else { throw StoreError.unanswered }
        return answer
    }

    /// Appends an action to the log, and waits until it has been reduced here, and for its effects on this replica and
    /// their feedback.
    ///
    /// If the calling task is cancelled, this cancels the effects, including those that have not started yet.
    ///
    /// - Parameters:
    ///   - action: The action.
    ///   - isolation: The actor on which this runs; by default the caller's.
    /// - Throws: The errors of ``dispatch(_:id:expecting:isolation:)``; then, when the action has been reduced, the
    ///   first error of an effect, or a `CancellationError`; ``ActionLogError/Code/unknownOutcome`` if this replica has
    ///   continued from a snapshot after the action or its feedback, so that their effects have not run here; the
    ///   reason why the replica has ended before feedback came back from the log.
    public func perform(_ action: Action, isolation: isolated (any Actor)? = #isolation) async throws {
        try Task.checkCancellation()
        let ticket = Ticket()
        let task = try await accept(action, ticket, tracksFeedback: true)
        do {
            try await arrive(ticket)
        } catch {
            task.cancel()
            // Effects that have started are awaited; those of an action that has not come back from the log never
            // start.
            if ticket.arrival != nil { try? await finish(task) }
            throw error
        }
        try await finish(task)
    }

    /// Waits for the effects of a performed action, and cancels them with the calling task. Cancelled effects of their
    /// feedback are awaited only if they have started: the log may be unreachable.
    private func finish(_ task: StoreTask, isolation: isolated (any Actor)? = #isolation) async throws {
        try await withTaskCancellationHandler {
            try await task.finishForPerformer()
        } onCancel: {
            task.cancel()
            if !task.isFinished { replica.releaseCancelledHoldsSoon() }
        }
    }

    /// Accepts an action without waiting; see `Store.send(_:)`. ``commit(isolation:)`` waits until it has been reduced.
    ///
    /// - Parameter action: The action.
    /// - Returns: The outcome; `.refused(.rejected(by: "log"))` if the replica accepts no actions now, or if the action
    ///   cannot be encoded or is too large. If the replica stops accepting actions after this has returned, but before
    ///   the action is accepted, ``store`` publishes the ``ActionLogError`` in its errors.
    @discardableResult
    public func send(_ action: Action) -> SendOutcome {
        guard replica.refusal() == nil, let payload = try? replica.coding.encode(action) else {
            // A store that has ended reports that itself.
            if store.phase.isReady { return .refused(.rejected(by: "log")) }
            return root.send(.local(action, LocalSender()))
        }
        return root.send(.local(action, LocalSender(payload: payload)))
    }

    /// Waits until every action that this replica has accepted is in the log and has been reduced here.
    ///
    /// - Parameter isolation: The actor on which this runs; by default the caller's.
    /// - Throws: The reason why the replica has ended, or a `CancellationError`.
    public func commit(isolation: isolated (any Actor)? = #isolation) async throws {
        await root.settle()
        if let failure = replica.failure { throw failure }
        try await replica.wait()
    }

    /// Waits until this replica has reduced everything that the log had at the time of the call. Later reads are not
    /// older than anything that any replica had acknowledged by then.
    ///
    /// ```swift
    /// try await stock.readBarrier()
    /// return stock.snapshot.available
    /// ```
    ///
    /// - Parameter isolation: The actor on which this runs; by default the caller's.
    /// - Throws: The errors of the log if it does not respond; ``ActionLogError/Code/lostEntries`` if it loses the
    ///   entries that this awaits; the reason why the replica has ended or waits; a `CancellationError`.
    public func readBarrier(isolation: isolated (any Actor)? = #isolation) async throws {
        if let failure = replica.failure { throw failure }
        let end = try await waitCancellably { [replica] in try await replica.writer.end(of: replica) }
        try await replica.wait(forPosition: end.position)
    }

    // MARK: The state

    /// The current state of this replica; see `Store.snapshot`.
    public var snapshot: State { store.snapshot }

    /// The number of actions that the state results from. Replicas with the same state have the same revision.
    public var revision: UInt64 { revisions.snapshot }

    /// The current statistics, for diagnostics and metrics.
    public var statistics: ReplicationStatistics { replica.statistics }

    /// Identifies this life of the replica among all replicas.
    public var origin: String { replica.origin }

    /// The lease of effects, if this replica holds it by its own clock; see ``EffectPlacement/leaseHolder(lasting:)``.
    ///
    /// Pass the token to other services that effects change. They can then refuse a token lower than the highest that
    /// they have seen: it comes from a replica that has not detected yet that its lease has ended, or, after a
    /// fail-over to a server whose clock is behind, from the new holder.
    public var lease: ActionLogLease? { replica.lease }

    /// Writes a snapshot to the log, from which other replicas can start. Unnecessary entries are deleted afterwards,
    /// depending on ``ReplicationConfiguration/retention``.
    ///
    /// - Parameter isolation: The actor on which this runs; by default the caller's.
    /// - Returns: The revision of the newest snapshot in the log, at least that of the state at the time of the call.
    /// - Throws: An ``ActionLogError`` if the snapshot cannot be written, or the log does not respond; the log is not
    ///   changed. A `CancellationError` if the task is cancelled before the snapshot is in the log; the snapshot is
    ///   still written.
    /// - Complexity: O(*n*), where *n* is the size of the state.
    @discardableResult
    public func checkpoint(isolation: isolated (any Actor)? = #isolation) async throws -> UInt64 {
        try await waitCancellably { [self] in
            if needsFirstEntry { try await readBarrier() }
            return try await makeSnapshot()
        }
    }

    /// Whether a snapshot has to wait for the first entry of this replica. The log can end with an unreadable snapshot,
    /// and only one of a later position replaces it. False once the store has ended, because it reduces nothing more.
    var needsFirstEntry: Bool {
        if case .ended = root.phase { return false }
        return root.snapshot.account.point.position <= replica.uselessSnapshots
    }

    /// Writes a snapshot of a state that is not older than this call.
    func makeSnapshot() async throws -> UInt64 {
        let revision = revision
        try await replica.writer.noteSnapshots(ifFrom: revision, of: replica)
        // The result of an earlier snapshot does not matter.
        while replica.mayKeepState {
            let beginning = replica.beginSnapshot(of: root.snapshot, unlessSavedFrom: revision)
            if beginning == .waits {
                try? await replica.snapshotEnd()
                continue
            }
            if beginning == .makes { try await replica.snapshotEnd() }
            break
        }
        guard let saved = replica.snapshotRevision, saved >= revision else {
            throw (replica.mayKeepState ? replica.snapshotProblem : nil) ?? replica.failure
                ?? ActionLogError(
                    .refused,
                    in: replica.coding.log,
                    "The newest snapshot in the log is of an earlier revision, or was lost."
                )
        }
        return saved
    }
}

extension LogAccount {
    /// The holder of the lease of effects.
    fileprivate var effectsHolder: ActionLogLease? {
        holder.map { ActionLogLease(name: EffectsLease.name, token: lease, holder: $0) }
    }
}

extension ActionLogError {
    /// The error when a replica has not reduced an action itself.
    static func skipped(in log: String) -> ActionLogError {
        ActionLogError(
            .unknownOutcome,
            in: log,
            "The action is in the log, but its result is unknown: this replica has skipped it by means of a snapshot."
        )
    }
}
