/// The last value that each observer received. When all is over it must be the state's.
struct LastSeen: Equatable, Sendable {
    var whole: BoardFigures?
    var airports: [AirportCode: AirportFigures] = [:]

    /// Mean delays; none for a carrier of which nothing departed.
    var carriers: [CarrierCode: Double] = [:]
}
