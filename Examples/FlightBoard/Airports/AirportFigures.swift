/// The displayed figures of an airport: small, so that comparing them at each action costs little.
struct AirportFigures: Equatable, Sendable {
    var flights = 0
    var departed = 0
    var arrived = 0
    var cancelled = 0
    var diverted = 0
    var rollingDelay: Double?
    var isLate = false
    var weather = AirportWeather()

    /// The rolling delay with the precision of announcements.
    var delayInTens: Int? { rollingDelay.map { Int($0 / 10) } }

    /// The number of flights in the air.
    var inAir: Int { departed - arrived - diverted }
}
