import ActorStore

/// When a late airport asks for its weather, and how long it tries.
struct WeatherRules: Sendable {
    /// Whoever is late asks at once, and again with the first departure after this.
    var interval = Duration.minutes(180)

    /// How long an attempt may take.
    var patience = Duration.minutes(10)

    /// How often it tries, and after which waits.
    var retries = RetryPolicy(maxAttempts: 4, backoff: .exponential(base: .minutes(5)))
}
