extension Store {
    /// Waits for the next action that matches a pattern, and returns the value that the pattern extracts from it.
    ///
    /// ```swift
    /// let order = try await store.take(.where(\.isOrder), timeout: .seconds(5))
    /// let user = try await store.take(.case(.signedIn))      // extension CasePath { static let signedIn = … }
    /// ```
    ///
    /// The wait starts with this call, and ends with the first matching action that is reduced after everything that
    /// the store had accepted before. An action that this task dispatches *before* the call is missed; one that is
    /// dispatched in a child task, or after an `async let` of this call, may be missed. To wait for the response to an
    /// action, use ``take(_:timeout:clock:isolation:after:)``, which starts the wait first. To receive each of several
    /// actions, use ``actions``, which buffers them.
    ///
    /// The actions are those of ``actions``: with interceptors, the actions that the reducer receives; for a scope, the
    /// actions of its part. During the wait, each action costs as much as with an observer of actions, which is a copy
    /// of the state.
    ///
    /// - Parameters:
    ///   - pattern: The pattern to match. It is not evaluated after an action has matched.
    ///   - timeout: The time to wait; nil for no limit.
    ///   - clock: The clock that measures the timeout; a test can pass its own.
    ///   - isolation: The actor on which this runs; by default the caller's.
    /// - Returns: The extracted value. The action has then been reduced, and every reader can see its result.
    /// - Throws: ``WaitError/timedOut`` after the timeout and ``WaitError/cancelled`` when the task is cancelled, both
    ///   immediately; ``WaitError/storeEnded`` when the store has been shut down or the child has ended;
    ///   ``WaitError/notReady`` if the store's first state could not be loaded: immediately if loading has already
    ///   failed, otherwise when it fails.
    @discardableResult
    public func take<Value: Sendable>(
        _ pattern: ActionPattern<Action, Value>,
        timeout: Duration? = nil,
        clock: any Clock<Duration> = ContinuousClock(),
        isolation: isolated (any Actor)? = #isolation
    ) async throws(WaitError) -> Value {
        let (promise, observation) = expectation(of: pattern)
        defer { observation.cancel() }
        return try await promise.outcome(within: timeout, clock, root.configuration.executor)
    }

    /// Runs `start`, waits for the next action that matches a pattern, and returns the value that the pattern extracts
    /// from it. The wait starts before `start` runs, so an action that `start` causes cannot be missed.
    ///
    /// ```swift
    /// let user = try await store.take(.case(.signedIn), timeout: .seconds(5)) {
    ///     try await store.dispatch(.signIn(name))
    /// }
    /// ```
    ///
    /// The actions are those of ``actions``: with interceptors, the actions that the reducer receives; for a scope, the
    /// actions of its part. During the wait, each action costs as much as with an observer of actions, which is a copy
    /// of the state.
    ///
    /// - Parameters:
    ///   - pattern: The pattern to match. It also matches actions that are reduced while `start` runs.
    ///   - timeout: The time to wait after `start` has returned; nil for no limit.
    ///   - clock: The clock that measures the timeout; a test can pass its own.
    ///   - isolation: The actor on which this runs; by default the caller's.
    ///   - start: A closure that causes the action. It runs once, to its end, on the caller's executor.
    /// - Returns: The value that is extracted from the first matching action.
    /// - Throws: The error of `start`, which ends the wait. Otherwise ``WaitError/timedOut`` after the timeout;
    ///   ``WaitError/cancelled`` when the task is cancelled; ``WaitError/storeEnded`` when the store has been shut down
    ///   or the child has ended; ``WaitError/notReady`` if the store's first state could not be loaded.
    @discardableResult
    public func take<Value: Sendable>(
        _ pattern: ActionPattern<Action, Value>,
        timeout: Duration? = nil,
        clock: any Clock<Duration> = ContinuousClock(),
        isolation: isolated (any Actor)? = #isolation,
        after start: nonisolated(nonsending) () async throws -> Void
    ) async throws -> Value {
        let (promise, observation) = expectation(of: pattern)
        defer { observation.cancel() }
        try await start()
        return try await promise.outcome(within: timeout, clock, root.configuration.executor)
    }

    /// Starts an observation that settles the promise with the first matching action.
    private nonisolated func expectation<Value: Sendable>(
        of pattern: ActionPattern<Action, Value>
    ) -> (Promise<WaitResult<Value>>, StoreObservation) {
        let promise = Promise<WaitResult<Value>>()
        let deferred = root.deferred
        let observation = scopeNode.observeActions(false, nil) { action, _ in
            guard let action, !promise.isSettled, let value = pattern.extract(action) else { return }
            promise.settle(.success(value), deferringTo: deferred)
        } _: {
            promise.settle(.failure(.storeEnded), deferringTo: deferred)
        }
        // The observation reports the end of the store.
        if root.loading != nil { endIfInVain(promise) }
        return (promise, observation)
    }
}

/// A description of the actions to wait for, and of the values to extract from them.
///
/// ```swift
/// try await store.take(.where(\.isOrder))
/// try await store.take(.case(.signedIn))
/// ```
public struct ActionPattern<Action: Sendable, Value: Sendable>: Sendable {
    package let extract: @Sendable (Action) -> Value?

    /// Returns a pattern that extracts a value from an action.
    ///
    /// Use it for a response that can be one of several cases:
    ///
    /// ```swift
    /// let answer = ActionPattern<Action, Result<User, SignInError>>.matching { action in
    ///     switch action {
    ///     case .signedIn(let user): .success(user)
    ///     case .signInFailed(let error): .failure(error)
    ///     default: nil
    ///     }
    /// }
    /// let outcome = try await store.take(answer) { try await store.dispatch(.signIn(name)) }
    /// ```
    ///
    /// - Parameter extract: A closure that extracts a value from an action, or returns nil for an action that does not
    ///   match. It runs within the store's turn and must not block.
    /// - Returns: A pattern.
    public static func matching(_ extract: @escaping @Sendable (_ action: Action) -> Value?) -> ActionPattern {
        ActionPattern(extract: extract)
    }

    /// Returns a pattern that matches a case, and extracts its value.
    ///
    /// - Parameter casePath: The case. A case path that finds its values by reflection takes some microseconds for each
    ///   action.
    /// - Returns: A pattern.
    public static func `case`(_ casePath: CasePath<Action, Value>) -> ActionPattern {
        ActionPattern(extract: casePath.extraction)
    }

    /// Returns a pattern that matches actions that satisfy a condition, and extracts the whole action.
    ///
    /// - Parameter isMatching: The condition. It runs within the store's turn and must not block.
    /// - Returns: A pattern.
    public static func `where`(
        _ isMatching: @escaping @Sendable (_ action: Action) -> Bool
    ) -> ActionPattern where Value == Action {
        ActionPattern { isMatching($0) ? $0 : nil }
    }
}
