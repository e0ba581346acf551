import TreeCollections

/// The last value that each observer received. When all is over it must be the state's.
struct LastSeen: Equatable, Sendable {
    var whole: BoardFigures?
    var airports: [AirportCode: AirportFigures] = [:]
    var carriers: [Leg: CarrierFigures] = [:]

    /// What the one who collects the changes of all flights has put together.
    var flights: TreeDictionary<FlightID, FlightStatus> = [:]

    /// What each passenger saw; nil for a flight that never appeared.
    var awaited: [FlightID: FlightStatus?] = [:]
}
