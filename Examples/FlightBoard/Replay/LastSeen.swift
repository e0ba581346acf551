import TreeCollections

/// The last value that each observer received. In the end it must be the state's.
struct LastSeen: Equatable, Sendable {
    var whole: BoardFigures?
    var airports: [AirportCode: AirportFigures] = [:]
    var carriers: [Leg: CarrierFigures] = [:]

    /// The table that the observer of all flights' changes has assembled.
    var flights: TreeDictionary<FlightID, FlightStatus> = [:]

    /// The last value of each passenger; nil for a flight that never appeared.
    var awaited: [FlightID: FlightStatus?] = [:]
}
