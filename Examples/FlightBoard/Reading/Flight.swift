/// One row of the file: a flight and what became of it.
struct Flight: Equatable, Sendable {
    /// What became of a flight.
    enum Outcome: Equatable, Sendable {
        case cancelled
        /// It left `delay` minutes late and was in the air for `minutesInAir`.
        case arrived(delay: Int, minutesInAir: Int)
        /// It left `delay` minutes late and has no arrival delay. When it came down is a guess.
        case diverted(delay: Int, minutesInAir: Int)
    }

    var origin: AirportCode
    var carrier: CarrierCode
    var scheduled: BoardTime
    var outcome: Outcome

    /// Where it starts, and whose it is.
    var leg: Leg { Leg(origin: origin, carrier: carrier) }
}
