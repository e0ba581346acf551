extension Board {
    /// The whole board.
    struct State: Equatable, Sendable {
        var whole = BoardFigures()
        var airports: [AirportCode: Airport] = [:]
        var carriers: [CarrierCode: CarrierFigures] = [:]

        /// An airport's figures, for those who observe one airport.
        subscript(airport code: AirportCode) -> AirportFigures {
            airports[code]?.figures ?? AirportFigures()
        }

        /// A carrier's mean departure delay, for those who observe one carrier.
        subscript(meanDelayOf code: CarrierCode) -> Double? {
            carriers[code]?.meanDelay
        }
    }
}
