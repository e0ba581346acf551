import ActorStore

/// A clock on which no task sleeps: each sleep returns at once, and the clock moves to its deadline.
///
/// Use it for work whose waits do not matter to a test: delays, retries, debounces. Do not use it for an endless loop,
/// such as a timer, which would run for ever; use a ``TestClock`` for that.
public final class ImmediateClock: Clock {
    /// The instant of a ``TestClock``.
    public typealias Instant = TestClock.Instant

    private let time = LockedValue(Duration.zero)

    /// Creates a clock at zero.
    public init() {}

    /// The current time: the latest deadline of all sleeps so far.
    public var now: Instant { Instant(offset: time.withLock { $0 }) }

    /// The resolution of a `Duration`.
    public var minimumResolution: Duration { .zero }

    /// Moves the clock to the deadline, yields to other tasks that are ready, and returns.
    ///
    /// - Throws: A `CancellationError` if the task has been cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try Task.checkCancellation()
        time.withLock { $0 = max($0, deadline.offset) }
        // A sleep yields to other tasks, so an endless loop does not occupy the executor.
        await Task.yield()
        try Task.checkCancellation()
    }
}
