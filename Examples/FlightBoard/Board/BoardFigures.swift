/// What the board shows of all airports together.
struct BoardFigures: Equatable, Sendable {
    var flights = 0
    var departed = 0
    var arrived = 0
    var cancelled = 0
    var diverted = 0
    var alertsRaised = 0
    var alertsCleared = 0

    /// How often people were told about an alert.
    var announcements = 0

    /// The latest minute that any airport has reached.
    var time: BoardTime?

    /// How many events of flights have been counted; alerts are none.
    var events: Int { flights + departed + arrived + cancelled + diverted }
}
