/// The phase of a flight.
enum FlightPhase: Equatable, Sendable {
    case scheduled
    /// It departed with that delay in minutes.
    case departed(delay: Int)
    case arrived
    case cancelled
    case diverted

    /// Whether this is the last phase of the flight.
    var isFinal: Bool {
        switch self {
        case .scheduled, .departed: false
        case .arrived, .cancelled, .diverted: true
        }
    }
}
