/// One row of the file: a flight and its outcome.
struct Flight: Equatable, Sendable {
    /// The outcome of a flight.
    enum Outcome: Equatable, Sendable {
        case cancelled
        /// It left `delay` minutes late and was in the air for `minutesInAir`.
        case arrived(delay: Int, minutesInAir: Int)
        /// It left `delay` minutes late and has no arrival delay. Its landing time is a guess.
        case diverted(delay: Int, minutesInAir: Int)
    }

    var origin: AirportCode
    var carrier: CarrierCode
    var scheduled: BoardTime
    var outcome: Outcome

    /// Its origin and its carrier.
    var leg: Leg { Leg(origin: origin, carrier: carrier) }
}
