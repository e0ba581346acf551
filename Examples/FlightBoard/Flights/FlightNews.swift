/// A flight has entered a phase: the action that enters the tree at the carrier and goes up to the board.
///
/// It has neither the carrier nor the airport: on the way up, each store adds its own.
struct FlightNews: Equatable, Sendable {
    let flight: FlightID
    let phase: FlightPhase
    let time: BoardTime
}
