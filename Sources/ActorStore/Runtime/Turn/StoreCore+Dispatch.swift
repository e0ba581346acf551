import Synchronization

extension StoreCore {
    /// Reduces an action, and returns when that is done; see ``Store/dispatch(_:)-(Action)``.
    @inlinable
    func dispatch(_ action: Action, isolation: isolated (any Actor)? = #isolation) async throws(StoreError) -> StoreTask
    {
        switch dispatchAtOnce(action) {
        case .reduced: return .empty
        case .asked: return finishDispatch(of: action)
        case .begun: if let result = dispatchInTakenTurn(action) { return try result.get() }
        case .busy: break
        }
        return try await dispatchContended(action)
    }

    /// Reduces an action if the store is idle, or comes to be within about a microsecond, and if the reducer is all that
    /// belongs to the turn.
    @inlinable
    func dispatchAtOnce(_ action: Action) -> DispatchAttempt {
        guard gate.beginIfIdle() || gate.beginSoon() else { return .busy }
        guard !extras.containsAny(of: .slowPath) else { return .begun }
        let effect = reducePlainly(action)
        guard effect.isNone else {
            keepForDispatcher(effect)
            return .asked
        }
        if !gate.endIfUndisturbed() { leaveWriting() }
        return .reduced
    }

    // Apart, so that it is no part of what is inlined into callers.
    @inlinable
    @inline(never)
    func keepForDispatcher(_ effect: Effect<Action>) { newEffects.append((effect, 0)) }

    /// Goes on in the turn of ``dispatchAtOnce(_:)`` in which an action has asked for an effect.
    @inlinable
    @inline(never)
    func finishDispatch(of action: Action) -> StoreTask {
        gate.endWriting()
        // Here, where the types are known.
        let launch = take(newEffects.removeLast().effect, of: action)
        // First the turn is left, so that effects which end at once find the store idle.
        leave()
        return begin(launch)
    }

    /// Goes on in the turn that ``dispatchAtOnce(_:)`` has begun, of a store that has observers or interceptors of either kind,
    /// or is being shut down.
    ///
    /// - Returns: nil if it has asynchronous interceptors; then nothing has happened.
    @inlinable
    @inline(never)
    func dispatchInTakenTurn(_ action: Action) -> Result<StoreTask, StoreError>? {
        let result: DispatchResult? = inTakenTurn {
            if asyncInterceptorCount.loadRelaxed() > 0 { return nil }
            return lifecycle.isOpen ? reduceFully(action) : .failure(refusal)
        }
        return result?.map { launch in launch.isNeeded || launch.tracker != nil ? begin(launch) : .empty }
    }

    /// Reduces a request if the store is idle, or comes to be within about a microsecond, and if the reducer is all that belongs
    /// to the turn.
    @inlinable
    func askAtOnce(_ request: Action) -> RequestAttempt {
        guard gate.beginIfIdle() || gate.beginSoon() else { return .busy }
        guard !extras.containsAny(of: .slowPath) else {
            leaveWriting()
            return .busy
        }
        let effect = reducePlainly(request)
        guard case .answer(let answer)? = effect.operation else {
            keepForDispatcher(effect)
            return .asked
        }
        if !gate.endIfUndisturbed() { leaveWriting() }
        return .answered(answer)
    }

    /// Goes on in the turn of ``askAtOnce(_:)`` in which a request has asked for more than its answer, or for nothing.
    ///
    /// - Parameter tracker: Gets the answer.
    @inlinable
    @inline(never)
    func finishRequest(_ request: Action, _ tracker: EffectTracker) {
        gate.endWriting()
        tracker.note(request)
        let launch = takeOn(newEffects.removeLast().effect, joining: tracker)
        leave()
        launch.start(.inheriting)
    }

    /// Starts effects in the dispatcher's context.
    @inlinable
    func begin(_ launch: EffectLaunch) -> StoreTask {
        launch.start(.inheriting)
        return StoreTask(tracker: launch.tracker)
    }

    /// Leaves the action in the mailbox, as soon as the asynchronous interceptors have let it through, and waits until the
    /// owner of the turn has reduced it.
    @usableFromInline
    func dispatchContended(_ action: Action, isolation: isolated (any Actor)? = #isolation) async throws(StoreError)
        -> StoreTask
    {
        let action = asyncInterceptorCount.loadAcquiring() > 0 ? try await askFirst(action) : action
        let priority = Task.currentPriority.rawValue
        return begin(try await deliverLetter { .dispatch(action, $0, priority: priority) }.get())
    }

    /// Leaves a letter in the mailbox, and waits for its answer; if need be as soon as there is room, unless the task is
    /// cancelled before.
    func deliverLetter<Answer: Sendable>(
        isolation: isolated (any Actor)? = #isolation,
        _ letter: (UnsafeContinuation<Result<Answer, StoreError>, Never>) -> Letter<State, Action>
    ) async -> Result<Answer, StoreError> {
        guard configuration.mailbox.suspendsDispatch else {
            return await withUnsafeContinuation { sender in
                let outcome = outcome(of: post(letter(sender)))
                if let error = outcome.dispatchError { sender.resume(returning: .failure(error)) }
            }
        }
        let ticket = SuspensionTicket()
        return await withTaskCancellationHandler {
            await withUnsafeContinuation { sender in
                let letter = timed(letter(sender))
                let refusal: StoreError? = mailboxLock.withLock {
                    if mailbox.isClosed { return self.refusal }
                    if ticket.isCancelled && !mailbox.hasRoom(for: letter) { return .cancelled }
                    noteOrigin()
                    ticket.key = mailbox.suspend(letter)
                    return nil
                }
                if let refusal { sender.resume(returning: .failure(refusal)) }
                if gate.announce() { drainIfAllowed() }
            }
        } onCancel: {
            let mustRefuse = mailboxLock.withLock {
                ticket.isCancelled = true
                return ticket.key.map { mailbox.withdraw($0) } ?? false
            }
            if mustRefuse { refuseInBackground() }
        }
    }
}

/// What came of trying to reduce a dispatched action at once. Without payloads, so that nothing is retained for it.
@usableFromInline
enum DispatchAttempt {
    /// It was reduced.
    case reduced
    /// It was reduced, and has asked for an effect, which is to be taken on. The turn is the caller's.
    case asked
    /// The turn is the caller's, and more belongs to it than the reducer.
    case begun
    /// The turn is another's, and nothing has happened.
    case busy
}

/// What came of trying to reduce a request at once.
@usableFromInline
enum RequestAttempt {
    /// It was reduced, and the answer is all that came of it.
    case answered(any Sendable)
    /// It was reduced, and what it has asked for is to be taken on. The turn is the caller's.
    case asked
    /// The turn is another's, or more belongs to it than the reducer, and nothing has happened.
    case busy
}

/// A dispatch that waits for room in the mailbox.
private final class SuspensionTicket: @unchecked Sendable {
    // Sound: both are read and written under the lock of the mailbox.
    var key: UInt64?
    var isCancelled = false
}

extension SendOutcome {
    /// What a dispatch throws when its action was not accepted.
    fileprivate var dispatchError: StoreError? {
        switch self {
        case .accepted, .acceptedDroppingOldest: nil
        case .dropped: .overloaded
        case .refused(let error): error
        }
    }
}

extension MailboxCapacity {
    /// Whether a dispatch that finds the mailbox full waits for room.
    fileprivate var suspendsDispatch: Bool { limit != nil && policy == .suspend }
}
