/// A flight has come into a phase: the action that enters the tree at the carrier and goes up to the board.
///
/// It says neither whose flight it is nor where it starts: on the way up, each store adds what it knows.
struct FlightNews: Equatable, Sendable {
    let flight: FlightID
    let phase: FlightPhase
    let time: BoardTime
}
