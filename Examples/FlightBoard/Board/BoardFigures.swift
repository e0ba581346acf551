/// The displayed figures of all airports together.
struct BoardFigures: Equatable, Sendable {
    var flights = 0
    var departed = 0
    var arrived = 0
    var cancelled = 0
    var diverted = 0
    var alertsRaised = 0
    var alertsCleared = 0

    /// The number of announced alerts.
    var announcements = 0

    /// The latest minute reached by any airport.
    var time: BoardTime?

    /// The number of counted flight events; alerts do not count.
    var events: Int { flights + departed + arrived + cancelled + diverted }
}
