extension Store {
    /// Waits for an action that `start` brings about: looks out for it first, and runs `start` then, so that the answer
    /// cannot come between the two; otherwise like ``take(where:timeout:clock:isolation:)``.
    ///
    /// ```swift
    /// let answer = try await store.take(where: \.isAnswer, timeout: .seconds(5)) {
    ///     try await store.dispatch(.ask)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - isMatching: Which action; also one that is reduced while `start` runs.
    ///   - timeout: How long to wait when `start` has returned; nil for as long as it takes.
    ///   - clock: Measures the time; a test gives one of its own.
    ///   - start: What is to bring the action about. Runs once, to its end, on the executor of the caller.
    ///   - isolation: The caller's actor, on which this runs; leave the default.
    /// - Returns: the first matching action.
    /// - Throws: what `start` throws; then nobody waits any more. Otherwise a ``WaitError``.
    @discardableResult
    public func take(
        where isMatching: @escaping @Sendable (_ action: Action) -> Bool,
        timeout: Duration? = nil,
        clock: any Clock<Duration> = ContinuousClock(),
        isolation: isolated (any Actor)? = #isolation,
        after start: nonisolated(nonsending) () async throws -> Void
    ) async throws -> Action {
        try await take(matching: { isMatching($0) ? $0 : nil }, timeout: timeout, clock: clock, after: start)
    }

    /// Waits for an action of a case that `start` brings about, and returns its value; otherwise like
    /// ``take(where:timeout:clock:isolation:after:)``.
    ///
    /// ```swift
    /// let user = try await store.take(.signedIn) { try await store.dispatch(.signIn(name)) }
    /// ```
    ///
    /// - Parameters:
    ///   - casePath: The case. One that finds its values by reflection takes some microseconds for each action.
    ///   - timeout: How long to wait when `start` has returned; nil for as long as it takes.
    ///   - clock: Measures the time; a test gives one of its own.
    ///   - start: What is to bring the action about.
    ///   - isolation: The caller's actor, on which this runs; leave the default.
    @discardableResult
    public func take<Value: Sendable>(
        _ casePath: CasePath<Action, Value>,
        timeout: Duration? = nil,
        clock: any Clock<Duration> = ContinuousClock(),
        isolation: isolated (any Actor)? = #isolation,
        after start: nonisolated(nonsending) () async throws -> Void
    ) async throws -> Value {
        try await take(matching: casePath.extraction, timeout: timeout, clock: clock, after: start)
    }

    /// Waits for an action that `start` brings about and out of which something can be taken, and returns that;
    /// otherwise like ``take(where:timeout:clock:isolation:after:)``.
    ///
    /// An answer that can be of several kinds is taken like this:
    ///
    /// ```swift
    /// let outcome = try await store.take(matching: { action -> Result<User, SignInError>? in
    ///     switch action {
    ///     case .signedIn(let user): .success(user)
    ///     case .signInFailed(let error): .failure(error)
    ///     default: nil
    ///     }
    /// }) { try await store.dispatch(.signIn(name)) }
    /// ```
    ///
    /// - Parameters:
    ///   - extract: Takes something out of an action, or returns nil for one that does not match.
    ///   - timeout: How long to wait when `start` has returned; nil for as long as it takes.
    ///   - clock: Measures the time; a test gives one of its own.
    ///   - start: What is to bring the action about.
    ///   - isolation: The caller's actor, on which this runs; leave the default.
    @discardableResult
    public func take<Value: Sendable>(
        matching extract: @escaping @Sendable (_ action: Action) -> Value?,
        timeout: Duration? = nil,
        clock: any Clock<Duration> = ContinuousClock(),
        isolation: isolated (any Actor)? = #isolation,
        after start: nonisolated(nonsending) () async throws -> Void
    ) async throws -> Value {
        let (promise, observation) = expectation(of: extract)
        defer { observation.cancel() }
        try await start()
        return try await promise.outcome(within: timeout, clock, root.configuration.executor)
    }
}
