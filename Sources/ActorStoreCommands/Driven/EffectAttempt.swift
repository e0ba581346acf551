import ActorStore

/// One attempt at the work that an ``EffectState`` requests. It identifies a running effect.
///
/// While the attempt stays the same, the effect runs on. Another attempt is another effect: this one is cancelled
/// first.
public struct EffectAttempt: Hashable, Codable, Sendable {
    /// The identity of the state; see ``EffectState/id``.
    public let id: UInt64
    /// The number of runs of the state up to and including this one.
    public let run: UInt64
    /// The number of the attempt within its run, counted from 0.
    public let number: Int
    /// The maximum number of attempts, including the first.
    public let maxAttempts: Int
    /// The delay before the effect begins.
    public let delay: Duration
    /// The delays before further attempts.
    public let backoff: EffectBackoff

    /// The next attempt, or nil if none is left.
    var next: EffectAttempt? {
        guard maxAttempts > 0, number < maxAttempts - 1 else { return nil }
        return EffectAttempt(
            id: id,
            run: run,
            number: number + 1,
            maxAttempts: maxAttempts,
            delay: backoff.delay(beforeAttempt: number + 1),
            backoff: backoff
        )
    }
}
