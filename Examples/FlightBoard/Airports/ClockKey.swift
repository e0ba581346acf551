import ActorStore
import ActorStoreComposition

/// The clock of effects. A replay gives each airport its own.
enum ClockKey: DependencyKey {
    static let liveValue: any Clock<Duration> = ContinuousClock()
}

extension DependencyValues {
    var clock: any Clock<Duration> {
        get { self[ClockKey.self] }
        set { self[ClockKey.self] = newValue }
    }
}
