/// How often failed work is tried again, and after which waits.
///
/// ```swift
/// let policy = RetryPolicy(
///     maxAttempts: 5,
///     backoff: .exponential(base: .milliseconds(200), cap: .seconds(10)),
///     jitter: .full
/// )
/// return .task { .loaded(try await users.load(id)) }.retry(policy) { error in error is ConnectionError }
/// ```
public struct RetryPolicy: Sendable, Hashable {
    /// How many attempts there are at most, the first included.
    public let maxAttempts: Int
    /// How the waits between them grow.
    public let backoff: RetryBackoff
    /// How the waits are spread.
    public let jitter: RetryJitter

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - maxAttempts: How many attempts there are at most, the first included; at least 1. Less is a programmer error, and
    ///     traps. `.max` for attempts without end.
    ///   - backoff: How the waits between them grow.
    ///   - jitter: How the waits are spread.
    public init(maxAttempts: Int, backoff: RetryBackoff = .none, jitter: RetryJitter = .none) {
        guard maxAttempts >= 1 else {
            fatalError("RetryPolicy(maxAttempts: \(maxAttempts)) allows no attempt. Give a number of at least 1.")
        }
        self.maxAttempts = maxAttempts
        self.backoff = backoff
        self.jitter = jitter
    }

    /// How long to wait after a failed attempt.
    ///
    /// - Parameters:
    ///   - attempt: The number of the attempt; that of the first is 1. Less is a programmer error, and traps.
    ///   - generator: Where the jitter comes from.
    /// - Returns: the wait; nil if that was the last attempt.
    /// - Complexity: O(log *attempt*)
    public func wait(afterAttempt attempt: Int, using generator: inout some RandomNumberGenerator) -> Duration? {
        guard attempt >= 1 else {
            fatalError("RetryPolicy.wait(afterAttempt: \(attempt)) has no attempt. Count attempts from 1.")
        }
        guard attempt < maxAttempts else { return nil }
        return min(jitter.spread(backoff.wait(afterAttempt: attempt), using: &generator), backoff.cap)
    }
}
