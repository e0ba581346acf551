import TreeCollections

extension BoardTree {
    /// What all stores of the tree hold.
    struct State: Equatable, Sendable {
        var whole = BoardFigures()
        var flights: TreeDictionary<FlightID, FlightStatus> = [:]
        var airports: [AirportCode: Airport.State] = [:]
        var carriers: [Leg: CarrierFigures] = [:]
    }

    /// What all stores hold now. They are read one after the other: it is one moment's only if nothing is reduced
    /// meanwhile, as after a shutdown.
    var state: State {
        let board = board.snapshot
        return State(
            whole: board.whole,
            flights: board.flights,
            airports: airports.mapValues(\.snapshot.local),
            carriers: carriers.mapValues(\.snapshot.local)
        )
    }
}
