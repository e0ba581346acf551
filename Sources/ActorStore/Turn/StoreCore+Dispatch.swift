extension StoreCore {
    /// Reduces an action if the store is idle, or comes to be within about a microsecond.
    ///
    /// - Returns: nil if the store is busy; then nothing has happened.
    @inlinable
    func dispatchAtOnce(_ action: Action) throws(StoreError) -> StoreTask? {
        guard gate.beginIfIdle() || gate.beginSoon() else { return nil }
        guard isPlain else { return try dispatchFully(action) }
        let effect = reducePlainly(action)
        guard effect.isNone else { return finishDispatch(effect) }
        if !gate.endIfUndisturbed() { leaveWriting() }
        return .empty
    }

    /// The rest of ``dispatchAtOnce(_:)`` for an action that asked for an effect.
    @usableFromInline
    func finishDispatch(_ effect: Effect<Action>) -> StoreTask {
        gate.endWriting()
        let task = begin(take(effect))
        leave()
        return task
    }

    /// The rest of ``dispatchAtOnce(_:)`` for a store that has observers or interceptors, or is being shut down.
    @inlinable
    func dispatchFully(_ action: Action) throws(StoreError) -> StoreTask {
        isWriting = true
        defer { leave() }
        guard lifecycle.isOpen else { throw .shutDown }
        let launch = try reduceFully(action).get()
        return launch.isNeeded || launch.tracker != nil ? begin(launch) : .empty
    }

    /// Starts effects in the dispatcher's context.
    @usableFromInline
    func begin(_ launch: EffectLaunch<Action>) -> StoreTask {
        startInheriting(launch.starts)
        return StoreTask(tracker: launch.tracker)
    }

    /// Leaves the action in the mailbox, and waits until the owner of the turn has reduced it.
    @usableFromInline
    nonisolated(nonsending) func dispatchContended(_ action: Action) async throws(StoreError) -> StoreTask {
        let result =
            if configuration.mailbox.suspendsDispatch {
                await postWaitingForRoom(action)
            } else {
                await withUnsafeContinuation { dispatcher in
                    let outcome = outcome(of: post(.dispatch(action, dispatcher)))
                    if let error = outcome.dispatchError { dispatcher.resume(returning: .failure(error)) }
                }
            }
        return begin(try result.get())
    }

    /// Leaves the action in the mailbox as soon as there is room, unless the task is cancelled before.
    private nonisolated(nonsending) func postWaitingForRoom(_ action: Action) async -> DispatchResult<Action> {
        let ticket = SuspensionTicket()
        return await withTaskCancellationHandler {
            await withUnsafeContinuation { dispatcher in
                let refusal: StoreError? = mailboxLock.withLock {
                    if mailbox.isClosed { return .shutDown }
                    if ticket.isCancelled && !mailbox.hasRoom(for: .dispatch(action, dispatcher)) { return .cancelled }
                    ticket.key = mailbox.suspend(.dispatch(action, dispatcher))
                    return nil
                }
                if let refusal { dispatcher.resume(returning: .failure(refusal)) }
                if gate.announce() { drain() }
            }
        } onCancel: {
            let letter = mailboxLock.withLock {
                ticket.isCancelled = true
                return ticket.key.flatMap { mailbox.withdraw($0) }
            }
            if case .dispatch(_, let dispatcher) = letter { dispatcher.resume(returning: .failure(.cancelled)) }
        }
    }

    /// Has `task` done in a turn, after all that was accepted before, and waits for its result.
    @usableFromInline
    nonisolated(nonsending) func perform<Result: Sendable>(
        _ task: @escaping (StoreCore) -> Result
    ) async -> Result {
        await withUnsafeContinuation { waiter in
            submit { core in waiter.resume(returning: task(core)) }
        }
    }
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
