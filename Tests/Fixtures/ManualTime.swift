import ActorStore

/// The time of an engine with tested limits. It stands still until the test advances it.
final class ManualTime: Sendable {
    private let time = LockedValue<Duration>(.zero)

    /// The engine's limits, with this time.
    var limits: WorkLimits { WorkLimits { Int64(self.time.withLock { $0 } / .nanoseconds(1)) } }

    func advance(by duration: Duration) { time.withLock { $0 += duration } }
}
