extension Effect {
    /// The same effect, with another attempt at each piece of work that fails, as a policy says.
    ///
    /// ```swift
    /// return .task { .loaded(try await users.load(id)) } catch: { _ in .loadingFailed }
    ///     .retry(RetryPolicy(maxAttempts: 3, backoff: .exponential(base: .seconds(1)), jitter: .full))
    /// ```
    ///
    /// The attempts are one piece of work, with one identity: it is cancelled as a whole, also while it waits, and then
    /// it ends at once. Cancellation is never retried, nor is work that has shut its own store down, which takes
    /// nothing of it any more. The error of the last attempt goes where errors of this work go; those of the others go
    /// nowhere, but ``RetryAttempt/current`` has the one before. What a failed attempt has sent stays sent.
    ///
    /// - Parameters:
    ///   - policy: How often, and after which waits.
    ///   - clock: Measures the waits; a test gives one of its own.
    ///   - random: Where the jitter comes from; with a seed it is the same each time that the effect runs.
    ///   - isRetried: Whether there is another attempt after this error; all errors by default.
    /// - Complexity: O(*n*), where *n* is the number of effects of which this one is composed.
    public func retry(
        _ policy: RetryPolicy,
        clock: any Clock<Duration> = ContinuousClock(),
        random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
        if isRetried: @escaping @Sendable (_ error: any Error) -> Bool = { _ in true }
    ) -> Effect {
        mapWork { work in
            let body = work.body
            work.body = { send in
                try await ActorStore.retry(policy, clock: clock, random: random) { error in
                    !CurrentEffect.isCancelled && isRetried(error)
                } operation: { _ in
                    try CurrentEffect.checkCancellation()
                    try await body(send)
                }
            }
        }
    }
}
