import Testing

@testable import FlightBoard

@Suite("The flight file")
struct FlightFileTests {
    @Test("A row becomes a flight")
    func row() throws {
        let file = try FlightSample.file(FlightSample.row())
        let expected = Flight(
            origin: "EWR",
            carrier: "UA",
            scheduled: FlightSample.scheduled,
            outcome: .arrived(delay: 2, minutesInAir: 227)
        )
        #expect(file.flights == [expected])
        #expect(FlightSample.scheduled.description == "2013-01-01 10:15 UTC")
    }

    @Test("A flight without a time or a delay of departure was cancelled")
    func cancelled() throws {
        let file = try FlightSample.file(
            FlightSample.cancelled,
            FlightSample.row(["dep_delay": "NA"]),
            FlightSample.row(["dep_time": "NA"])
        )
        #expect(file.flights.map(\.outcome) == [.cancelled, .cancelled, .cancelled])
    }

    @Test("A flight that left without an arrival delay was diverted, for its scheduled time")
    func diverted() throws {
        let file = try FlightSample.file(
            FlightSample.diverted,
            FlightSample.row(
                ["arr_delay": "NA", "air_time": "NA", "sched_dep_time": "2350", "sched_arr_time": "15"])
        )
        #expect(
            file.flights.map(\.outcome) == [
                .diverted(delay: 2, minutesInAir: 184), .diverted(delay: 2, minutesInAir: 25),
            ]
        )
    }

    @Test("Columns may come in any order, with others between them, quoted, after a byte order mark")
    func columnOrder() throws {
        let file = try FlightSample.file(
            text: "\u{FEFF}origin,carrier,\"note, long\",time_hour,minute,dep_delay,dep_time,arr_delay,air_time,"
                + "sched_arr_time,sched_dep_time\r\n"
                + "\"JFK\",\"B6\",\"said \"\"hello\"\"\r\nand left\",2013-01-01T10:00:00Z,0,-5,455,NA,60,600,500\r\n"
        )
        let expected = Flight(
            origin: "JFK",
            carrier: "B6",
            scheduled: FlightSample.scheduled.advanced(by: -15),
            outcome: .diverted(delay: -5, minutesInAir: 60)
        )
        #expect(file.flights == [expected])
    }

    @Test("A header alone is a file without flights")
    func headerOnly() throws {
        #expect(try FlightSample.file().flights.isEmpty)
        #expect(try FlightSample.file(text: FlightSample.header.joined(separator: ",")).flights.isEmpty)
    }

    @Test("An empty file is refused", arguments: ["", "\n\n", "\u{FEFF}"])
    func empty(_ text: String) {
        #expect(throws: FlightFileError.empty(path: "sample.csv")) { try FlightSample.file(text: text) }
    }

    @Test("Every missing column is named")
    func missingColumns() {
        let error = FlightFileError.missingColumns(path: "sample.csv", line: 1, names: ["dep_delay", "origin"])
        #expect(throws: error) {
            try FlightSample.file(
                text: FlightSample.header.filter { $0 != "dep_delay" && $0 != "origin" }.joined(separator: ",")
            )
        }
        #expect(error.explanation == "'sample.csv', line 1: the header has no column 'dep_delay', 'origin'")
    }

    @Test("A column that is named twice is refused")
    func repeatedColumn() {
        #expect(throws: FlightFileError.repeatedColumn(path: "sample.csv", line: 1, name: "carrier")) {
            try FlightSample.file(text: FlightSample.header.joined(separator: ",") + ",carrier\n")
        }
    }

    @Test("A row with too few or too many fields is refused with its line")
    func fieldCount() {
        #expect(throws: FlightFileError.fieldCount(path: "sample.csv", line: 3, expected: 19, found: 20)) {
            try FlightSample.file(FlightSample.row(), FlightSample.row() + ",x")
        }
        #expect(throws: FlightFileError.fieldCount(path: "sample.csv", line: 2, expected: 19, found: 1)) {
            try FlightSample.file("2013")
        }
    }

    @Test("A bad row after embedded line ends is reported with its own line")
    func lineAfterEmbeddedLineEnds() {
        #expect(throws: FlightFileError.fieldCount(path: "sample.csv", line: 5, expected: 19, found: 1)) {
            try FlightSample.file(FlightSample.row(["tailnum": "\"a\n\nb\""]), "2013")
        }
    }

    @Test("Broken quotes and bytes that are not UTF-8 are reported with the file and the line")
    func notCSV() {
        let error = FlightFileError.notCSV(path: "sample.csv", .unterminatedQuote(line: 2))
        #expect(throws: error) { try FlightSample.file("\"2013") }
        #expect(error.explanation == "'sample.csv', line 2: a quote is opened here and never closed")
        #expect(throws: FlightFileError.notCSV(path: "latin.csv", .notUTF8(line: 1))) {
            try FlightFile(InputFile(path: "latin.csv", bytes: [0x63, 0xE9]))
        }
    }

    @Test(
        "A field with invalid contents for its column is refused",
        arguments: [
            ("dep_delay", "two", FieldProblem.notWholeNumber),
            ("dep_delay", "", .notWholeNumber),
            ("dep_delay", "-", .notWholeNumber),
            ("dep_delay", "2.5", .notWholeNumber),
            ("dep_delay", "99999999999999999999x", .notWholeNumber),
            ("dep_delay", "99999999999999999999", .outOfRange(-527_040...527_040)),
            ("dep_delay", "-9223372036854775808", .outOfRange(-527_040...527_040)),
            ("arr_delay", "9223372036854775807", .outOfRange(-527_040...527_040)),
            ("air_time", "-1", .outOfRange(0...527_040)),
            ("minute", "60", .outOfRange(0...59)),
            ("minute", "NA", .notWholeNumber),
            ("dep_time", "2401", .notClockTime),
            ("dep_time", "1260", .notClockTime),
            ("sched_dep_time", "noon", .notClockTime),
            ("sched_arr_time", "-5", .notClockTime),
            ("carrier", "", .noCode),
            ("origin", "NA", .noCode),
            ("time_hour", "2013-02-29T10:00:00Z", .notHourInUTC),
            ("time_hour", "2013-01-01T24:00:00Z", .notHourInUTC),
            ("time_hour", "2013-01-01T10:30:00Z", .notHourInUTC),
            ("time_hour", "2013-01-01 10:00:00Z", .notHourInUTC),
            ("time_hour", "0000-01-01T10:00:00Z", .notHourInUTC),
            ("time_hour", "20l3-01-01T10:00:00Z", .notHourInUTC),
            ("time_hour", "NA", .notHourInUTC),
        ]
    )
    func badField(column: String, text: String, problem: FieldProblem) {
        #expect(
            throws: FlightFileError.badField(
                path: "sample.csv",
                line: 3,
                column: column,
                text: text,
                problem
            )
        ) {
            try FlightSample.file(FlightSample.row(), FlightSample.row([column: text]))
        }
    }

    @Test("A message quotes a bad field with its control characters escaped")
    func printableMessage() {
        let error = FlightFileError.badField(
            path: "a.csv",
            line: 7,
            column: "minute",
            text: "\u{1B}[2J1",
            .outOfRange(0...59)
        )
        #expect(
            error.explanation == "'a.csv', line 7: minute is '\\u{1b}[2J1', which is not between 0 and 59"
        )
    }

    @Test("The allowed extremes do not overflow")
    func extremes() throws {
        let file = try FlightSample.file(
            FlightSample.row(["time_hour": "9999-12-31T23:00:00Z", "dep_delay": "527040", "air_time": "527040"]),
            FlightSample.row(["time_hour": "0001-01-01T00:00:00Z", "dep_delay": "-527040"])
        )
        let span = try #require(Schedule(file.flights).span)
        #expect(span.upperBound.description == "10002-01-01 23:15 UTC")
        #expect(span.lowerBound.description.hasSuffix("00:15 UTC"))
    }
}
