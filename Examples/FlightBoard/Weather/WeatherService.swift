import ActorStore
import ActorStoreComposition

/// The weather service of airports. Each call is one attempt, which can take long, fail, or never end by itself.
struct WeatherService: Sendable {
    var report: @Sendable (_ airport: AirportCode, _ time: BoardTime) async throws -> WeatherReport
}

extension WeatherService {
    /// Answers at once with a constant report.
    static func fixed(_ report: WeatherReport) -> WeatherService {
        WeatherService { _, _ in report }
    }
}

/// The key of the weather service. Its live value is a simulation, because the program needs no network.
enum WeatherServiceKey: DependencyKey {
    static let liveValue = WeatherService.simulated(.flaky)
    static let testValue = WeatherService.fixed(WeatherReport(sky: .clear, windInKnots: 0))
}

extension DependencyValues {
    var weather: WeatherService {
        get { self[WeatherServiceKey.self] }
        set { self[WeatherServiceKey.self] = newValue }
    }
}
