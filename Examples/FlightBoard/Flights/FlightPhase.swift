/// How far a flight has come.
enum FlightPhase: Equatable, Sendable {
    case scheduled
    /// It left so many minutes late.
    case departed(delay: Int)
    case arrived
    case cancelled
    case diverted

    /// Whether nothing more will happen to the flight.
    var isFinal: Bool {
        switch self {
        case .scheduled, .departed: false
        case .arrived, .cancelled, .diverted: true
        }
    }
}
