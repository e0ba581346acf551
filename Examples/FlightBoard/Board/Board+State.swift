import TreeCollections

extension Board {
    /// What concerns all: the flights, and what is counted over all airports. Airports and carriers have states of
    /// their own, in stores of their own.
    struct State: Equatable, Sendable {
        var whole = BoardFigures()

        /// Grows to tens of thousands. Observers keep versions of it: those of a `TreeDictionary` share what they have
        /// in common, so that nobody has to copy the whole.
        var flights: TreeDictionary<FlightID, FlightStatus> = [:]
    }
}
