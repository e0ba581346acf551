/// Computes the figures again, with a plain loop over the file.
///
/// It shares only the CSV reader with the replay: no flights, no schedule, no stores.
enum Recomputation {
    /// The figures of a file that was read before, so that its rows are known to be valid.
    static func figures(of input: InputFile) throws(FlightFileError) -> Figures {
        var figures = Figures()
        do {
            var reader = try CSVReader(input.bytes)
            guard try reader.advance() else { return figures }
            let columns = (0..<reader.fieldCount).map { reader.text(ofField: $0) }
            guard let origin = columns.firstIndex(of: "origin"), let carrier = columns.firstIndex(of: "carrier"),
                let time = columns.firstIndex(of: "dep_time"), let delay = columns.firstIndex(of: "dep_delay"),
                let arrivalDelay = columns.firstIndex(of: "arr_delay")
            else { return figures }
            while try reader.advance() {
                let code = CarrierCode(text: reader.text(ofField: carrier))
                figures.flights += 1
                figures.flightsByOrigin[AirportCode(text: reader.text(ofField: origin)), default: 0] += 1
                figures.carriers[code, default: CarrierFigures()].flights += 1
                if reader.text(ofField: time) != "NA", let minutes = Int(reader.text(ofField: delay)) {
                    figures.departed += 1
                    figures.carriers[code]?.departed += 1
                    figures.carriers[code]?.delaySum += minutes
                    if reader.text(ofField: arrivalDelay) == "NA" { figures.diverted += 1 }
                } else {
                    figures.cancelled += 1
                    figures.carriers[code]?.cancelled += 1
                }
            }
        } catch {
            throw .notCSV(path: input.path, error)
        }
        return figures
    }
}
