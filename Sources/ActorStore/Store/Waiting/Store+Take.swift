extension Store {
    /// Waits for the next action that matches, and returns it.
    ///
    /// ```swift
    /// let order = try await store.take(where: \.isOrder, timeout: .seconds(5))
    /// ```
    ///
    /// The wait begins with this call: it is over with the first matching action that is reduced after everything that
    /// the store had accepted before. So an action that this task dispatches *before* the call is missed; what is
    /// dispatched in a child task, or after an `async let` of this, may be. To wait for the answer to something, use
    /// ``take(where:timeout:clock:isolation:after:)``, which waits first and asks then. To see every one of several
    /// actions, use ``actions``, which keeps what comes between two looks.
    ///
    /// Actions are those of ``actions``: with interceptors, those that the reducer got; of a scope, those of its part.
    /// While somebody waits, each action costs as much as with an observer of actions, which is to copy the state.
    ///
    /// - Parameters:
    ///   - isMatching: Which action. Called in the store's turn, so that it must not block; and not any more when it
    ///     has been true.
    ///   - timeout: How long to wait; nil for as long as it takes.
    ///   - clock: Measures the time; a test gives one of its own.
    ///   - isolation: The caller's actor, on which this runs; leave the default.
    /// - Returns: the action, when it has been reduced and is visible to every reader.
    /// - Throws: ``WaitError/timedOut`` when the time is over, ``WaitError/cancelled`` when the task was cancelled,
    ///   both at once; ``WaitError/storeEnded`` when the store has been shut down, and for a child that has ended; and
    ///   ``WaitError/notReady`` when the store's first state could not be loaded: at once if that has failed before,
    ///   and otherwise when it fails.
    @discardableResult
    public func take(
        where isMatching: @escaping @Sendable (_ action: Action) -> Bool,
        timeout: Duration? = nil,
        clock: any Clock<Duration> = ContinuousClock(),
        isolation: isolated (any Actor)? = #isolation
    ) async throws(WaitError) -> Action {
        try await take(matching: { isMatching($0) ? $0 : nil }, timeout: timeout, clock: clock)
    }

    /// Waits for the next action of a case, and returns its value; otherwise like
    /// ``take(where:timeout:clock:isolation:)``.
    ///
    /// ```swift
    /// let user = try await store.take(.signedIn)      // extension CasePath { static let signedIn = … }
    /// ```
    ///
    /// - Parameters:
    ///   - casePath: The case. One that finds its values by reflection takes some microseconds for each action.
    ///   - timeout: How long to wait; nil for as long as it takes.
    ///   - clock: Measures the time; a test gives one of its own.
    ///   - isolation: The caller's actor, on which this runs; leave the default.
    @discardableResult
    public func take<Value: Sendable>(
        _ casePath: CasePath<Action, Value>,
        timeout: Duration? = nil,
        clock: any Clock<Duration> = ContinuousClock(),
        isolation: isolated (any Actor)? = #isolation
    ) async throws(WaitError) -> Value {
        try await take(matching: casePath.extraction, timeout: timeout, clock: clock)
    }

    /// Waits for the next action out of which something can be taken, and returns that; otherwise like
    /// ``take(where:timeout:clock:isolation:)``.
    ///
    /// - Parameters:
    ///   - extract: Takes something out of an action, or returns nil for one that does not match.
    ///   - timeout: How long to wait; nil for as long as it takes.
    ///   - clock: Measures the time; a test gives one of its own.
    ///   - isolation: The caller's actor, on which this runs; leave the default.
    @discardableResult
    public func take<Value: Sendable>(
        matching extract: @escaping @Sendable (_ action: Action) -> Value?,
        timeout: Duration? = nil,
        clock: any Clock<Duration> = ContinuousClock(),
        isolation: isolated (any Actor)? = #isolation
    ) async throws(WaitError) -> Value {
        let (promise, observation) = expectation(of: extract)
        defer { observation.cancel() }
        return try await promise.outcome(within: timeout, clock, root.configuration.executor)
    }

    /// Begins to look out for an action.
    nonisolated func expectation<Value: Sendable>(
        of extract: @escaping @Sendable (Action) -> Value?
    ) -> (Promise<WaitResult<Value>>, StoreObservation) {
        let promise = Promise<WaitResult<Value>>()
        let deferred = root.deferred
        let observation = scopeNode.observeActions(false, nil) { action, _ in
            guard let action, !promise.isSettled, let value = extract(action) else { return }
            promise.settle(.success(value), deferringTo: deferred)
        } _: {
            promise.settle(.failure(.storeEnded), deferringTo: deferred)
        }
        // The end of the store is told by the observation.
        if root.loading != nil { endIfInVain(promise) }
        return (promise, observation)
    }
}
