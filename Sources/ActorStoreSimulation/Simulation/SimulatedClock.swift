import ActorStoreTesting

/// The clock of a simulation. It does not move while a job can run, unless the simulation is configured otherwise, and
/// then jumps to the next deadline, so that hours take no time and you need not advance it.
///
/// Pass it to everything that takes a clock: effects, retries, timeouts, observers. A sleep that is cancelled throws a
/// `CancellationError`, and so does one that has not ended when the simulation ends.
public final class SimulatedClock: Clock {
    /// A time since the simulation began.
    public typealias Instant = TestClock.Instant

    private let executor: SimulationExecutor

    init(_ executor: SimulationExecutor) { self.executor = executor }

    /// The time since the simulation began.
    public var now: Instant { Instant(offset: executor.withSchedule { $0.sleepers.now }) }

    /// Zero: any difference counts.
    public var minimumResolution: Duration { .zero }

    /// Sleeps until the clock has reached the deadline. Tasks with the same deadline are resumed by one jump, and run
    /// in an order that the seed decides.
    ///
    /// - Throws: A `CancellationError` if the task is cancelled, or the simulation ends.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let number = executor.withSchedule { $0.sleepers.announce() }
        defer { executor.withSchedule { $0.sleepers.forget(number) } }
        try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { (sleeper: UnsafeContinuation<Void, any Error>) in
                switch executor.withSchedule({ $0.admit(number, until: deadline.offset, sleeper) }) {
                case .sleeps: break
                case .isDue: sleeper.resume()
                case .wasCancelled: sleeper.resume(throwing: CancellationError())
                }
            }
        } onCancel: {
            executor.withSchedule { $0.sleepers.cancel(number) }?.resume(throwing: CancellationError())
        }
    }
}
