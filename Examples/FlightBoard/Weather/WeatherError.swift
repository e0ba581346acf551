import ActorStore

/// The reason for a missing report: the part of an error that the state keeps.
enum WeatherError: Error, Hashable, Sendable {
    /// The service reported that it does not know.
    case unavailable
    /// It did not answer in time.
    case noAnswer

    init(_ error: any Error) {
        self = error is TimedOut ? .noAnswer : .unavailable
    }
}
