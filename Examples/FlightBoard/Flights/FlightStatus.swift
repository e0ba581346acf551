/// What the board knows of a flight.
struct FlightStatus: Equatable, Sendable {
    let leg: Leg
    let phase: FlightPhase

    /// When it came into this phase.
    let time: BoardTime
}
