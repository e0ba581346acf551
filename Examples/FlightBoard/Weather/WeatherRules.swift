import ActorStore

/// The rules of a late airport's weather requests.
struct WeatherRules: Sendable {
    /// A late airport requests at once, and again with the first departure after this interval.
    var interval = Duration.minutes(180)

    /// The timeout of an attempt.
    var patience = Duration.minutes(10)

    /// The number of attempts, and the waits between them.
    var retries = RetryPolicy(maxAttempts: 4, backoff: .exponential(base: .minutes(5)))
}
