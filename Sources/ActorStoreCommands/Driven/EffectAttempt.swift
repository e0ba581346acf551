import ActorStore

/// One attempt at the work that an ``EffectState`` asks for: what a running effect is known by.
///
/// As long as it stays the same the effect runs on; another one is another effect, before which this one is cancelled.
public struct EffectAttempt: Hashable, Codable, Sendable {
    /// The identity of the state; see ``EffectState/id``.
    public let id: UInt64
    /// How often the state had been run before, counting this one.
    public let run: UInt64
    /// The number of the attempt within its run; that of the first is 0.
    public let number: Int
    /// How many attempts there are, the first included.
    public let maxAttempts: Int
    /// How long the effect waits before it begins.
    public let delay: Duration
    /// How long it waits before further attempts.
    public let backoff: EffectBackoff

    /// The one after this one, if any are left.
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
