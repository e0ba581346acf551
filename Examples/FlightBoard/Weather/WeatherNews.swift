/// How a request for the weather goes on: what its effect tells the airport.
enum WeatherNews: Equatable, Sendable {
    case asked(attempt: Int)
    case reported(WeatherReport)
    /// That was the last attempt.
    case failed(WeatherError)
}
