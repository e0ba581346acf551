extension Store {
    /// Calls `body` with the current state, and with that after each turn, whether it differs or not; otherwise like
    /// ``observe(_:fileID:line:_:)``.
    ///
    /// ```swift
    /// let token = store.observe { state in render(state) }
    /// ```
    ///
    /// Whoever needs a part of the state observes that, and is called less. Keeping the state makes the next action copy the
    /// collections that it changes.
    ///
    /// - Returns: a token; the observation ends when it is released or cancelled.
    @inlinable
    public nonisolated func observe(
        fileID: String = #fileID,
        line: UInt = #line,
        _ body: @escaping @Sendable (_ state: State) -> Void
    ) -> Observation {
        observe(\.self, removeDuplicates: .everyAction, fileID: fileID, line: line, body)
    }

    /// Calls `body` with every action that is reduced from now on, and the state after it, in order and without gaps.
    ///
    /// ```swift
    /// let token = store.observeActions { action, state in await audit.note(action, state.revision) }
    /// ```
    ///
    /// The calls happen one after the other in a task of the observation, after the turn, so that they keep nobody
    /// waiting; what is not dealt with yet is kept, without a bound. It costs what ``actions`` cost: a copy of the
    /// state for each action. The observation does not keep the store alive.
    ///
    /// - Parameters:
    ///   - buffering: What is kept while `body` is busy.
    ///   - fileID: Where the observer is written; leave the default.
    ///   - line: Where the observer is written; leave the default.
    ///   - body: Is given each action and the state after it. It runs on the executor of the store's configuration.
    /// - Returns: a token; the observation ends when it is released or cancelled. A call that is under way goes on.
    public nonisolated func observeActions(
        buffering: BufferingPolicy = .unbounded,
        fileID: String = #fileID,
        line: UInt = #line,
        _ body: @escaping @Sendable (_ action: Action, _ state: State) async -> Void
    ) -> Observation {
        let subscription = actions(buffering: buffering, fileID: fileID, line: line).makeAsyncIterator().subscription
        let task = Task.detached(executorPreference: root.configuration.executor) {
            while let (action, state) = await subscription.next() {
                if Task.isCancelled { return }
                await body(action, state)
            }
        }
        return Observation(of: ObservingTask(task, of: subscription))
    }
}
