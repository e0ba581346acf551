/// Whose flight it is and where it starts: all that the board counts by.
struct Leg: Equatable, Sendable {
    let origin: AirportCode
    let carrier: CarrierCode
}
