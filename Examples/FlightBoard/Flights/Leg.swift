/// Whose flight it is and where it starts: all that it is counted by.
struct Leg: Hashable, Sendable {
    let origin: AirportCode
    let carrier: CarrierCode
}

extension Leg: Comparable {
    static func < (left: Leg, right: Leg) -> Bool {
        (left.origin, left.carrier) < (right.origin, right.carrier)
    }
}
