/// The weather at an airport.
struct WeatherReport: Equatable, Sendable {
    /// The precipitation.
    enum Sky: String, CaseIterable, Sendable {
        case clear, clouds, rain, snow, fog, thunderstorm
    }

    let sky: Sky
    let windInKnots: Int
}

extension WeatherReport: CustomStringConvertible {
    /// Such as `snow, wind 24 kn`.
    var description: String { "\(sky.rawValue), wind \(windInKnots) kn" }
}
