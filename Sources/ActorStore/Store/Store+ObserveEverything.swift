extension Store {
    /// Calls `body` with the current state, and with that after each turn, whether it differs or not; otherwise like
    /// ``observe(_:fileID:line:_:)``.
    ///
    /// ```swift
    /// let token = store.observe { state in render(state) }
    /// ```
    ///
    /// Whoever needs a part of the state observes that, and is called less. Keeping the state makes the next action
    /// copy the collections that it changes.
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

    /// Calls `body` on the executor given, with the current state and with the state after later turns, whether it
    /// differs or not.
    ///
    /// ```swift
    /// let token = store.observe(on: globalConcurrentExecutor) { state in export(state) }
    /// ```
    ///
    /// With ``BufferingPolicy/latest``, a busy `body` skips states and always receives the newest one. The state need
    /// not be `Equatable`. To be called only when a part has changed, use `observe(_:on:)`.
    ///
    /// - Parameters:
    ///   - executor: Where the calls happen. Observers on the same executor share tasks.
    ///   - buffering: The states to keep while `body` is busy.
    ///   - fileID: The file of the observer; the default is the caller's.
    ///   - line: The line of the observer; the default is the caller's.
    ///   - body: Handles a state; the next call begins after it returns.
    /// - Returns: A token. The observation ends when you release or cancel it.
    public nonisolated func observe(
        on executor: any TaskExecutor,
        buffering: BufferingPolicy = .latest,
        fileID: String = #fileID,
        line: UInt = #line,
        _ body: @escaping @Sendable (_ state: State) -> Void
    ) -> Observation {
        let source = SourceLocation(fileID: fileID, line: line)
        return observation(
            through: subscription(to: .part(\.self, removeDuplicates: .everyAction), buffering, source),
            on: executor,
            body
        )
    }

    /// Calls `body` isolated to the actor given, with the current state and with the state after later turns, whether
    /// it differs or not. The observation does not retain the actor.
    ///
    /// ```swift
    /// let token = store.observe(isolatedTo: screen) { screen, state in screen.render(state) }
    /// ```
    ///
    /// With ``BufferingPolicy/latest``, a busy actor skips states and always receives the newest one. The state need
    /// not be `Equatable`. To be called only when a part has changed, use
    /// ``observe(_:isolatedTo:buffering:fileID:line:_:)``.
    ///
    /// - Parameters:
    ///   - actor: Where the calls happen. The observation ends with the next turn after the actor is released.
    ///   - buffering: The states to keep while the actor is busy.
    ///   - fileID: The file of the observer; the default is the caller's.
    ///   - line: The line of the observer; the default is the caller's.
    ///   - body: Handles a state; the next call begins after it returns.
    /// - Returns: A token. The observation ends when you release or cancel it.
    public nonisolated func observe<Isolation: Actor>(
        isolatedTo actor: Isolation,
        buffering: BufferingPolicy = .latest,
        fileID: String = #fileID,
        line: UInt = #line,
        _ body: @escaping @Sendable (_ actor: isolated Isolation, _ state: State) -> Void
    ) -> Observation {
        let source = SourceLocation(fileID: fileID, line: line)
        return observation(
            through: subscription(to: .part(\.self, removeDuplicates: .everyAction), buffering, source),
            to: actor,
            body
        )
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
        let task = ObservingTask(of: subscription, in: root, on: root.configuration.executor) { cancellation in
            while let (action, state) = await subscription.next() {
                if cancellation.isNoted { return }
                await body(action, state)
            }
        }
        return Observation(of: task)
    }
}
