extension Store {
    /// Reduces an action, and returns when that is done and visible to every reader.
    ///
    /// It runs on the caller's executor, and suspends only if the store is busy, or asks an ``AsyncInterceptor``. The
    /// effects that the action starts run on; they inherit the calling task's priority and task-locals.
    ///
    /// - Returns: the effects that the action started, to be awaited or cancelled.
    /// - Throws: ``StoreError/shutDown`` after a shutdown, ``StoreError/rejected(by:)`` if an interceptor stopped the
    ///   action, ``StoreError/overloaded`` if the mailbox is full and its policy says so, ``StoreError/cancelled`` if
    ///   the task was cancelled while it waited for room in the mailbox or for an ``AsyncInterceptor``. In all these
    ///   cases the action has not been reduced and never will be. Cancelling the task has no other effect here.
    @inlinable
    @inline(__always)
    @discardableResult
    public nonisolated(nonsending) func dispatch(_ action: Action) async throws(StoreError) -> StoreTask {
        if let core {
            // As `StoreCore.dispatch(_:)`, but without retaining the core, which takes 15 ns if there are weak
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

    /// Accepts an action without waiting, from any thread: it is reduced at once if the store is idle, and otherwise
    /// when its turn has come.
    ///
    /// Effects that it starts have the priority of the store's configuration and no task-locals.
    ///
    /// - Returns: what became of it.
    @inlinable
    @discardableResult
    public nonisolated func send(_ action: Action) -> SendOutcome {
        if let core { return core._withUnsafeGuaranteedRef { $0.send(action) } }
        switch backing {
        case .root(let core): return core.send(action)
        case .view(let scopeNode): return scopeNode.actions.send(action)
        }
    }

    /// Accepts actions as one turn: no snapshot shows a state between them, and each observer of the state is told
    /// once, after the last.
    ///
    /// They are accepted or not as a whole; a busy store with a bounded mailbox accepts no more than its capacity. If
    /// one takes the entry of a table away to which the store belongs, those after it are dropped and counted in
    /// ``StoreStatistics/lateActions``.
    ///
    /// - Returns: what became of them.
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
    /// Reduces an action if the store accepts it in time, and can also follow all that comes of it; otherwise like
    /// ``dispatch(_:)-(Action)``.
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
    /// The time counts until the action is in the mailbox: at its end this no longer waits for room
    /// (``MailboxCapacity/OverflowPolicy/suspend``), and cancels an ``AsyncInterceptor`` that is being asked. What has
    /// been accepted is reduced, and this returns when it is, also after the time; that takes as long as the actions
    /// before it, of which there are no more than twice as many as the mailbox has room for. So an error means, as with
    /// every dispatch, that the action does not count, where ``withTimeout(_:tolerance:clock:isolation:operation:)``
    /// around a dispatch throws ``TimedOut`` either way.
    ///
    /// An idle store reduces the action at once, as by ``dispatch(_:)-(Action)``. Otherwise, and with `tracksFeedback`
    /// always, each call with a timeout begins a sleep of the clock. The clocks of the system keep a sleep in memory
    /// until its time has come, also if it is no longer needed: with long timeouts, busy stores keep many.
    ///
    /// In a task that was cancelled before the call the time does not count, because nothing sleeps there. A full
    /// mailbox that suspends refuses the action at once, with ``StoreError/cancelled``. An ``AsyncInterceptor``, and
    /// the loading of the first state before it is asked, are waited for as by ``dispatch(_:)-(Action)``.
    ///
    /// - Parameters:
    ///   - action: What happens.
    ///   - acceptanceTimeout: How long to wait for the store to accept it: zero or less for nothing, nil for as long as
    ///     it takes.
    ///   - tracksFeedback: Whether the ``StoreTask`` awaits and cancels all that comes of the action: not only the
    ///     effects that it started, but also those of the actions which these send, and so on. An effect among them
    ///     that waits for this task would wait for itself, and gets ``StoreError/awaitsItself`` instead.
    ///   - clock: Measures the timeout; a test gives one of its own. This returns only when its sleep has ended, which a
    ///     cancellation should do at once.
    ///   - isolation: The caller's actor, on which this runs; leave the default.
    /// - Returns: the effects that the action started, to be awaited or cancelled.
    /// - Throws: ``StoreError/overloaded`` if it was not accepted in time, and otherwise as ``dispatch(_:)-(Action)``.
    ///   In all cases the action has not been reduced and never will be.
    @discardableResult
    public func dispatch(
        _ action: Action,
        acceptanceTimeout: Duration? = nil,
        tracksFeedback: Bool = false,
        clock: any Clock<Duration> = ContinuousClock(),
        isolation: isolated (any Actor)? = #isolation
    ) async throws(StoreError) -> StoreTask {
        let tracker = tracksFeedback ? EffectTracker(tracksFeedback: true) : nil
        // All that the action itself has begun is counted by then.
        defer { if let tracker, tracker.end() { tracker.tellEnd() } }
        let options = DispatchOptions(joining: tracker)
        guard let acceptanceTimeout else { return try await backing.actions.dispatch(action, options) }
        return try await dispatch(action, options, within: acceptanceTimeout, on: clock)
    }

    /// Reduces an action if the store accepts it within a time.
    private func dispatch(
        _ action: Action,
        _ options: DispatchOptions,
        within timeout: Duration,
        on clock: any Clock<Duration>,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(StoreError) -> StoreTask {
        // Without a task and a sleep: a clock of the system keeps a sleep until its time, also if that is cancelled.
        if let result = backing.actions.dispatchWithoutWaiting(action, options) { return try result.get() }
        // The end of the time is none of this: it is no cancellation from before the dispatch, whenever it comes.
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

    /// Tells instruments of an action that was not accepted in time.
    private nonisolated func noteOverdue(_ action: Action) {
        // Without the actions of others than the root, as with everything that a busy tree has no room for.
        let ownAction: Action? = if case .root = backing { action } else { nil }
        root.instrumentRegistry.load()?.drop(1, of: node.name, ownAction, because: .overload)
    }
}

/// What can happen to a dispatch with an acceptance timeout.
private enum AcceptanceEvent: Sendable {
    case ended(Result<StoreTask, StoreError>)
    /// It was cancelled while it waited.
    case cancelled
    /// Its time is up.
    case overdue
}

extension Store {
    /// Has a request reduced, and returns the answer that was decided with it.
    ///
    /// ```swift
    /// let isTaken = try await store.ask(Take(quantity: 2))
    /// ```
    ///
    /// When it returns, what the request has changed is visible to every reader. Effects that the request starts run
    /// on, as those of ``dispatch(_:)-(Action)`` do.
    ///
    /// If several reducers answer, the answer of this store counts before those of its parents, and of one reducer the
    /// first.
    ///
    /// - Parameter request: What is asked.
    /// - Returns: The answer.
    /// - Throws: What ``dispatch(_:)-(Action)`` throws; then the request has not been reduced and never will be. Or
    ///   ``StoreError/unanswered`` if it was reduced, and no reducer has answered it, or the first that did has
    ///   answered with another type: there is no ``RequestReducer`` for its type.
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

    /// The rest of ``ask(_:)`` for a request that was not answered at once.
    @inlinable
    func finish<Answer>(
        _ request: Action,
        _ attempt: RequestAttempt,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(StoreError) -> Answer {
        let pending = PendingAnswer()
        let tracker = EffectTracker(answering: pending)
        // All that the request itself has begun is counted by then.
        defer { if tracker.end() { tracker.tellEnd() } }
        switch (attempt, backing) {
        case (.answered, _): throw .unanswered
        case (.asked, .root(let core)): core.finishRequest(request, tracker)
        case (_, .root(let core)): _ = try await core.dispatch(request, joining: tracker)
        case (_, .view(let scopeNode)):
            _ = try await scopeNode.actions.dispatch(request, DispatchOptions(joining: tracker))
        }
        // First whether there is one: an answer can be an optional.
        guard let value = pending.take(), let answer = value as? Answer else { throw .unanswered }
        return answer
    }

    /// Has an action reduced, and waits for all that comes of it: its effects, those of the actions that they send, and
    /// so on.
    ///
    /// ```swift
    /// try await store.perform(.load)
    /// ```
    ///
    /// This is structured as a call of an asynchronous function is: nothing of it goes on when it has returned. If the
    /// calling task is cancelled, it cancels the effects, and waits for their end. Effects that the state asks for
    /// because of the action, see *StateDrivenEffects*, come of it as well. An action that an effect dispatches,
    /// through a store or its context, belongs to it only if the effect awaits it.
    ///
    /// As with ``dispatch(_:)-(Action)``, cancelling the task does not take an action back that waits for its turn: it
    /// is reduced, and then its effects are cancelled. So while the store is suspended by an observer, or loads its
    /// state, this waits.
    ///
    /// An effect must not perform an action whose effects wait in a queue behind it, see ``EffectPolicy/serial``: both
    /// would wait for ever.
    ///
    /// - Parameters:
    ///   - action: What happens.
    ///   - isolation: The caller's actor, on which this runs; leave the default.
    /// - Throws: What ``dispatch(_:)-(Action)`` throws; or the first error that an effect threw and did not make an
    ///   action of; or a `CancellationError` if the calling task was cancelled: before the call, and then the action is
    ///   not reduced, or meanwhile. Or ``StoreError/awaitsItself`` if the caller is one of the effects, or one of them
    ///   waits for it: then the effects are cancelled, and not awaited.
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
                // All have ended if the error is one of theirs.
                if !isFinished { cancel() }
                throw error
            }
        } onCancel: {
            cancel()
        }
        try Task.checkCancellation()
    }
}
