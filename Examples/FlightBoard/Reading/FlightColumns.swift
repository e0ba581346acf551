/// The positions of the used columns in a file, found by name: files may order them freely and have others.
struct FlightColumns: Sendable {
    let departureTime: Int
    let scheduledDepartureTime: Int
    let departureDelay: Int
    let scheduledArrivalTime: Int
    let arrivalDelay: Int
    let carrier: Int
    let origin: Int
    let minutesInAir: Int
    let minute: Int
    let hour: Int

    /// The number of fields of each row.
    let count: Int

    /// The names in the order of the file, for messages.
    let names: [String]

    private static let required = [
        "dep_time", "sched_dep_time", "dep_delay", "sched_arr_time", "arr_delay", "carrier", "origin", "air_time",
        "minute", "time_hour",
    ]

    /// Reads the header, which is the reader's current record.
    init(header: CSVReader, path: String) throws(FlightFileError) {
        names = (0..<header.fieldCount).map { header.text(ofField: $0) }
        count = names.count
        var positions: [Int] = []
        var missing: [String] = []
        for name in Self.required {
            guard let position = names.firstIndex(of: name) else {
                missing.append(name)
                continue
            }
            guard names.lastIndex(of: name) == position else {
                throw .repeatedColumn(path: path, line: header.recordLine, name: name)
            }
            positions.append(position)
        }
        guard missing.isEmpty else {
            throw .missingColumns(path: path, line: header.recordLine, names: missing)
        }
        departureTime = positions[0]
        scheduledDepartureTime = positions[1]
        departureDelay = positions[2]
        scheduledArrivalTime = positions[3]
        arrivalDelay = positions[4]
        carrier = positions[5]
        origin = positions[6]
        minutesInAir = positions[7]
        minute = positions[8]
        hour = positions[9]
    }
}
