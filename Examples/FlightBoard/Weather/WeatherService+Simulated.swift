import ActorStore
import ActorStoreComposition

extension WeatherService {
    /// The quality of a simulated service.
    enum Reliability: Sendable {
        /// It answers within minutes.
        case reliable
        /// About six of ten attempts are answered; the others fail, or are never answered.
        case flaky
        /// It never answers.
        case down
    }

    /// Simulates a remote service, without a network: the weather, the response times in minutes, and the failures are
    /// generated.
    ///
    /// All of that depends only on the airport, the time of the request, and the number of the attempt, so that every
    /// run of the program is the same. It waits on the clock of the caller.
    static func simulated(_ reliability: Reliability) -> WeatherService {
        let simulation = WeatherSimulation(reliability: reliability)
        return WeatherService { try await simulation.report(of: $0, at: $1) }
    }
}

/// A simulated service.
private struct WeatherSimulation: Sendable {
    let reliability: WeatherService.Reliability
    @Dependency(\.clock) var clock

    /// The outcome of an attempt.
    private enum Answer {
        case report, failure, silence
    }

    func report(of airport: AirportCode, at time: BoardTime) async throws -> WeatherReport {
        let hour = time.minutes / 60
        var luck = SeededGenerator(airport.text, hour, time.minutes, RetryAttempt.current?.number ?? 1)
        let answer = answer(using: &luck)
        try await clock.sleep(for: .minutes(answer == .silence ? 24 * 60 : Int.random(in: 1...8, using: &luck)))
        guard answer == .report else { throw WeatherError.unavailable }
        var sky = SeededGenerator(airport.text, hour)
        return WeatherReport(
            sky: WeatherReport.Sky.allCases.randomElement(using: &sky) ?? .clear,
            windInKnots: Int.random(in: 2...35, using: &sky)
        )
    }

    private func answer(using luck: inout SeededGenerator) -> Answer {
        switch reliability {
        case .reliable: .report
        case .down: .silence
        case .flaky:
            switch Int.random(in: 0..<10, using: &luck) {
            case 0..<6: .report
            case 6..<8: .failure
            default: .silence
            }
        }
    }
}
