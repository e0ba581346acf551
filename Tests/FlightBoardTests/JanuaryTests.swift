import Foundation
import Testing

@testable import FlightBoard

@Suite("January 2013")
struct JanuaryTests {
    @Test("A replay of the included file gives the published figures")
    func replay() async throws {
        let file = try FlightFile(InputFile(path: FlightBoard.includedPath()))
        let schedule = Schedule(file.flights)
        let result = try await Replay(schedule: schedule, display: SilentDisplay()).run()

        let report = Report(result)
        #expect(report.flights == 27_004)
        #expect(report.departed == 26_483)
        #expect(report.cancelled == 521)
        #expect(report.diverted == 85)
        #expect(report.byOrigin == ["EWR": 9_893, "JFK": 9_161, "LGA": 7_950])
        #expect(report.meanDepartureDelay.count == 16)
        #expect(abs((report.meanDepartureDelay["UA"] ?? 0) - 8.3262) < 0.00005)
        #expect(abs((report.meanDepartureDelay["EV"] ?? 0) - 24.2289) < 0.00005)

        let whole = result.state.whole
        #expect(whole.events == schedule.eventCount)
        let weather = result.weather
        let told = whole.alertsRaised + whole.alertsCleared + whole.announcements
        // A request reports its beginning, and its end.
        #expect(result.revision == UInt64(whole.events + told + weather.requests + weather.answered))
        #expect(whole.alertsRaised == 27 && whole.alertsCleared == 24)
        #expect(weather == WeatherTally(requests: 68, answered: 68))
        #expect(result.state.airports.values.allSatisfy { $0.figures.inAir == 0 })
        #expect(result.state.flights.count == 27_004)
        #expect(result.lastSeen.awaited.count == 271)
        #expect(result.state.flights.values.allSatisfy { $0.phase.isFinal })

        let recomputed = try Recomputation.figures(of: file.input)
        #expect(Differences.between(store: Figures(result.state), recomputed: recomputed) == [])
        #expect(Differences.betweenLevels(of: result.state) == [])
        #expect(Differences.between(state: result.state, lastSeen: result.lastSeen) == [])
    }

    @Test("A report is one line of JSON that can be read back")
    func json() async throws {
        let result = try await Replay(schedule: Schedule([]), display: SilentDisplay()).run()
        let report = Report(result)
        let json = try report.json()
        #expect(json.hasPrefix("{") && json.hasSuffix("}\n") && json.dropLast().contains("\n") == false)
        #expect(try JSONDecoder().decode(Report.self, from: Data(json.utf8)) == report)
        #expect(report.flights == 0 && report.revision == 0 && report.byOrigin.isEmpty)
    }

    @Test("A summary names each carrier, the whole and the throughput")
    func summary() async throws {
        let file = try FlightSample.file(FlightSample.row(), FlightSample.cancelled, FlightSample.diverted)
        let result = try await Replay(schedule: Schedule(file.flights), display: SilentDisplay()).run()
        let lines = Summary(result: result).text.split(separator: "\n")
        #expect(lines.contains("UA              3           1               2.00 min"))
        #expect(lines.contains("All             3           1               2.00 min"))
        #expect(lines.contains("By origin: EWR 3"))
        #expect(lines.contains { $0.hasPrefix("8 actions in ") && $0.hasSuffix(" a second") })
    }
}
