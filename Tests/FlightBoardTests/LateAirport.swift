import ActorStore
import ActorStoreComposition

@testable import FlightBoard

/// An airport that is late after each late departure, and a clock that the test advances.
struct LateAirport {
    private let tree: BoardTree
    private let leg = Leg(origin: "EWR", carrier: "UA")
    private let start = FlightSample.scheduled
    let clock: BoardClock

    /// - Parameters:
    ///   - weather: The rules of its weather requests; nil for none.
    ///   - alerts: The output of its announcements.
    ///   - report: The behaviour of the weather service in each attempt.
    init(
        weather: WeatherRules? = WeatherRules(),
        alerts: AlertSink = .silent,
        report: @escaping @Sendable (_ clock: BoardClock, _ attempt: Int) async throws -> WeatherReport
    ) {
        let executor = EffectExecutor()
        let clock = BoardClock(executor: executor)
        self.clock = clock
        let rules = AirportRules(alerts: AlertThresholds(window: 1, raise: 45, clear: 20), weather: weather)
        tree = withDependencies {
            $0.weather = WeatherService { _, _ in try await report(clock, RetryAttempt.current?.number ?? 0) }
        } operation: { [leg] in
            BoardTree(legs: [leg], rules: rules, alerts: alerts, executor: executor, clocks: [leg.origin: clock])
        }
    }

    /// Advances the clock to a minute after the start.
    func advance(to minute: Int) async { await clock.advance(to: start.advanced(by: minute)) }

    /// Makes a flight depart at a minute after the start.
    func depart(late delay: Int, at minute: Int) async throws {
        await advance(to: minute)
        let time = start.advanced(by: minute)
        let news = FlightNews(flight: FlightID(row: minute), phase: .departed(delay: delay), time: time)
        try await tree.carriers[leg]?.dispatch(news)
    }

    var board: BoardFigures { tree.state.whole }
    var weather: AirportWeather { tree.state.airports[leg.origin]?.figures.weather ?? AirportWeather() }
    var tally: WeatherTally { tree.state.airports[leg.origin]?.weatherTally ?? WeatherTally() }

    func shutDown() async { await tree.board.shutdown(drain: .cancelEffects) }
}
