public import ActorStore

/// A store whose actions are kept in a log. Made by
/// `Store.durable(in:initialState:reducer:interceptors:configuration:durability:)`.
///
/// ``store`` is a store like any other: it is read, observed, and narrowed as ever. What differs is when `dispatch`
/// returns: here, when the log has acknowledged the action, as the ``DurabilityLevel`` says; there, when it has been
/// reduced. Both are kept. Readers see what has been reduced, also when it is not acknowledged yet; effects begin when
/// it is, unless the ``EffectStart`` says otherwise. A `StoreTask` of a dispatch at ``store`` waits until the effects
/// have begun, and one of a dispatch here until they have ended.
///
/// To wait for what was dispatched elsewhere, at a scope for instance, call ``commit(isolation:)`` after it.
///
/// When an action that was reduced cannot be written, the store takes no more: it throws why, ``statistics`` say how
/// many actions of its state may be lost, and a new store made of the log has what was acknowledged.
public final class DurableStore<State: Codable & Sendable, Action: Codable & Sendable>: Sendable {
    /// The store itself.
    public let store: Store<State, Action>
    /// How the state was recovered.
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
    }

    // MARK: Actions

    /// Reduces an action, and returns when the log has acknowledged it, or when it has been reduced, as the
    /// ``DurabilityLevel`` says.
    ///
    /// ```swift
    /// try await orders.dispatch(.order(3), id: request.id)                // Once, however often it is sent.
    /// try await orders.dispatch(.cancel(3), expecting: orders.revision)   // If nothing has happened since.
    /// ```
    ///
    /// When half as many actions wait to be written as may, it waits for the log at every level. Cancelling the task ends
    /// the wait for the log, and not the action.
    ///
    /// - Parameters:
    ///   - action: What happens.
    ///   - id: Names the action, in at most 512 bytes of UTF-8. One with the same name as one of the last 10,000 named ones is not reduced again; this
    ///     returns when that one is in the log. The names are kept in the log.
    ///   - revision: The revision that the state must have for the action to be reduced.
    ///   - isolation: The caller's actor, on which this runs; leave the default.
    /// - Returns: The effects that the action started, to be awaited or cancelled; none if it was not reduced again.
    /// - Throws: A `StoreError` if the action was not reduced, and never will be. An ``ActionLogError``: with
    ///   ``ActionLogError/Code/overloaded``, ``ActionLogError/Code/unencodable``, ``ActionLogError/Code/tooLarge`` and
    ///   ``ActionLogError/Code/unexpectedRevision`` it was not reduced either. With others it was reduced, and could
    ///   not be written, so that it may be there after a restart or not; or the store takes no more. A
    ///   `CancellationError` if the task is cancelled while it waits for the log: the action has been reduced then, and
    ///   is still written.
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

    /// What has become of an action in its turn.
    private struct Reduced {
        let task: StoreTask
        let answer: (any Sendable)?
        /// The entry that has to be in the log before it is acknowledged.
        let number: UInt64?
    }

    private func reduce(
        _ action: Action,
        _ ticket: Ticket = Ticket(),
        tracksFeedback: Bool = false,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Reduced {
        do {
            let (task, answer) = try await store.dispatch(action, tracksFeedback: tracksFeedback) { [log] hold in
                log.setTicket(hold == nil ? nil : ticket, hold)
            }
            var number: UInt64?
            if case .accepted(let accepted) = ticket.outcome { number = accepted }
            return Reduced(task: task, answer: answer, number: number)
        } catch {
            switch ticket.outcome {
            case .refused(let refusal): throw refusal
            case .repeated(let number): return Reduced(task: .finished, answer: nil, number: number)
            case .none, .accepted: throw log.failure ?? error
            }
        }
    }

    private func acknowledge(_ reduced: Reduced, isolation: isolated (any Actor)? = #isolation) async throws {
        if let number = reduced.number { try await log.acknowledge(number) }
    }

    /// Has a request reduced, and returns its answer when the request is in the log, or when it has been reduced, as
    /// the ``DurabilityLevel`` says; see `Store.ask(_:)`.
    ///
    /// - Parameters:
    ///   - request: What is asked.
    ///   - isolation: The caller's actor, on which this runs; leave the default.
    /// - Returns: The answer that was decided with the request.
    /// - Throws: What ``dispatch(_:id:expecting:isolation:)`` throws, or `StoreError.unanswered` if no reducer has
    ///   answered the request.
    public func ask<R: Request>(_ request: R, isolation: isolated (any Actor)? = #isolation) async throws -> R.Answer
    where R.StoreAction == Action {
        let reduced = try await reduce(R.casePath.embed(request))
        try await acknowledge(reduced)
        // First whether there is one: an answer can be an optional.
        guard let value = reduced.answer, let answer = value as? R.Answer else { throw StoreError.unanswered }
        return answer
    }

    /// Has an action reduced, and waits for all that comes of it, and until the action is in the log as the
    /// ``DurabilityLevel`` says; see `Store.perform(_:)`.
    ///
    /// If the calling task is cancelled, it cancels the effects, and waits for their end.
    ///
    /// - Parameters:
    ///   - action: What happens.
    ///   - isolation: The caller's actor, on which this runs; leave the default.
    /// - Throws: What ``dispatch(_:id:expecting:isolation:)`` throws; then, when the action is in the log, the first
    ///   error of an effect, or a `CancellationError`.
    public func perform(_ action: Action, isolation: isolated (any Actor)? = #isolation) async throws {
        try Task.checkCancellation()
        let reduced = try await reduce(action, tracksFeedback: true)
        do {
            try await acknowledge(reduced)
        } catch {
            // Also those that have still to begin.
            reduced.task.cancel()
            try? await reduced.task.finishForPerformer()
            throw error
        }
        try await reduced.task.finishForPerformer()
    }

    /// Accepts an action without waiting; see `Store.send(_:)`. ``commit(isolation:)`` waits until it is in the log.
    ///
    /// - Parameter action: What happens.
    /// - Returns: `.refused(.rejected(by: "log"))` if as many actions wait to be written as
    ///   ``DurabilityConfiguration/pendingLimit`` says, or nothing can be written any more. An action that is accepted
    ///   while others are ahead of it in the mailbox is rejected all the same if those fill the log first;
    ///   `StoreStatistics.rejectedActions` counts it.
    @discardableResult
    public func send(_ action: Action) -> SendOutcome {
        // A store that has ended says so itself.
        if log.refusal() != nil, store.phase.isReady { return .refused(.rejected(by: "log")) }
        return store.send(action)
    }

    /// Waits until every action that was accepted so far is in the log, whatever the ``DurabilityLevel``.
    ///
    /// - Throws: An ``ActionLogError`` if that fails, or a `CancellationError`.
    public func commit(isolation: isolated (any Actor)? = #isolation) async throws {
        await store.settle()
        try await log.commit()
    }

    /// Waits until every action that was accepted so far is in the log, and makes sure that this store is still the one
    /// that writes to it: what is read afterwards is not older than this call.
    ///
    /// ```swift
    /// try await orders.readBarrier()
    /// return orders.snapshot.open
    /// ```
    ///
    /// Without it a program that has stood still, and whose log another one has taken over meanwhile, reads the past.
    ///
    /// - Parameter isolation: The caller's actor, on which this runs; leave the default.
    /// - Throws: An ``ActionLogError``: ``ActionLogError/Code/fenced`` or ``ActionLogError/Code/lostEntries`` if the
    ///   log ends elsewhere, and then the store takes no more actions; what the log throws if it cannot be asked. A
    ///   `CancellationError` if the task is cancelled before the log has answered.
    public func readBarrier(isolation: isolated (any Actor)? = #isolation) async throws {
        try await commit()
        try await waitCancellably { [log] in try await log.writer.checkEnd(log) }
    }

    // MARK: The state

    /// The state at this moment; see `Store.snapshot`.
    public var snapshot: State { store.snapshot }

    /// How many actions the state is made of, from the first one in the log on; unlike `Store.revision`, which counts
    /// those since the start.
    public var revision: UInt64 { log.revision }

    /// The state that the log has acknowledged, beside that of ``store``, which may have actions that are still lost:
    /// for whoever must not see those. Nil unless ``DurabilityConfiguration/keepsConfirmedState`` asks for it.
    ///
    /// ```swift
    /// for await balance in orders.confirmed!.values(\.balance) { … }
    /// ```
    ///
    /// It ends with the store's shutdown.
    public var confirmed: Store<State, Never>? { log.confirmed?.readOnly }

    /// Figures for diagnostics and metrics, as they are at this moment.
    public var statistics: DurabilityStatistics { log.statistics }
}
