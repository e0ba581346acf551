extension Store {
    /// Dispatches an action, and returns when it has been reduced and every reader can see the result.
    ///
    /// The call runs on the caller's executor. It suspends only if the store is busy or asks an ``AsyncInterceptor``.
    /// It can also reduce some waiting actions of other senders, with their interceptors and closure observers: hold no
    /// lock that these take. Effects that the action starts continue after the call; they inherit the calling task's
    /// priority and task-locals.
    ///
    /// - Parameter action: The action to reduce.
    /// - Returns: A task for the effects that the action started, which you can await or cancel.
    /// - Throws: ``StoreError/shutDown`` after a shutdown; ``StoreError/notReady`` if the store's first state could not
    ///   be loaded; ``StoreError/rejected(by:)`` if an interceptor stopped the action; ``StoreError/overloaded`` if the
    ///   mailbox is full and its policy refuses or drops the action; ``StoreError/cancelled`` if the task was cancelled
    ///   while it waited for room in the mailbox or for an ``AsyncInterceptor``. In all these cases the action has not
    ///   been reduced and never will be. Cancelling the task has no other effect here.
    @inlinable
    @inline(__always)
    @discardableResult
    public nonisolated(nonsending) func dispatch(_ action: Action) async throws(StoreError) -> StoreTask {
        if let core {
            // Repeats `StoreCore.dispatch(_:)` without retaining the core: that takes 15 ns if there are weak
            // references to it.
            switch core._withUnsafeGuaranteedRef({ $0.dispatchAtOnce(action) }) {
            case .reduced: return .empty
            case .asked: return core._withUnsafeGuaranteedRef { $0.finishDispatch(of: action) }
            case .begun:
                if let result = core._withUnsafeGuaranteedRef({ $0.dispatchInTakenTurn(action) }) {
                    return try result.get()
                }
            case .busy: break
            }
        }
        switch backing {
        case .root(let core): return try await core.dispatchContended(action)
        case .view(let scopeNode): return try await scopeNode.actions.dispatch(action)
        }
    }

    /// Sends an action from any thread, without waiting. An idle store reduces it immediately; a busy store queues it.
    /// The call can also reduce some waiting actions of other senders, with their interceptors and closure observers:
    /// hold no lock that these take.
    ///
    /// Effects that the action starts have the priority of the store's configuration and no task-locals.
    ///
    /// - Parameter action: The action to reduce.
    /// - Returns: A value that says whether the action was accepted, or why it was refused.
    @inlinable
    @discardableResult
    public nonisolated func send(_ action: Action) -> SendOutcome {
        if let core { return core._withUnsafeGuaranteedRef { $0.send(action) } }
        switch backing {
        case .root(let core): return core.send(action)
        case .view(let scopeNode): return scopeNode.actions.send(action)
        }
    }

    /// Sends several actions as one turn: no snapshot shows a state between them, and each observer of the state is
    /// notified once, after the last action. Like ``send(_:)-(Action)``, the call can also reduce actions of other
    /// senders: hold no lock that reducers, interceptors or closure observers take.
    ///
    /// The actions are accepted or refused as a whole. A busy store with a bounded mailbox accepts no more than its
    /// capacity. If the store belongs to an entry of a table and one of the actions removes that entry, the actions
    /// after it are dropped and counted in ``StoreStatistics/lateActions``.
    ///
    /// - Parameter actions: The actions to reduce, in order.
    /// - Returns: A value that says whether the actions were accepted, or why they were refused.
    /// - Complexity: O(*n*), where *n* is the number of actions.
    @inlinable
    @discardableResult
    public nonisolated func send(contentsOf actions: some Sequence<Action>) -> SendOutcome {
        switch backing {
        case .root(let core): core.send(contentsOf: actions)
        case .view(let scopeNode): scopeNode.actions.send(batch: Array(actions))
        }
    }
}

extension Store {
    /// Dispatches an action with a time limit for its acceptance, and optionally tracks its feedback: the effects of
    /// the actions that its effects send, and so on.
    ///
    /// ```swift
    /// try await store.dispatch(.refresh, tracksFeedback: true).finish()   // All pages are there.
    ///
    /// do {
    ///     try await store.dispatch(.bid(amount), acceptanceTimeout: .milliseconds(20))
    /// } catch .overloaded {
    ///     return .serviceUnavailable  // And the bid does not count.
    /// } catch {
    ///     throw error
    /// }
    /// ```
    ///
    /// ## Acceptance timeout
    ///
    /// The timeout covers the time until the action is in the mailbox. When it is over, the call stops waiting for room
    /// (``MailboxCapacity/OverflowPolicy/suspend``), and cancels an ``AsyncInterceptor`` that is being asked. An
    /// accepted action is reduced, and the call returns when that is done, even after the timeout. This takes as long
    /// as the actions before it, which number at most twice the capacity of the mailbox, besides those that
    /// ``Effect/send(_:)`` and ``Send/waitingForRoom(_:isolation:)`` have added. So an error means, as with
    /// every dispatch, that the action does not count. By contrast,
    /// ``withTimeout(_:tolerance:clock:isolation:operation:)`` around a dispatch throws ``TimedOut`` in either case.
    ///
    /// An idle store reduces the action immediately, like ``dispatch(_:)-(Action)``. Otherwise, and always with
    /// `tracksFeedback`, each call with a timeout starts a sleep on the clock. System clocks keep a sleep in memory
    /// until its deadline, even when it is no longer needed: with long timeouts, busy stores accumulate many.
    ///
    /// In a task that was cancelled before the call, the timeout has no effect, because nothing sleeps there. A full
    /// mailbox that suspends refuses the action immediately, with ``StoreError/cancelled``. An ``AsyncInterceptor``,
    /// and the loading of the first state before it is asked, are awaited without a limit.
    ///
    /// - Parameters:
    ///   - action: The action to reduce.
    ///   - acceptanceTimeout: How long to wait for acceptance: with zero or less the call does not wait; nil sets no
    ///     limit.
    ///   - tracksFeedback: Whether the ``StoreTask`` awaits and cancels all feedback of the action: not only the
    ///     effects that it started, but also those of the actions that they send, and so on. An effect among them that
    ///     awaits this task would wait for itself; it receives ``StoreError/awaitsItself`` instead.
    ///   - clock: The clock that measures the timeout; a test can pass its own. The call returns only when its sleep
    ///     has ended, which a cancellation should cause immediately.
    ///   - isolation: The actor on which this runs; by default the caller's.
    /// - Returns: A task for the effects that the action started, which you can await or cancel.
    /// - Throws: ``StoreError/overloaded`` if the action was not accepted in time, or if the mailbox is full and its
    ///   policy refuses or drops the action; ``StoreError/shutDown`` after a shutdown; ``StoreError/notReady`` if the
    ///   store's first state could not be loaded; ``StoreError/rejected(by:)`` if an interceptor stopped the action;
    ///   ``StoreError/cancelled`` if the task was cancelled while it waited for room in the mailbox or for an
    ///   ``AsyncInterceptor``. In all these cases the action has not been reduced and never will be.
    @discardableResult
    public func dispatch(
        _ action: Action,
        acceptanceTimeout: Duration? = nil,
        tracksFeedback: Bool = false,
        clock: any Clock<Duration> = ContinuousClock(),
        isolation: isolated (any Actor)? = #isolation
    ) async throws(StoreError) -> StoreTask {
        let tracker = tracksFeedback ? EffectTracker(tracksFeedback: true) : nil
        // By now all effects that the action itself has started are counted.
        defer { if let tracker, tracker.end() { tracker.tellEnd() } }
        let options = DispatchOptions(joining: tracker)
        guard let acceptanceTimeout else { return try await backing.actions.dispatch(action, options) }
        return try await dispatch(action, options, within: acceptanceTimeout, on: clock)
    }

    /// Dispatches an action with a time limit for its acceptance.
    private func dispatch(
        _ action: Action,
        _ options: DispatchOptions,
        within timeout: Duration,
        on clock: any Clock<Duration>,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(StoreError) -> StoreTask {
        // Avoids a task and a sleep: system clocks keep a sleep until its deadline, even if it is cancelled.
        if let result = backing.actions.dispatchWithoutWaiting(action, options) { return try result.get() }
        // Records only a cancellation from before the dispatch. The end of the timeout never counts as one.
        let wait = AcceptanceWait(wasCancelled: Task.isCancelled)
        let options = DispatchOptions(joining: options.tracker, acceptance: wait)
        let result = await withTaskGroup(of: AcceptanceEvent.self) { group in
            group.addTask {
                do throws(StoreError) {
                    return .ended(.success(try await self.backing.actions.dispatch(action, options)))
                } catch {
                    return wait.isOver ? .cancelled : .ended(.failure(error))
                }
            }
            group.addTask {
                try? await clock.sleep(for: timeout.boundedWait, tolerance: nil)
                return .overdue
            }
            var isOverdue = false
            while let event = await group.next() {
                group.cancelAll()
                switch event {
                case .ended(let result): return result
                case .overdue: isOverdue = !Task.isCancelled
                case .cancelled:
                    guard isOverdue else { return .failure(.cancelled) }
                    noteOverdue(action)
                    return .failure(.overloaded)
                }
            }
            return Result<StoreTask, StoreError>.failure(.cancelled)
        }
        return try result.get()
    }

    /// Reports to instruments an action that was not accepted in time.
    private nonisolated func noteOverdue(_ action: Action) {
        // Omits actions of stores other than the root, as with every action for which a busy tree has no room.
        let ownAction: Action? = if case .root = backing { action } else { nil }
        root.instrumentRegistry.load()?.drop(1, of: node.name, ownAction, because: .overload)
    }
}

/// The events of a dispatch with an acceptance timeout.
private enum AcceptanceEvent: Sendable {
    case ended(Result<StoreTask, StoreError>)
    /// The dispatch was cancelled while it waited.
    case cancelled
    /// The timeout is over.
    case overdue
}

extension Store {
    /// Dispatches a request, and returns the answer that the reducer decided on with it.
    ///
    /// ```swift
    /// let isTaken = try await store.ask(Take(quantity: 2))
    /// ```
    ///
    /// When the call returns, every reader can see what the request has changed. Effects that the request starts
    /// continue after the call, as with ``dispatch(_:)-(Action)``.
    ///
    /// If several reducers answer, the answer of this store takes precedence over those of its parents, and within one
    /// reducer the first answer counts.
    ///
    /// - Parameter request: The request to reduce.
    /// - Returns: The answer.
    /// - Throws: The errors of ``dispatch(_:)-(Action)``; then the request has not been reduced and never will be.
    ///   Throws ``StoreError/unanswered`` if the request was reduced but no reducer answered it, or the first that did
    ///   answered with another type because there is no ``RequestReducer`` for the type of the request.
    @inlinable
    @inline(__always)
    public nonisolated(nonsending) func ask<R: Request>(
        _ request: R
    ) async throws(StoreError) -> R.Answer where R.StoreAction == Action {
        let action = R.casePath.embed(request)
        let attempt = core.map { $0._withUnsafeGuaranteedRef { $0.askAtOnce(action) } } ?? .busy
        if case .answered(let value) = attempt, let answer = value as? R.Answer { return answer }
        return try await finish(action, attempt)
    }

    /// Completes ``ask(_:)`` for a request that was not answered immediately.
    @inlinable
    func finish<Answer>(
        _ request: Action,
        _ attempt: RequestAttempt,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(StoreError) -> Answer {
        let pending = PendingAnswer()
        let tracker = EffectTracker(answering: pending)
        // By now all effects that the request itself has started are counted.
        defer { if tracker.end() { tracker.tellEnd() } }
        switch (attempt, backing) {
        case (.answered, _): throw .unanswered
        case (.asked, .root(let core)): core.finishRequest(request, tracker)
        case (_, .root(let core)): _ = try await core.dispatch(request, joining: tracker)
        case (_, .view(let scopeNode)):
            _ = try await scopeNode.actions.dispatch(request, DispatchOptions(joining: tracker))
        }
        // Tests for an answer first: the answer itself can be an optional.
        guard let value = pending.take(), let answer = value as? Answer else { throw .unanswered }
        return answer
    }

    /// Dispatches an action, and waits until its effects and all their feedback have ended: the effects of the actions
    /// that they send, and so on.
    ///
    /// ```swift
    /// try await store.perform(.load)
    /// ```
    ///
    /// The call is structured, like a call of an asynchronous function: nothing that it started runs after it has
    /// returned. If the calling task is cancelled, it cancels the effects and waits for them to end. Effects that the
    /// state starts because of the action (see *StateDrivenEffects*) are included. An action that an effect dispatches,
    /// through a store or its context, is included only if the effect awaits it.
    ///
    /// As with ``dispatch(_:)-(Action)``, cancelling the task does not withdraw an action that waits for its turn: it
    /// is reduced, and then its effects are cancelled. So this waits while an observer suspends the store, or while the
    /// store loads its state.
    ///
    /// An effect must not perform an action whose effects wait in a queue behind it (see ``EffectPolicy/serial``): both
    /// would wait for ever.
    ///
    /// - Parameters:
    ///   - action: The action to reduce.
    ///   - isolation: The actor on which this runs; by default the caller's.
    /// - Throws: The errors of ``dispatch(_:)-(Action)``; or the first unhandled error of an effect; or a
    ///   `CancellationError` if the calling task was cancelled: before the call, in which case the action is not
    ///   reduced, or during it. Throws ``StoreError/awaitsItself`` if the caller is one of the effects, or one of them
    ///   waits for it; then the effects are cancelled and not awaited.
    public func perform(_ action: Action, isolation: isolated (any Actor)? = #isolation) async throws {
        try Task.checkCancellation()
        try await dispatch(action, tracksFeedback: true).finishForPerformer()
    }
}

extension StoreTask {
    /// Waits for the effects as ``Store/perform(_:isolation:)`` does, and cancels them with the calling task.
    package func finishForPerformer(isolation: isolated (any Actor)? = #isolation) async throws {
        try await withTaskCancellationHandler {
            do {
                try await finishDespiteCancellation()
            } catch {
                // If an effect threw the error, all effects have ended.
                if !isFinished { cancel() }
                throw error
            }
        } onCancel: {
            cancel()
        }
        try Task.checkCancellation()
    }
}
