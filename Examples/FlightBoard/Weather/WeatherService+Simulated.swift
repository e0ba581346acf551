import ActorStore
import ActorStoreComposition

extension WeatherService {
    /// How well a simulated service does its work.
    enum Reliability: Sendable {
        /// It answers within minutes.
        case reliable
        /// Of ten attempts about six are answered; the others fail, or are never answered.
        case flaky
        /// It never answers.
        case down
    }

    /// Simulates a remote service, without a network: the weather is made up, and so are the minutes that an answer
    /// takes, and the failures.
    ///
    /// All of that depends on nothing but the airport, the time that it is asked about, and the number of the attempt,
    /// so that every run of the program sees the same. It waits on the clock of whoever asks.
    static func simulated(_ reliability: Reliability) -> WeatherService {
        let simulation = WeatherSimulation(reliability: reliability)
        return WeatherService { try await simulation.report(of: $0, at: $1) }
    }
}

/// A service that is made up.
private struct WeatherSimulation: Sendable {
    let reliability: WeatherService.Reliability
    @Dependency(\.clock) var clock

    /// What comes of an attempt.
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
