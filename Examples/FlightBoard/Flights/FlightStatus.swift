/// The board's entry of a flight.
struct FlightStatus: Equatable, Sendable {
    let leg: Leg
    let phase: FlightPhase

    /// The time at which it entered this phase.
    let time: BoardTime
}
