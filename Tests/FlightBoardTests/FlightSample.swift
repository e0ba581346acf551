@testable import FlightBoard

/// Rows of a file, written by the tests.
enum FlightSample {
    static let header = [
        "year", "month", "day", "dep_time", "sched_dep_time", "dep_delay", "arr_time", "sched_arr_time", "arr_delay",
        "carrier", "flight", "tailnum", "origin", "dest", "air_time", "distance", "hour", "minute", "time_hour",
    ]

    private static let row = [
        "2013", "1", "1", "517", "515", "2", "830", "819", "11", "UA", "1545", "N14228", "EWR", "IAH", "227", "1400",
        "5", "15", "2013-01-01T10:00:00Z",
    ]

    /// The first flight of 2013, with some of its fields replaced.
    static func row(_ changes: [String: String] = [:]) -> String {
        zip(header, row).map { changes[$0] ?? $1 }.joined(separator: ",")
    }

    /// A file of such rows.
    static func file(_ rows: String...) throws(FlightFileError) -> FlightFile {
        try file(text: ([header.joined(separator: ",")] + rows).joined(separator: "\n") + "\n")
    }

    static func file(text: String) throws(FlightFileError) -> FlightFile {
        try FlightFile(InputFile(path: "sample.csv", bytes: Array(text.utf8)))
    }

    /// A row of a flight that never left.
    static let cancelled = row(["dep_time": "NA", "dep_delay": "NA", "arr_delay": "NA", "air_time": "NA"])

    /// A row of a flight that left and has no arrival delay.
    static let diverted = row(["arr_delay": "NA", "air_time": "NA"])

    /// The minute for which the first flight was scheduled: 2013-01-01 10:15 UTC.
    static let scheduled = BoardTime(minutes: 22_617_255)
}
