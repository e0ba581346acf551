public import ActorStore

/// A store whose actions are kept in a log. Create one with
/// `Store.durable(in:initialState:reducer:interceptors:configuration:durability:)`.
///
/// Read, observe and scope ``store`` like any other store. The difference is the moment at which `dispatch` returns: on
/// the durable store, it returns when the log has acknowledged the action, depending on the ``DurabilityLevel``; on
/// ``store``, it returns when the action has been reduced. Actions of both are logged. To wait for actions that were
/// dispatched elsewhere, for example to a scope, call ``commit(isolation:)`` afterwards.
///
/// Readers see reduced actions, even before they are acknowledged. Effects start when their action is acknowledged,
/// depending on ``EffectStart``. The `StoreTask` of a dispatch to ``store`` waits until the effects have started, or
/// until they have ended if it tracks feedback; that of a dispatch to the durable store waits until they have ended.
///
/// If a reduced action cannot be written, the store accepts no more actions, and throws the reason. ``statistics`` has
/// the number of actions of its state that may be lost. A new store that is opened from the log has all acknowledged
/// actions.
public final class DurableStore<State: Codable & Sendable, Action: Codable & Sendable>: Sendable {
    /// The underlying store.
    public let store: Store<State, Action>
    /// Whether the last write to the log has succeeded: a store without actions does not notice an unreachable server.
    /// A shutdown ends it, after the phase `ended` with ``ActionLogError/Code/closed``.
    ///
    /// ```swift
    /// for await case .ended(let error) in orders.phase.values(of: \.self) where error.code != .closed {
    ///     log("The orders are no longer saved. \(error)")
    /// }
    /// ```
    public let phase: Store<DurabilityPhase, Never>
    /// The report of the recovery.
    public let recovery: RecoveryReport
    let log: DurableLog<State, Action>
    let past: PastReader<State, Action>

    init(
        _ store: Store<State, Action>,
        _ recovery: RecoveryReport,
        _ log: DurableLog<State, Action>,
        _ past: PastReader<State, Action>
    ) {
        self.store = store
        self.recovery = recovery
        self.log = log
        self.past = past
        phase = log.phases.store.readOnly
    }

    // MARK: Actions

    /// Reduces an action, and returns when the log has acknowledged it, or when it has been reduced, depending on the
    /// ``DurabilityLevel``.
    ///
    /// ```swift
    /// try await orders.dispatch(.order(3), id: request.id)                // Once, however often it is sent.
    /// try await orders.dispatch(.cancel(3), expecting: orders.revision)   // If nothing has happened since.
    /// ```
    ///
    /// If half of ``DurabilityConfiguration/pendingLimit`` or more actions wait to be written, this waits for the log
    /// at every level. Cancelling the task ends the wait for the log, but does not cancel the action.
    ///
    /// - Parameters:
    ///   - action: The action.
    ///   - id: The name of the action, in at most 512 bytes of UTF-8. The store does not reduce an action again if its
    ///     name is one of the last 10,000; it then returns like a dispatch of the first one. The log keeps the names.
    ///   - revision: The revision that the state must have for the action to be reduced.
    ///   - isolation: The actor on which this runs; by default the caller's.
    /// - Returns: A task for the effects of the action, which can be awaited or cancelled. It has no effects if the
    ///   action was not reduced again.
    /// - Throws: A `StoreError` if the action was not reduced, and will not be. An ``ActionLogError``: with
    ///   ``ActionLogError/Code/overloaded``, ``ActionLogError/Code/unencodable``, ``ActionLogError/Code/tooLarge`` and
    ///   ``ActionLogError/Code/unexpectedRevision``, the action was not reduced either. With other codes, it was
    ///   reduced but not written, so that it may be there after a restart or not; or the store accepts no more actions.
    ///   A `CancellationError` if the task is cancelled while it waits for the log: the action was reduced, and will
    ///   still be written.
    @discardableResult
    public func dispatch(
        _ action: Action,
        id: String? = nil,
        expecting revision: UInt64? = nil,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> StoreTask {
        let reduced = try await reduce(action, Ticket(id: id, expected: revision))
        try await acknowledge(reduced)
        return reduced.task
    }

    private func reduce(
        _ action: Action,
        _ ticket: Ticket = Ticket(),
        tracksFeedback: Bool = false,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> ReducedAction {
        do {
            let (task, answer) = try await store.dispatch(action, tracksFeedback: tracksFeedback) { [log] isBeginning in
                log.setTicket(isBeginning ? ticket : nil)
            }
            var number: UInt64?
            switch ticket.outcome {
            case .accepted(let accepted): number = accepted
            // Although an interceptor has passed other actions on.
            case .refused(let refusal): throw refusal
            case .repeated, .none: break
            }
            return ReducedAction(task: task, answer: answer, number: number)
        } catch {
            switch ticket.outcome {
            case .refused(let refusal): throw refusal
            case .repeated(let number): return ReducedAction(task: .finished, answer: nil, number: number)
            case .none, .accepted: throw log.failure ?? error
            }
        }
    }

    private func acknowledge(_ reduced: ReducedAction, isolation: isolated (any Actor)? = #isolation) async throws {
        if let number = reduced.number { try await log.acknowledge(number) }
    }

    /// Reduces a request, and returns its answer when the request is in the log, or when it has been reduced, depending
    /// on the ``DurabilityLevel``; see `Store.ask(_:)`.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - isolation: The actor on which this runs; by default the caller's.
    /// - Returns: The answer that the reducer gave to the request.
    /// - Throws: The errors of ``dispatch(_:id:expecting:isolation:)``, or `StoreError.unanswered` if no reducer
    ///   answers the request.
    public func ask<R: Request>(_ request: R, isolation: isolated (any Actor)? = #isolation) async throws -> R.Answer
    where R.StoreAction == Action {
        let reduced = try await reduce(R.casePath.embed(request))
        try await acknowledge(reduced)
        // Checked first, because an answer can be an optional.
        guard let value = reduced.answer, let answer = value as? R.Answer else { throw StoreError.unanswered }
        return answer
    }

    /// Reduces an action, waits until the log has it, depending on the ``DurabilityLevel``, and waits for all its
    /// effects and their feedback; see `Store.perform(_:)`.
    ///
    /// If the calling task is cancelled, this cancels the effects, and waits until they have ended.
    ///
    /// - Parameters:
    ///   - action: The action.
    ///   - isolation: The actor on which this runs; by default the caller's.
    /// - Throws: The errors of ``dispatch(_:id:expecting:isolation:)``; then, when the action is in the log, the first
    ///   error of an effect, or a `CancellationError`; the reason why nothing can be written any more, if effects of
    ///   feedback have not started for that.
    public func perform(_ action: Action, isolation: isolated (any Actor)? = #isolation) async throws {
        try Task.checkCancellation()
        let reduced = try await reduce(action, tracksFeedback: true)
        do {
            try await acknowledge(reduced)
        } catch {
            // Including effects that have not started yet.
            reduced.task.cancel()
            try? await reduced.task.finishForPerformer()
            throw error
        }
        try await reduced.task.finishForPerformer()
    }

    /// Accepts an action without waiting; see `Store.send(_:)`. ``commit(isolation:)`` waits until it is in the log.
    ///
    /// - Parameter action: The action.
    /// - Returns: `.refused(.rejected(by: "log"))` if ``DurabilityConfiguration/pendingLimit`` actions wait to be
    ///   written, or nothing can be written any more. An action that was accepted while others were ahead of it in the
    ///   mailbox is still rejected if those reach the limit first; `StoreStatistics.rejectedActions` counts it.
    @discardableResult
    public func send(_ action: Action) -> SendOutcome {
        // A store that has ended reports that itself.
        if log.refusal() != nil, store.phase.isReady { return .refused(.rejected(by: "log")) }
        return store.send(action)
    }

    /// Waits until the log has every action that was accepted before, whatever the ``DurabilityLevel``.
    ///
    /// - Parameter isolation: The actor on which this runs; by default the caller's.
    /// - Throws: An ``ActionLogError`` if that fails, or a `CancellationError`.
    public func commit(isolation: isolated (any Actor)? = #isolation) async throws {
        await store.settle()
        try await log.commit()
    }

    /// Waits until the log has every action that was accepted before, and verifies that this store is still its writer.
    /// Later reads are not older than this call, except that a server that was replaced while it was cut off from the
    /// others still answers.
    ///
    /// ```swift
    /// try await orders.readBarrier()
    /// return orders.snapshot.open
    /// ```
    ///
    /// Without a barrier, a suspended program can read an old state after another program has taken over its log.
    ///
    /// - Parameter isolation: The actor on which this runs; by default the caller's.
    /// - Throws: An ``ActionLogError``: ``ActionLogError/Code/fenced`` or ``ActionLogError/Code/lostEntries`` if the
    ///   log has another end, after which the store accepts no more actions; the errors of the log if it does not
    ///   respond. A `CancellationError` if the task is cancelled before the log has answered.
    public func readBarrier(isolation: isolated (any Actor)? = #isolation) async throws {
        try await commit()
        try await waitCancellably { [log] in try await log.writer.checkEnd(log) }
    }

    // MARK: The state

    /// The current state; see `Store.snapshot`.
    public var snapshot: State { store.snapshot }

    /// The number of actions that the state results from, counted from the first one in the log. In contrast,
    /// `Store.revision` counts those since the start.
    public var revision: UInt64 { log.revision }

    /// A store of the acknowledged state. Unlike ``store``, it contains no actions that can still be lost. Nil unless
    /// ``DurabilityConfiguration/keepsConfirmedState`` is set.
    ///
    /// ```swift
    /// for await available in orders.confirmed!.values(of: \.available) { … }
    /// ```
    ///
    /// It ends with the store's shutdown. When a dispatch has waited for the log, `state` and `read` of this store
    /// include the action; `snapshot` may not yet, if this store is in use at that moment.
    public var confirmed: Store<State, Never>? { log.confirmed?.readOnly }

    /// The current statistics, for diagnostics and metrics.
    public var statistics: DurabilityStatistics { log.statistics }
}

/// The result of an action of a durable store after its turn.
private struct ReducedAction {
    let task: StoreTask
    let answer: (any Sendable)?
    /// The number of the entry that must be in the log for the acknowledgement.
    let number: UInt64?
}
