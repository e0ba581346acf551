import Foundation

/// The figures for other programs, as one JSON object.
struct Report: Codable, Equatable, Sendable {
    let flights: Int
    let departed: Int
    let cancelled: Int
    let diverted: Int

    /// Flights by the code of their airport.
    let byOrigin: [String: Int]

    /// Minutes by the code of the carrier, not rounded. A carrier without departures is left out.
    let meanDepartureDelay: [String: Double]

    /// The results of the weather service.
    let weather: WeatherTally
    let revision: UInt64
    let elapsedSeconds: Double

    /// True if the replay was interrupted, so that the figures are partial; otherwise absent.
    let interrupted: Bool?

    init(_ result: ReplayResult) {
        let figures = Figures(result.state)
        flights = figures.flights
        departed = figures.departed
        cancelled = figures.cancelled
        diverted = figures.diverted
        byOrigin = Dictionary(uniqueKeysWithValues: figures.flightsByOrigin.map { ($0.key.text, $0.value) })
        meanDepartureDelay = Dictionary(
            uniqueKeysWithValues: figures.carriers.compactMap { code, carrier in
                carrier.meanDelay.map { (code.text, $0) }
            }
        )
        weather = result.weather
        revision = result.revision
        elapsedSeconds = result.elapsed / .seconds(1)
        interrupted = result.wasInterrupted ? true : nil
    }

    /// The object on one line, its keys sorted.
    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
    }
}
