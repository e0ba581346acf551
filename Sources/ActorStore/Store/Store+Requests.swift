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
        let task = try await dispatch(action, tracksFeedback: true)
        try await withTaskCancellationHandler {
            do {
                try await task.finishDespiteCancellation()
            } catch {
                // All have ended if the error is one of theirs.
                if !task.isFinished { task.cancel() }
                throw error
            }
        } onCancel: {
            task.cancel()
        }
        try Task.checkCancellation()
    }
}
