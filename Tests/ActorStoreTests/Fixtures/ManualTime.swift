import ActorStore

/// The time of an engine whose bounds are tested. It stands still until the test advances it.
final class ManualTime: Sendable {
    private let time = Guarded<Duration>(.zero)

    var clock: MonotonicClock { MonotonicClock { self.time.withLock { $0 } } }

    func advance(by duration: Duration) { time.withLock { $0 += duration } }
}
