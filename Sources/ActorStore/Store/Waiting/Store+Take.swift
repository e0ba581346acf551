extension Store {
    /// Waits for the next action that matches, and returns what the pattern takes out of it.
    ///
    /// ```swift
    /// let order = try await store.take(.where(\.isOrder), timeout: .seconds(5))
    /// let user = try await store.take(.case(.signedIn))      // extension CasePath { static let signedIn = … }
    /// ```
    ///
    /// The wait begins with this call: it is over with the first matching action that is reduced after everything that
    /// the store had accepted before. So an action that this task dispatches *before* the call is missed; what is
    /// dispatched in a child task, or after an `async let` of this, may be. To wait for the answer to something, use
    /// ``take(_:timeout:clock:isolation:after:)``, which waits first and asks then. To see every one of several
    /// actions, use ``actions``, which keeps what comes between two looks.
    ///
    /// Actions are those of ``actions``: with interceptors, those that the reducer got; of a scope, those of its part.
    /// While somebody waits, each action costs as much as with an observer of actions, which is to copy the state.
    ///
    /// - Parameters:
    ///   - pattern: Which action. It is not asked any more when an action has matched.
    ///   - timeout: How long to wait; nil for as long as it takes.
    ///   - clock: Measures the time; a test gives one of its own.
    ///   - isolation: The caller's actor, on which this runs; leave the default.
    /// - Returns: what was taken, when the action has been reduced and is visible to every reader.
    /// - Throws: ``WaitError/timedOut`` when the time is over, ``WaitError/cancelled`` when the task was cancelled,
    ///   both at once; ``WaitError/storeEnded`` when the store has been shut down, and for a child that has ended; and
    ///   ``WaitError/notReady`` when the store's first state could not be loaded: at once if that has failed before,
    ///   and otherwise when it fails.
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

    /// Waits for an action that `start` brings about: looks out for it first, and runs `start` then, so that the answer
    /// cannot come between the two; otherwise like ``take(_:timeout:clock:isolation:)``.
    ///
    /// ```swift
    /// let user = try await store.take(.case(.signedIn), timeout: .seconds(5)) {
    ///     try await store.dispatch(.signIn(name))
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - pattern: Which action; also one that is reduced while `start` runs.
    ///   - timeout: How long to wait when `start` has returned; nil for as long as it takes.
    ///   - clock: Measures the time; a test gives one of its own.
    ///   - start: What is to bring the action about. Runs once, to its end, on the executor of the caller.
    ///   - isolation: The caller's actor, on which this runs; leave the default.
    /// - Returns: what was taken out of the first matching action.
    /// - Throws: what `start` throws; then nobody waits any more. Otherwise a ``WaitError``.
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

    /// Begins to look out for an action.
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
        // The end of the store is told by the observation.
        if root.loading != nil { endIfInVain(promise) }
        return (promise, observation)
    }
}

/// Which actions somebody waits for, and what is taken out of them.
///
/// ```swift
/// try await store.take(.where(\.isOrder))
/// try await store.take(.case(.signedIn))
/// ```
public struct ActionPattern<Action: Sendable, Value: Sendable>: Sendable {
    package let extract: @Sendable (Action) -> Value?

    /// Returns a pattern that takes something out of an action.
    ///
    /// An answer that can be of several kinds is taken like this:
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
    /// - Parameter extract: Takes something out of an action, or returns nil for one that does not match. Called in the
    ///   store's turn, so that it must not block.
    public static func matching(_ extract: @escaping @Sendable (_ action: Action) -> Value?) -> ActionPattern {
        ActionPattern(extract: extract)
    }

    /// Returns a pattern that matches a case, and takes out its value.
    ///
    /// - Parameter casePath: The case. One that finds its values by reflection takes some microseconds for each action.
    public static func `case`(_ casePath: CasePath<Action, Value>) -> ActionPattern {
        ActionPattern(extract: casePath.extraction)
    }

    /// Returns a pattern that matches actions which satisfy a condition, and takes them as they are.
    ///
    /// - Parameter isMatching: The condition. Called in the store's turn, so that it must not block.
    public static func `where`(
        _ isMatching: @escaping @Sendable (_ action: Action) -> Bool
    ) -> ActionPattern where Value == Action {
        ActionPattern { isMatching($0) ? $0 : nil }
    }
}
