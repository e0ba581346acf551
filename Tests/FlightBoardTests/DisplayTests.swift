import Foundation
import Testing

@testable import FlightBoard

@Suite("Display")
struct DisplayTests {
    @Test("No line of a frame is wider than the terminal", arguments: [1, 20, 40, 80, 200])
    func width(_ columns: Int) {
        var frame = BoardFrame(title: String(repeating: "long", count: 40), eventCount: 1_000_000)
        frame.airports["EWR"] = AirportFigures(flights: 12_345, rollingDelay: 51.25, isLate: true)
        for code in ["9E", "AA", "B6", "DL", "EV", "UA", "WN"] {
            let leg = Leg(origin: "EWR", carrier: CarrierCode(text: code))
            frame.carriers[leg] = CarrierFigures(flights: 9, departed: 9, delaySum: 218)
        }
        frame.add(Alert(kind: .raised, airport: "EWR", rollingDelay: 51.25, time: FlightSample.scheduled))
        for line in frame.lines(columns: columns, usesUnicode: true) {
            #expect(line.rendered(columns: columns, usesColour: false).count <= columns)
        }
    }

    @Test("A late airport is marked and its figures are grouped")
    func lateAirport() {
        var frame = BoardFrame(title: "a.csv", eventCount: 10)
        frame.airports["EWR"] = AirportFigures(flights: 12_345, rollingDelay: 51.25, isLate: true)
        frame.airports["JFK"] = AirportFigures(flights: 7)
        let texts = frame.lines(columns: 80, usesUnicode: false).map(\.text)
        #expect(texts.contains { $0.hasPrefix("EWR") && $0.contains("12,345") && $0.hasSuffix("51.2  LATE") })
        #expect(texts.contains { $0.hasPrefix("JFK") && $0.hasSuffix("-") })
    }

    @Test("A late airport shows its weather, or why it is unknown")
    func weather() {
        var frame = BoardFrame(title: "a.csv", eventCount: 10)
        var late = AirportFigures(rollingDelay: 50, isLate: true)
        func ending(_ weather: AirportWeather) -> String? {
            late.weather = weather
            frame.airports["EWR"] = late
            let line = frame.lines(columns: 120, usesUnicode: false).map(\.text).first { $0.hasPrefix("EWR") }
            return line?.components(separatedBy: "LATE").last
        }
        let snow = WeatherReport(sky: .snow, windInKnots: 24)
        #expect(ending(AirportWeather()) == "")
        #expect(ending(AirportWeather(request: .asking)) == "  asking for the weather")
        #expect(ending(AirportWeather(report: snow)) == "  snow, wind 24 kn")
        #expect(ending(AirportWeather(report: snow, request: .asking)) == "  snow, wind 24 kn")
        #expect(ending(AirportWeather(request: .failed(.noAnswer))) == "  weather service does not answer")
        #expect(ending(AirportWeather(request: .failed(.unavailable))) == "  weather not available")
    }

    @Test("A carrier's mean delay is that of its flights from all airports, and is not shown before a departure")
    func carriers() {
        var frame = BoardFrame(title: "a.csv", eventCount: 10)
        frame.carriers[Leg(origin: "EWR", carrier: "UA")] = CarrierFigures(flights: 1, departed: 1, delaySum: 10)
        frame.carriers[Leg(origin: "JFK", carrier: "UA")] = CarrierFigures(flights: 3, departed: 3, delaySum: -2)
        frame.carriers[Leg(origin: "JFK", carrier: "B6")] = CarrierFigures(flights: 3)
        let texts = frame.lines(columns: 80, usesUnicode: false).map(\.text)
        #expect(texts.contains { $0.hasPrefix("UA     2.0") })
        #expect(!texts.contains { $0.contains("B6") })
    }

    @Test("Only the latest alerts are kept")
    func latestAlerts() {
        var frame = BoardFrame(title: "", eventCount: 0)
        for delay in 1...9 {
            frame.add(
                Alert(kind: .raised, airport: "EWR", rollingDelay: Double(delay), time: FlightSample.scheduled)
            )
        }
        #expect(frame.latestAlerts.map(\.rollingDelay) == [9, 8, 7, 6])
    }

    @Test("A bar has the given length, and is full only at the end")
    func progressBar() {
        let almost = ProgressBar(done: 999, total: 1_000)
        #expect(almost.percent == 99)
        #expect(almost.drawn(columns: 10, usesUnicode: false) == ("#########", "."))
        #expect(ProgressBar(done: 0, total: 0).percent == 100)
        #expect(ProgressBar(done: 5, total: 4).drawn(columns: 4, usesUnicode: true) == ("████", ""))
    }

    @Test("Styles take no room and end where they began")
    func styles() {
        var line = StyledLine("late", .red)
        line.append(" and more")
        #expect(line.rendered(columns: 8, usesColour: true) == "\u{1B}[1;31mlate\u{1B}[0m and")
        #expect(line.rendered(columns: 8, usesColour: false) == "late and")
    }

    @Test("Numbers are grouped by thousands")
    func grouped() {
        #expect(
            [0, 999, 1_000, 27_004, -1_234_567].map { NumberText.grouped($0) } == [
                "0", "999", "1,000", "27,004", "-1,234,567",
            ]
        )
        #expect(NumberText.rate(10, over: 0) == "-")
        #expect(NumberText.rate(.max, over: 1e-300) == "1,000,000,000,000,000")
    }

    @Test("Control characters are escaped, and long text is cut")
    func printable() {
        #expect("a\u{1B}b\n\u{202E}é".printable() == "a\\u{1b}b\\u{a}\\u{202e}é")
        #expect(String(repeating: "x", count: 9).printable(limit: 3) == "xxx...")
    }
}
