import ActorStore

extension Misuse {
    static let ofEffects: [Misuse] = [
        Misuse("A timer has no interval", "Effect.timer(every: 0.0 seconds) has no interval") {
            _ = Effect<Int>.timer(every: .zero, send: 1)
        },
        Misuse("A policy of the newest effects lets none run", "EffectPolicy.newest(0) lets no effect run") {
            _ = EffectPolicy.newest(0)
        },
        Misuse("A policy of the oldest effects lets none run", "EffectPolicy.oldest(0, …) lets no effect run") {
            _ = EffectPolicy.oldest(0, overflow: .suspend)
        },
        Misuse("A retry policy allows no attempt", "RetryPolicy(maxAttempts: 0) allows no attempt") {
            _ = RetryPolicy(maxAttempts: 0)
        },
        Misuse("A wait follows no attempt", "RetryPolicy.wait(afterAttempt: 0) has no attempt") {
            var generator = SystemRandomNumberGenerator()
            _ = RetryPolicy(maxAttempts: 3).wait(afterAttempt: 0, using: &generator)
        },
        Misuse("A constant back-off is negative", "RetryBackoff.constant(-1.0 seconds) is negative") {
            _ = RetryBackoff.constant(.seconds(-1))
        },
        Misuse("The base of a back-off is negative", "RetryBackoff.exponential(base: -1.0 seconds) is negative") {
            _ = RetryBackoff.exponential(base: .seconds(-1))
        },
        Misuse("A back-off shrinks", "RetryBackoff.exponential(multiplier: 0.5) shrinks") {
            _ = RetryBackoff.exponential(base: .seconds(1), multiplier: 0.5)
        },
        Misuse("The cap of a back-off is negative", "RetryBackoff.exponential(cap: -1.0 seconds) is negative") {
            _ = RetryBackoff.exponential(base: .seconds(1), cap: .seconds(-1))
        },
        Misuse("The jitter is more than the wait", "RetryJitter.proportional(1.5) is out of range") {
            _ = RetryJitter.proportional(1.5)
        },
    ]
}
