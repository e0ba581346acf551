import ActorStore
import Synchronization
import Testing

@testable import FlightBoard

@Suite("Alerts", .timeLimit(.minutes(10)))
struct AlertTests {
    @Test("A full window at the threshold makes an airport late, and the lower threshold ends the delay")
    func crossings() {
        var airport = Airport.State(thresholds: AlertThresholds(window: 2, raise: 30, clear: 10))
        let isLate = [100, -40, 30, 90, 29, 0, 19, 2, 0, 60, 0].map { delay in
            airport.recordDeparture(delay: delay)
            return airport.figures.isLate
        }
        // The means: 30 raises; -5 clears; 60 raises; 59.5 and 14.5 do not matter; 9.5 clears; 30 raises; 30 again.
        #expect(isLate == [false, true, false, true, true, true, false, false, false, true, true])
    }

    /// An airport that collects its announcements in a list.
    private func airport() -> (LateAirport, announced: @Sendable () -> [Alert]) {
        let list = AlertList()
        let sink = AlertSink { alert in list.alerts.withLock { $0.append(alert) } }
        let airport = LateAirport(weather: nil, alerts: sink) { _, _ in throw WeatherError.unavailable }
        return (airport, { list.alerts.withLock { $0 } })
    }

    private final class AlertList: Sendable {
        let alerts = Mutex<[Alert]>([])
    }

    @Test("An alert counts at once, and is announced once after the delay has settled")
    func pause() async throws {
        let (airport, announced) = airport()
        try await airport.depart(late: 50, at: 0)
        try await airport.depart(late: 60, at: 10)
        try await airport.depart(late: 70, at: 20)
        await airport.advance(to: 34)
        #expect(airport.board.alertsRaised == 1 && airport.board.announcements == 0)
        await airport.advance(to: 35)
        let time = FlightSample.scheduled.advanced(by: 20)
        #expect(announced() == [Alert(kind: .raised, airport: "EWR", rollingDelay: 70, time: time)])
        await airport.advance(to: 300)
        #expect(airport.board.alertsRaised == 1 && airport.board.announcements == 1)
    }

    @Test("A steady stream of changes is announced once in each maximum wait, with the latest change")
    func longestWait() async throws {
        let (airport, announced) = airport()
        for minute in stride(from: 0, through: 180, by: 5) {
            try await airport.depart(late: 50 + minute * 2, at: minute)
        }
        #expect(announced().map(\.rollingDelay) == [160, 280, 400])
        await airport.advance(to: 300)
        #expect(airport.board.announcements == announced().count)
    }

    @Test("An alert raised and cleared within a pause is announced as cleared only, and both are counted")
    func comesAndGoes() async throws {
        let (airport, announced) = airport()
        try await airport.depart(late: 50, at: 0)
        try await airport.depart(late: 0, at: 5)
        await airport.advance(to: 60)
        #expect(announced().map(\.kind) == [.cleared])
        #expect(airport.board.alertsRaised == 1 && airport.board.alertsCleared == 1)
    }

    @Test("Small changes of a delay are not announced")
    func smallChanges() async throws {
        let (airport, announced) = airport()
        try await airport.depart(late: 51, at: 0)
        for minute in 1..<60 { try await airport.depart(late: 50 + minute % 10, at: minute) }
        await airport.advance(to: 300)
        #expect(announced().map(\.rollingDelay) == [51])
    }
}
