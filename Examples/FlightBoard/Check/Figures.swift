/// The figures of the final report, which are compared with a second computation.
struct Figures: Equatable, Sendable {
    var flights = 0
    var departed = 0
    var cancelled = 0

    /// Departed, without an arrival delay.
    var diverted = 0
    var flightsByOrigin: [AirportCode: Int] = [:]
    var carriers: [CarrierCode: CarrierFigures] = [:]

    init() {}

    /// The figures counted by the stores of a tree.
    init(_ state: BoardTree.State) {
        flights = state.whole.flights
        departed = state.whole.departed
        cancelled = state.whole.cancelled
        diverted = state.whole.diverted
        flightsByOrigin = state.airports.mapValues(\.figures.flights)
        carriers = state.carriers.byCarrier
    }
}
