/// A source of time for the engine's bounds on work that it does in one go.
///
/// The bounds are tested on a clock that the work itself advances.
package struct MonotonicClock: Sendable {
    /// Returns the time since a moment that stays the same. The time never goes back.
    package let now: @Sendable () -> Duration

    /// The continuous clock of the system. Zero is the first use in the process.
    package static let system: MonotonicClock = {
        let start = ContinuousClock.now
        return MonotonicClock { ContinuousClock.now - start }
    }()

    package init(now: @escaping @Sendable () -> Duration) {
        self.now = now
    }
}
