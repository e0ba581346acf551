import ActorStore
import ActorStoreComposition

/// Whom airports ask for their weather. Each call is one attempt, which can take long, fail, or never end by itself.
struct WeatherService: Sendable {
    var report: @Sendable (_ airport: AirportCode, _ time: BoardTime) async throws -> WeatherReport
}

extension WeatherService {
    /// Answers at once, and always the same.
    static func fixed(_ report: WeatherReport) -> WeatherService {
        WeatherService { _, _ in report }
    }
}

/// Under which the weather service is found. Its live value is a simulation, because the program needs no network.
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
