/// The weather of an airport while it is late.
struct AirportWeather: Equatable, Sendable {
    /// The progress of its request.
    enum Request: Equatable, Sendable {
        case none
        case asking
        case failed(WeatherError)
    }

    var report: WeatherReport?
    var request = Request.none
}

extension AirportWeather: CustomStringConvertible {
    /// A few words for the board; nil without a report.
    var description: String {
        switch (request, report) {
        case (.failed(.noAnswer), _): "weather service does not answer"
        case (.failed(.unavailable), _): "weather not available"
        case (_, let report?): report.description
        case (.asking, nil): "asking for the weather"
        case (.none, nil): ""
        }
    }
}
