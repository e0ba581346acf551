/// The carrier and the origin of a flight: the keys of all counts.
struct Leg: Hashable, Sendable {
    let origin: AirportCode
    let carrier: CarrierCode
}

extension Leg: Comparable {
    static func < (left: Leg, right: Leg) -> Bool {
        (left.origin, left.carrier) < (right.origin, right.carrier)
    }
}
