import ActorStore
import Testing

@testable import FlightBoard

@Suite("Alerts", .timeLimit(.minutes(10)))
struct AlertTests {
    private let thresholds = AlertThresholds(window: 2, raise: 30, clear: 10)
    private let leg = Leg(origin: "EWR", carrier: "UA")
    private let time = FlightSample.scheduled

    @Test("A full window at the threshold raises one alert, and the lower threshold clears it")
    func crossings() {
        var airport = Airport.State(thresholds: thresholds)
        var alerts: [Alert] = []
        for (minute, delay) in [100, -40, 30, 90, 29, 0, 19, 2, 0, 60, 0].enumerated() {
            let alert = airport.recordDeparture(from: "EWR", delay: delay, at: BoardTime(minutes: minute))
            if let alert { alerts.append(alert) }
        }
        func alert(_ kind: Alert.Kind, _ number: Int, _ mean: Double, _ minute: Int) -> Alert {
            Alert(
                kind: kind,
                airport: "EWR",
                number: number,
                rollingDelay: mean,
                time: BoardTime(minutes: minute)
            )
        }
        // The means: 30 raises; -5 clears; 60 raises; 59.5 and 14.5 do not matter; 9.5 clears; 30 raises; 30 again.
        #expect(
            alerts == [
                alert(.raised, 1, 30, 1), alert(.cleared, 2, -5, 2), alert(.raised, 3, 60, 3),
                alert(.cleared, 4, 9.5, 6), alert(.raised, 5, 30, 9),
            ]
        )
    }

    @Test("An announcement that is older than the one shown changes the board's count alone")
    func announcementsOutOfOrder() async throws {
        let tree = BoardTree(legs: [leg])
        let airport = try #require(tree.airports["EWR"])
        try await airport.dispatch(.announced(.cleared, number: 2))
        try await airport.dispatch(.announced(.raised, number: 1))
        #expect(!airport.snapshot.local.figures.hasAlert)
        #expect(airport.snapshot.parent.whole.alertsRaised == 1 && airport.snapshot.parent.whole.alertsCleared == 1)
    }

    @Test("An airport announces an alert once, and shows it, and the board counts it")
    func effects() async throws {
        let (announced, continuation) = AsyncStream.makeStream(of: Alert.self)
        let tree = BoardTree(
            legs: [leg],
            thresholds: thresholds,
            alerts: AlertSink { continuation.yield($0) }
        )
        let carrier = try #require(tree.carriers[leg])
        for (row, delay) in [40, 40, 40].enumerated() {
            try await carrier.dispatch(
                FlightNews(flight: FlightID(row: row), phase: .departed(delay: delay), time: time)
            )
        }
        await tree.board.shutdown(drain: .finishEffects)
        continuation.finish()
        let alerts = await announced.reduce(into: []) { $0.append($1) }
        #expect(alerts == [Alert(kind: .raised, airport: "EWR", number: 1, rollingDelay: 40, time: time)])
        let state = tree.state
        #expect(state.airports["EWR"]?.figures.hasAlert == true)
        #expect(state.whole.alertsRaised == 1)
        #expect(tree.board.revision == 4)
    }
}
