import Testing

@testable import FlightBoard

@Suite("Arguments of FlightBoard")
struct ArgumentsTests {
    @Test("Without arguments the included file is replayed as fast as possible")
    func none() throws {
        let arguments = try Arguments(parsing: [])
        #expect(arguments.inputPath == nil && arguments.durationInSeconds == nil)
        #expect(arguments.weather == .flaky)
        #expect(!arguments.printsJSON && !arguments.showsHelp)
    }

    @Test("Options are read in any order, with their values attached or after them")
    func options() throws {
        let arguments = try Arguments(parsing: ["--json", "--input", "a.csv", "--duration=2.5"])
        #expect(arguments.printsJSON && arguments.inputPath == "a.csv" && arguments.durationInSeconds == 2.5)
        #expect(try Arguments(parsing: ["--weather", "down"]).weather == .down)
        #expect(try Arguments(parsing: ["--weather=off"]).weather == .off)
        #expect(try Arguments(parsing: ["--input=a=b.csv"]).inputPath == "a=b.csv")
        #expect(try Arguments(parsing: ["--input", "-"]).inputPath == "-")
        #expect(try Arguments(parsing: ["-h"]).showsHelp)
        #expect(try Arguments(parsing: ["--help"]).showsHelp)
    }

    @Test(
        "An invalid argument is refused by name",
        arguments: [
            (["--speed"], ArgumentsError.unknown("--speed")),
            (["flights.csv"], .unknown("flights.csv")),
            ([""], .unknown("")),
            (["--json=yes"], .unknown("--json=yes")),
            (["--input"], .missingValue("--input")),
            (["--input", "--json"], .missingValue("--input")),
            (["--input="], .missingValue("--input")),
            (["--input", "a", "--input", "b"], .repeated("--input")),
            (["--duration", "0"], .invalidDuration("0")),
            (["--duration", "-1"], .invalidDuration("-1")),
            (["--duration", "nan"], .invalidDuration("nan")),
            (["--duration", "inf"], .invalidDuration("inf")),
            (["--duration", "1e9"], .invalidDuration("1e9")),
            (["--weather"], .missingValue("--weather")),
            (["--weather", "off", "--weather", "off"], .repeated("--weather")),
            (["--weather", "sunny"], .invalidWeather("sunny")),
            (["--duration", "soon"], .invalidDuration("soon")),
        ]
    )
    func refused(arguments: [String], error: ArgumentsError) {
        #expect(throws: error) { try Arguments(parsing: arguments) }
    }

    @Test("The usage names every option and every exit status")
    func usage() {
        for word in [
            "--input", "--duration", "--weather", "reliable", "flaky", "down", "off", "--json", "--help", "\n  0",
            "\n  1", "\n  2", "\n  3",
        ] {
            #expect(Arguments.usage.contains(word))
        }
    }
}
