/// What is left when a replay has ended.
struct ReplayResult: Sendable {
    let state: BoardTree.State

    /// How many actions the tree reduced: the events of flights, and what effects sent.
    let revision: UInt64

    /// From the first dispatch until the last effect has ended.
    let elapsed: Duration

    let lastSeen: LastSeen

    /// How many events there were to replay.
    let eventCount: Int

    /// Whether somebody interrupted it before all of them had been.
    let wasInterrupted: Bool

    /// What came of all requests for the weather.
    var weather: WeatherTally {
        state.airports.values.reduce(into: WeatherTally()) { $0 += $1.weatherTally }
    }
}
