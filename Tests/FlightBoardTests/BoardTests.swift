import ActorStore
import Testing

@testable import FlightBoard

@Suite("The board")
struct BoardTests {
    private let time = FlightSample.scheduled

    private func news(_ row: Int, _ phase: FlightPhase, after minutes: Int = 0) -> FlightNews {
        FlightNews(flight: FlightID(row: row), phase: phase, time: time.advanced(by: minutes))
    }

    /// Two flights of one carrier that end, one of them elsewhere, one that is cancelled, and one in the air.
    private var events: [FlightNews] {
        [
            news(1, .scheduled), news(1, .departed(delay: -5)), news(1, .arrived, after: 9), news(2, .scheduled),
            news(2, .departed(delay: 20)), news(2, .diverted), news(3, .scheduled), news(3, .cancelled),
            news(4, .scheduled), news(4, .departed(delay: 0)),
        ]
    }

    @Test("A carrier counts flights, departures, delays and cancellations")
    func carrier() {
        var figures = CarrierFigures()
        for news in events { _ = Carrier().reduce(into: &figures, action: news) }
        #expect(figures == CarrierFigures(flights: 4, departed: 3, cancelled: 1, delaySum: 15))
        #expect(figures.meanDelay == 5)
        #expect(CarrierFigures().meanDelay == nil)
    }

    @Test("An airport counts all events of its flights")
    func airport() {
        var state = Airport.State(thresholds: AlertThresholds(window: 2))
        for news in events { _ = Airport(code: "EWR").reduce(into: &state, action: .flight(news, of: "UA")) }
        let figures = AirportFigures(
            flights: 4,
            departed: 3,
            arrived: 1,
            cancelled: 1,
            diverted: 1,
            rollingDelay: 10,
            isLate: false
        )
        #expect(state.figures == figures)
        #expect(figures.inAir == 1)
    }

    @Test("The board counts all events, tracks each flight, and its clock does not go back")
    func board() {
        let leg = Leg(origin: "EWR", carrier: "UA")
        var state = Board.State()
        for news in events { _ = Board().reduce(into: &state, action: .flight(news, leg)) }
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
        #expect(state.flights.count == 4)
        #expect(state.flights[FlightID(row: 1)]?.phase == .arrived)
        #expect(
            state.flights[FlightID(row: 4)] == FlightStatus(leg: leg, phase: .departed(delay: 0), time: time)
        )
        #expect(state.flights[FlightID(row: 5)] == nil)
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
