/// What the board shows of an airport: small, so that comparing it at each action costs little.
struct AirportFigures: Equatable, Sendable {
    var flights = 0
    var departed = 0
    var arrived = 0
    var cancelled = 0
    var diverted = 0
    var rollingDelay: Double?
    var isLate = false
    var weather = AirportWeather()

    /// The rolling delay as precisely as people are told of it.
    var delayInTens: Int? { rollingDelay.map { Int($0 / 10) } }

    /// How many are in the air.
    var inAir: Int { departed - arrived - diverted }
}
