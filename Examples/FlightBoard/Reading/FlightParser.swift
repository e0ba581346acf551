/// Turns rows into flights.
struct FlightParser {
    let columns: FlightColumns
    let path: String

    /// Delays and flights beyond a year are mistakes; the limit also keeps every sum far from overflowing.
    static let longest = 366 * ClockTime.minutesInDay

    /// The flight in the reader's current record.
    func flight(in row: CSVReader) throws(FlightFileError) -> Flight {
        guard row.fieldCount == columns.count else {
            throw .fieldCount(path: path, line: row.recordLine, expected: columns.count, found: row.fieldCount)
        }
        let hour = try parse(columns.hour, of: row, with: BoardTime.init(parsingHour:))
        let minute = try parse(columns.minute, of: row) { bytes throws(FieldProblem) in
            try WholeNumber.parse(bytes, in: 0...59)
        }
        return Flight(
            origin: AirportCode(text: try code(columns.origin, of: row)),
            carrier: CarrierCode(text: try code(columns.carrier, of: row)),
            scheduled: hour.advanced(by: minute),
            outcome: try outcome(of: row)
        )
    }

    /// A flight without a time or a delay of departure never left, whatever else its row contains.
    private func outcome(of row: CSVReader) throws(FlightFileError) -> Flight.Outcome {
        let departure = try parse(columns.departureTime, of: row, with: ClockTime.parseIfAvailable)
        let delay = try minutes(columns.departureDelay, of: row, atLeast: -Self.longest)
        let arrivalDelay = try minutes(columns.arrivalDelay, of: row, atLeast: -Self.longest)
        let minutesInAir = try minutes(columns.minutesInAir, of: row, atLeast: 0)
        let from = try parse(columns.scheduledDepartureTime, of: row, with: ClockTime.parseIfAvailable)
        let to = try parse(columns.scheduledArrivalTime, of: row, with: ClockTime.parseIfAvailable)
        guard departure != nil, let delay else { return .cancelled }
        var guess = 0
        if let from, let to { guess = from.minutes(until: to) }
        let inAir = minutesInAir ?? guess
        return arrivalDelay == nil
            ? .diverted(delay: delay, minutesInAir: inAir)
            : .arrived(delay: delay, minutesInAir: inAir)
    }

    private func minutes(_ column: Int, of row: CSVReader, atLeast least: Int) throws(FlightFileError) -> Int? {
        try parse(column, of: row) { bytes throws(FieldProblem) in
            try WholeNumber.parseIfAvailable(bytes, in: least...Self.longest)
        }
    }

    private func code(_ column: Int, of row: CSVReader) throws(FlightFileError) -> String {
        try parse(column, of: row) { bytes throws(FieldProblem) in
            guard !bytes.isEmpty, !WholeNumber.isNotAvailable(bytes) else { throw .noCode }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    /// Reads one field, and adds the file, the line and the column to its error.
    @inline(__always)
    private func parse<Value>(
        _ column: Int,
        of row: CSVReader,
        with read: (ArraySlice<UInt8>) throws(FieldProblem) -> Value
    ) throws(FlightFileError) -> Value {
        do {
            return try read(row[field: column])
        } catch {
            throw .badField(
                path: path,
                line: row.recordLine,
                column: columns.names[column],
                text: row.text(ofField: column),
                error
            )
        }
    }
}
