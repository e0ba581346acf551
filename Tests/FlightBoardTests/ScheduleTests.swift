import Testing

@testable import FlightBoard

@Suite("The schedule")
struct ScheduleTests {
    private func kinds(_ rows: String...) throws -> [FlightEvent.Kind] {
        let text = ([FlightSample.header.joined(separator: ",")] + rows).joined(separator: "\n")
        return Schedule(try FlightSample.file(text: text).flights).departures.flatMap { $0.events.map(\.kind) }
    }

    @Test("A flight is scheduled, departs and arrives, in this order")
    func order() throws {
        #expect(try kinds(FlightSample.row()) == [.scheduled, .departed, .arrived])
        #expect(try kinds(FlightSample.cancelled) == [.scheduled, .cancelled])
        #expect(try kinds(FlightSample.diverted) == [.scheduled, .departed, .diverted])
    }

    @Test("The order holds for a flight that leaves early and arrives in the same minute")
    func early() throws {
        #expect(
            try kinds(FlightSample.row(["dep_delay": "-43", "air_time": "0"])) == [.scheduled, .departed, .arrived]
        )
    }

    @Test("Events of one airport are in order of time, whatever the order of the rows")
    func orderOfTime() throws {
        let flights = try FlightSample.file(
            FlightSample.row(["time_hour": "2013-01-02T10:00:00Z"]),
            FlightSample.row(["dep_delay": "500"]),
            FlightSample.row(["origin": "JFK"]),
            FlightSample.row(["dep_delay": "-10"])
        ).flights
        let schedule = Schedule(flights)
        #expect(schedule.airports == ["EWR", "JFK"])
        #expect(schedule.legs == [Leg(origin: "EWR", carrier: "UA"), Leg(origin: "JFK", carrier: "UA")])
        #expect(schedule.eventCount == 12)
        for departures in schedule.departures {
            let minutes = departures.events.map(\.time.minutes)
            #expect(minutes == minutes.sorted())
            for flight in flights.indices {
                let kinds = departures.events.filter { $0.flight == flight }.map(\.kind)
                #expect(kinds.isEmpty || kinds == [.scheduled, .departed, .arrived])
            }
        }
        let firstThree = schedule.departures[0].events.prefix(3).map(\.flight)
        #expect(firstThree == [3, 3, 1])
    }

    @Test("Events have the flight, its delay and time, and go to its carrier and airport")
    func news() throws {
        let schedule = Schedule(try FlightSample.file(FlightSample.row(), FlightSample.cancelled).flights)
        let time = FlightSample.scheduled
        func news(_ row: Int, _ phase: FlightPhase, _ time: BoardTime) -> FlightNews {
            FlightNews(flight: FlightID(row: row), phase: phase, time: time)
        }
        let events = schedule.departures[0].events
        #expect(
            events.map(schedule.news) == [
                news(0, .scheduled, time), news(1, .scheduled, time), news(1, .cancelled, time),
                news(0, .departed(delay: 2), time.advanced(by: 2)), news(0, .arrived, time.advanced(by: 229)),
            ]
        )
        #expect(events.map(schedule.leg).allSatisfy { $0 == Leg(origin: "EWR", carrier: "UA") })
    }

    @Test("An empty list of flights makes an empty schedule")
    func empty() {
        let schedule = Schedule([])
        #expect(schedule.departures.isEmpty && schedule.eventCount == 0 && schedule.span == nil)
    }
}
