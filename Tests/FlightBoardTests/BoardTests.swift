import ActorStore
import Testing

@testable import FlightBoard

@Suite("Board")
struct BoardTests {
    private let leg = Leg(origin: "EWR", carrier: "UA")
    private let time = FlightSample.scheduled
    private let board = Board(thresholds: AlertThresholds(window: 2, raise: 30, clear: 10))

    /// Reduces actions one after the other and leaves their effects alone.
    private func reduce(_ actions: Board.Action...) -> Board.State {
        var state = Board.State()
        for action in actions { _ = board.reduce(into: &state, action: action) }
        return state
    }

    @Test("Each event is counted for the whole board, its airport and its carrier")
    func counts() {
        let state = reduce(
            .scheduled(leg, at: time),
            .departed(leg, delay: -5, at: time),
            .arrived(leg, at: time.advanced(by: 9)),
            .scheduled(leg, at: time),
            .departed(leg, delay: 20, at: time),
            .diverted(leg, at: time),
            .scheduled(leg, at: time),
            .cancelled(leg, at: time),
            .scheduled(leg, at: time),
            .departed(leg, delay: 0, at: time)
        )
        let whole = BoardFigures(
            flights: 4,
            departed: 3,
            arrived: 1,
            cancelled: 1,
            diverted: 1,
            time: time.advanced(by: 9)
        )
        #expect(state.whole == whole)
        #expect(state.whole.events == 10)
        #expect(state[airport: "EWR"].inAir == 1)
        #expect(state[airport: "EWR"].rollingDelay == 10)
        #expect(state[airport: "JFK"] == AirportFigures())
        #expect(state.carriers["UA"] == CarrierFigures(flights: 4, departed: 3, cancelled: 1, delaySum: 15))
        #expect(state[meanDelayOf: "UA"] == 5)
        #expect(state[meanDelayOf: "B6"] == nil)
    }

    @Test("An announcement that is older than the one shown changes the count alone")
    func announcementsOutOfOrder() {
        let state = reduce(
            .scheduled(leg, at: time),
            .alertCleared("EWR", number: 2),
            .alertRaised("EWR", number: 1)
        )
        #expect(!state[airport: "EWR"].hasAlert)
        #expect(state.whole.alertsRaised == 1 && state.whole.alertsCleared == 1)
    }

    @Test("A full window at the threshold raises one alert, and the lower threshold clears it")
    func crossings() {
        var airport = Airport(thresholds: board.thresholds)
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

    @Test("A store announces an alert once and shows it")
    func effects() async throws {
        let (announced, continuation) = AsyncStream.makeStream(of: Alert.self)
        let board = Board(thresholds: board.thresholds, alerts: AlertSink { continuation.yield($0) })
        let store = Store(initialState: Board.State(), reducer: board)
        try await store.dispatch(.scheduled(leg, at: time))
        for delay in [40, 40, 40] { try await store.dispatch(.departed(leg, delay: delay, at: time)) }
        await store.shutdown(drain: .finishEffects)
        continuation.finish()
        var alerts: [Alert] = []
        for await alert in announced { alerts.append(alert) }
        #expect(alerts == [Alert(kind: .raised, airport: "EWR", number: 1, rollingDelay: 40, time: time)])
        #expect(store.snapshot[airport: "EWR"].hasAlert)
        #expect(store.revision == 5)
    }

    @Test("A rolling delay is the mean of the latest departures alone")
    func rollingDelay() {
        var rolling = RollingDelay(window: 3)
        var means: [Double?] = []
        for delay in [3, 6, 9, 12, -3, 0] {
            rolling.record(delay)
            means.append(rolling.mean)
        }
        #expect(means == [nil, nil, 6, 9, 6, 3])
    }
}
