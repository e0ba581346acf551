/// The flights of a file, in its order, and its bytes, from which the figures are recomputed at the end.
struct FlightFile: Sendable {
    let input: InputFile
    let flights: [Flight]

    /// Reads every row, or throws the first error. A header without rows is a file without flights.
    init(_ input: InputFile) throws(FlightFileError) {
        var reader = try Self.reader(of: input)
        guard try Self.advance(&reader, in: input) else { throw .empty(path: input.path) }
        let parser = FlightParser(columns: try FlightColumns(header: reader, path: input.path), path: input.path)
        var flights: [Flight] = []
        while try Self.advance(&reader, in: input) {
            flights.append(try parser.flight(in: reader))
        }
        self.input = input
        self.flights = flights
    }

    private static func reader(of input: InputFile) throws(FlightFileError) -> CSVReader {
        do { return try CSVReader(input.bytes) } catch { throw .notCSV(path: input.path, error) }
    }

    private static func advance(_ reader: inout CSVReader, in input: InputFile) throws(FlightFileError) -> Bool {
        do { return try reader.advance() } catch { throw .notCSV(path: input.path, error) }
    }
}
