/// The results of an airport's weather requests.
struct WeatherTally: Codable, Equatable, Sendable {
    var requests = 0

    /// Attempts after the first one of a request.
    var retries = 0
    var answered = 0

    /// Requests that failed after the last attempt.
    var failed = 0

    /// Requests that were cancelled, because the airport was no longer late.
    var withdrawn = 0

    /// Requests without a result yet.
    var unfinished: Int { requests - answered - failed - withdrawn }

    /// Adds the counts of another airport.
    static func += (sum: inout WeatherTally, part: WeatherTally) {
        sum.requests += part.requests
        sum.retries += part.retries
        sum.answered += part.answered
        sum.failed += part.failed
        sum.withdrawn += part.withdrawn
    }
}
