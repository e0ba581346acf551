/// What came of an airport's requests for its weather.
struct WeatherTally: Codable, Equatable, Sendable {
    var requests = 0

    /// Attempts after the first one of a request.
    var retries = 0
    var answered = 0

    /// Requests that were given up after the last attempt.
    var failed = 0

    /// Requests that were cancelled, because the airport was late no more.
    var withdrawn = 0

    /// Requests of which nothing has come yet.
    var unfinished: Int { requests - answered - failed - withdrawn }

    /// Adds what another airport has counted.
    static func += (sum: inout WeatherTally, part: WeatherTally) {
        sum.requests += part.requests
        sum.retries += part.retries
        sum.answered += part.answered
        sum.failed += part.failed
        sum.withdrawn += part.withdrawn
    }
}
