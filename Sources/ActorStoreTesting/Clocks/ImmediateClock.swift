import ActorStore

/// A clock on which nobody sleeps: whoever wants to goes on at once, and the time has passed.
///
/// For work whose waits do not matter to a test: delays, retries, debounces. A loop without an end, such as a timer,
/// goes round for ever on it; use a ``TestClock`` for that.
public final class ImmediateClock: Clock {
    /// The same as that of a ``TestClock``.
    public typealias Instant = TestClock.Instant

    private let time = LockedValue(Duration.zero)

    /// Creates a clock; it stands at zero.
    public init() {}

    /// Where it stands: at the latest moment until which anybody wanted to sleep.
    public var now: Instant { Instant(offset: time.withLock { $0 }) }

    /// It has no finer moments than a `Duration` has.
    public var minimumResolution: Duration { .zero }

    /// Lets others go on that are ready, and returns.
    ///
    /// - Throws: a `CancellationError` if the task has been cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try Task.checkCancellation()
        time.withLock { $0 = max($0, deadline.offset) }
        // A sleep is where others have their turn; so an endless loop does not keep the executor to itself.
        await Task.yield()
        try Task.checkCancellation()
    }
}
