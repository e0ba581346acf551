extension Store {
    /// Has actions pass through interceptors from now on, the outermost first, all of which stand when the first of
    /// them begins to send. For a root only.
    package nonisolated func useTogether(_ interceptors: [Interceptor<State, Action>]) {
        if case .root(let core) = backing { core.useFirst(interceptors) }
    }

    /// Dispatches an action, all that comes of which is awaited by the task that is returned, and says in the turn when
    /// its own reduction begins and ends: so a test store can tell it from what others send at the same time.
    ///
    /// For a root only.
    ///
    /// - Parameters:
    ///   - action: What happens.
    ///   - bracket: Called with true right before the action is reduced, and with false right after it; not at all if
    ///     it is not.
    /// - Returns: The effects, and the answer, if the action is a request that a reducer has answered.
    package func dispatch(
        _ action: Action,
        isolation: isolated (any Actor)? = #isolation,
        bracketedBy bracket: @escaping @Sendable (_ isBeginning: Bool) -> Void
    ) async throws(StoreError) -> (task: StoreTask, answer: (any Sendable)?) {
        guard case .root(let core) = backing else { preconditionFailure("Only a root is the store of a test store.") }
        let pending = PendingAnswer()
        let tracker = EffectTracker(tracksFeedback: true, answering: pending)
        // All that the action itself has begun is counted by then.
        defer { if tracker.end() { tracker.tellEnd() } }
        let action = core.hasAsyncInterceptors ? try await core.askFirst(action) : action
        let task = try await core.dispatch(action, to: core, joining: tracker) {
            bracket(true)
            defer { bracket(false) }
            return StoreBacking.root(core).reduceInTurn(action)
        }
        return (task, pending.take())
    }
}
