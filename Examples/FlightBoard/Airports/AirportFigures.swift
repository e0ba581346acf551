/// What the board shows of an airport: small, so that comparing it at each action costs little.
struct AirportFigures: Equatable, Sendable {
    var flights = 0
    var departed = 0
    var arrived = 0
    var cancelled = 0
    var diverted = 0
    var rollingDelay: Double?
    var hasAlert = false

    /// How many are in the air.
    var inAir: Int { departed - arrived - diverted }
}
