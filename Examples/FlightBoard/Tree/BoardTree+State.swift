import TreeCollections

extension BoardTree {
    /// The states of all stores of the tree.
    struct State: Equatable, Sendable {
        var whole = BoardFigures()
        var flights: TreeDictionary<FlightID, FlightStatus> = [:]
        var airports: [AirportCode: Airport.State] = [:]
        var carriers: [Leg: CarrierFigures] = [:]
    }

    /// The current states of all stores. They are read one after the other: they are consistent only if nothing is
    /// reduced meanwhile, as after a shutdown.
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
