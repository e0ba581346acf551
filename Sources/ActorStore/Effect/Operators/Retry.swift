/// Runs an operation, and again when it fails, as a policy says.
///
/// ```swift
/// let user = try await retry(policy) { attempt in
///     log.debug("attempt \(attempt.number)")
///     return try await users.load(id)
/// }
/// ```
///
/// Cancellation is never retried: neither a `CancellationError`, nor any error when the task has been cancelled. A wait
/// between attempts ends at once when the task is cancelled.
///
/// - Parameters:
///   - policy: How often, and after which waits.
///   - clock: Measures the waits; a test gives one of its own.
///   - random: Where the jitter comes from; with a seed it is the same each time.
///   - isRetried: Whether there is another attempt after this error; all errors by default.
///   - operation: What to run, on the caller's actor. It is told which attempt it is.
/// - Returns: what the operation returns in the end.
/// - Throws: the error of the last attempt; a `CancellationError` if the task was cancelled during a wait.
public nonisolated(nonsending) func retry<Value>(
    _ policy: RetryPolicy,
    clock: any Clock<Duration> = ContinuousClock(),
    random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
    if isRetried: (_ error: any Error) -> Bool = { _ in true },
    operation: nonisolated(nonsending) (_ attempt: RetryAttempt) async throws -> Value
) async throws -> Value {
    var random = random
    var attempt = RetryAttempt(number: 1, maxAttempts: policy.maxAttempts, previousError: nil)
    while true {
        do {
            return try await RetryAttempt.$inForce.withIsolatedValue(attempt) { try await operation(attempt) }
        } catch {
            guard !Task.isCancelled, !(error is CancellationError), isRetried(error),
                let wait = policy.wait(afterAttempt: attempt.number, using: &random)
            else { throw error }
            // Without a wait, others get their turn all the same.
            if wait > .zero { try await clock.sleep(for: wait) } else { await Task.yield() }
            try Task.checkCancellation()
            attempt = RetryAttempt(number: attempt.number + 1, maxAttempts: policy.maxAttempts, previousError: error)
        }
    }
}
