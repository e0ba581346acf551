import ActorStore
import ActorStoreComposition

/// The clock that effects wait on. A replay gives each airport one of its own.
enum ClockKey: DependencyKey {
    static let liveValue: any Clock<Duration> = ContinuousClock()
}

extension DependencyValues {
    var clock: any Clock<Duration> {
        get { self[ClockKey.self] }
        set { self[ClockKey.self] = newValue }
    }
}
