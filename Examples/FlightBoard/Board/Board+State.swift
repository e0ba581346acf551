import TreeCollections

extension Board {
    /// The common state: the flights, and the counts over all airports. Airports and carriers have their own states, in
    /// their own stores.
    struct State: Equatable, Sendable {
        var whole = BoardFigures()

        /// Grows to tens of thousands. Observers retain versions of it: versions of a `TreeDictionary` share their
        /// common parts, so the whole is never copied.
        var flights: TreeDictionary<FlightID, FlightStatus> = [:]
    }
}
