/// What the weather is like at an airport.
struct WeatherReport: Equatable, Sendable {
    /// What comes from above.
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
