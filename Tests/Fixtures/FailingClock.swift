/// A clock on which no task can sleep.
struct FailingClock: Clock {
    struct Failed: Error {}

    /// What it throws in place of sleeping.
    var error: any Error = Failed()

    var now: ContinuousClock.Instant { .now }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws { throw error }
}
