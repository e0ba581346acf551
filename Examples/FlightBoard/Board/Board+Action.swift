extension Board {
    /// What happens: to a flight, in the order of its life, or to an airport's alert.
    enum Action: Equatable, Sendable {
        case scheduled(Leg, at: BoardTime)
        case departed(Leg, delay: Int, at: BoardTime)
        case arrived(Leg, at: BoardTime)
        case cancelled(Leg, at: BoardTime)
        case diverted(Leg, at: BoardTime)
        case alertRaised(AirportCode, number: Int)
        case alertCleared(AirportCode, number: Int)
    }
}
