/// The progress of a weather request: the actions of its effect.
enum WeatherNews: Equatable, Sendable {
    case asked(attempt: Int)
    case reported(WeatherReport)
    /// The last attempt has failed.
    case failed(WeatherError)
}
