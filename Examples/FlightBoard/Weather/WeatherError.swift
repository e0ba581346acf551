import ActorStore

/// Why there is no report: what the state knows of an error.
enum WeatherError: Error, Hashable, Sendable {
    /// The service said that it cannot tell.
    case unavailable
    /// It said nothing in time.
    case noAnswer

    init(_ error: any Error) {
        self = error is TimedOut ? .noAnswer : .unavailable
    }
}
