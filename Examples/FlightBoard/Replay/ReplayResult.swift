/// The result of a replay.
struct ReplayResult: Sendable {
    let state: BoardTree.State

    /// The number of actions reduced by the tree: the events of flights, and the actions of effects.
    let revision: UInt64

    /// From the first dispatch until the end of the last effect.
    let elapsed: Duration

    let lastSeen: LastSeen

    /// The number of events to replay.
    let eventCount: Int

    /// Whether it was interrupted before the last event.
    let wasInterrupted: Bool

    /// The results of all weather requests.
    var weather: WeatherTally {
        state.airports.values.reduce(into: WeatherTally()) { $0 += $1.weatherTally }
    }
}
