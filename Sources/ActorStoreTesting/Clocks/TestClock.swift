import ActorStore

/// A clock that stands still until the test moves it.
///
/// ```swift
/// let clock = TestClock()
/// let store = TestStore(initialState: Stopwatch.State(), reducer: Stopwatch(clock: clock))
/// await store.dispatch(.start)
/// await clock.advance(by: .seconds(2))
/// await store.receive(.tick) { $0.seconds = 1 }
/// await store.receive(.tick) { $0.seconds = 2 }
/// ```
///
/// When it is moved it stops at each moment for which somebody sleeps, wakes those, and lets all that runs on the
/// ``ManualExecutor`` of anybody who has slept on it come to rest before it goes on. So a timer that sleeps again is
/// woken as often as it would be, and when ``advance(by:fileID:filePath:line:column:isolation:)`` returns everything
/// has happened that happens in that time. There are no yields and no guesses in it.
///
/// What runs elsewhere, outside of a test store, is woken in the order of the deadlines and takes its time then;
/// ``untilSleeping(_:running:timeout:fileID:filePath:line:column:isolation:)`` waits until it sleeps.
public final class TestClock: Clock {
    /// A moment of a ``TestClock``.
    public struct Instant: InstantProtocol {
        /// How long after the clock was made.
        public let offset: Duration

        /// The moment that long after the clock was made.
        public init(offset: Duration) { self.offset = offset }

        /// The moment that long after this one.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }

        /// How long it takes from this moment to the other one.
        public func duration(to other: Instant) -> Duration { other.offset - offset }

        /// Whether one is before the other.
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private typealias Continuation = CheckedContinuation<Void, any Error>

    private let sleepers = LockedValue(Sleepers<Continuation>())
    /// Those of all who have slept.
    private let executors = WeakExecutors()
    /// Counts those who fall asleep.
    private let changes = EventCounter()

    /// After how many jobs, of executors that have work for each other, a test fails.
    private let mostJobs: Int

    /// Creates a clock; it stands at zero.
    public convenience init() { self.init(mostJobs: ManualExecutor.mostJobs) }

    init(mostJobs: Int) { self.mostJobs = mostJobs }

    /// Where it stands.
    public var now: Instant { Instant(offset: sleepers.withLock { $0.now }) }

    /// It has no finer moments than a `Duration` has.
    public var minimumResolution: Duration { .zero }

    /// How many sleep.
    public var sleeping: Int { sleepers.withLock { $0.count } }

    /// Returns when the clock has been moved to a moment; at once if that is not in its future.
    ///
    /// - Throws: a `CancellationError` if the task is cancelled, at once.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        if let executor = ManualExecutorRegistry.current { executors.add(executor) }
        let number = sleepers.withLock { $0.announce() }
        defer { sleepers.withLock { $0.forget(number) } }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                switch sleepers.withLock({ $0.admit(number, until: deadline.offset, continuation) }) {
                case .sleeps:
                    changes.advance()
                    for executor in executors.living { executor.changes.advance() }
                case .isDue: continuation.resume()
                case .wasCancelled: continuation.resume(throwing: CancellationError())
                }
            }
        } onCancel: {
            sleepers.withLock { $0.cancel(number) }?.resume(throwing: CancellationError())
        }
    }

    /// Moves it on by some time, and returns when all has happened that happens in that time.
    ///
    /// - Parameters:
    ///   - duration: How far. Zero lets work come to rest, and wakes nobody. Less than that is a programmer error, and
    ///     traps.
    ///   - fileID: Where this is written; leave the default.
    ///   - filePath: Where this is written; leave the default.
    ///   - line: Where this is written; leave the default.
    ///   - column: Where this is written; leave the default.
    public func advance(
        by duration: Duration,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column,
        isolation: isolated (any Actor)? = #isolation
    ) async {
        guard duration >= .zero else {
            fatalError("TestClock.advance(by: \(duration)) goes back in time. Give a duration of at least zero.")
        }
        await advance(TestLocation(fileID, filePath, line, column)) { now in now + duration }
    }

    /// Moves it on to a moment, and returns when all has happened that happens until then; a moment in its past is none
    /// to move to.
    ///
    /// - Parameters:
    ///   - instant: Where it stands afterwards.
    ///   - fileID: Where this is written; leave the default.
    ///   - filePath: Where this is written; leave the default.
    ///   - line: Where this is written; leave the default.
    ///   - column: Where this is written; leave the default.
    public func advance(
        to instant: Instant,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column,
        isolation: isolated (any Actor)? = #isolation
    ) async {
        await advance(TestLocation(fileID, filePath, line, column)) { _ in instant.offset }
    }

    /// - Parameter end: How far, by where it stands when all work has come to rest; others may move it until then.
    private func advance(
        _ location: TestLocation,
        isolation: isolated (any Actor)? = #isolation,
        upTo end: (_ now: Duration) -> Duration
    ) async {
        await settle(location)
        let end = end(sleepers.withLock { $0.now })
        while wakeNext(upTo: end) { await settle(location) }
    }

    /// Moves it on until nobody sleeps any more.
    ///
    /// - Parameters:
    ///   - limit: After how many moments at which somebody is woken it stops and fails the test, because somebody
    ///     always sleeps again, like a timer without an end.
    ///   - fileID: Where this is written; leave the default.
    ///   - filePath: Where this is written; leave the default.
    ///   - line: Where this is written; leave the default.
    ///   - column: Where this is written; leave the default.
    public func run(
        limit: Int = 10_000,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column,
        isolation: isolated (any Actor)? = #isolation
    ) async {
        let location = TestLocation(fileID, filePath, line, column)
        await settle(location)
        var moments = 0
        while let next = sleepers.withLock({ $0.nextDeadline }) {
            guard moments < limit else {
                return TestFailure.report(
                    "After \(limit) moments of the clock somebody still sleeps. Is there a timer without an end?",
                    at: location
                )
            }
            _ = wakeNext(upTo: next)
            await settle(location)
            moments += 1
        }
    }

    /// Waits until so many sleep on it: for work that has to come to its sleep before the clock is moved, and does not
    /// run on a ``ManualExecutor``, or leaves one, such as for a call of an actor, and comes back.
    ///
    /// ```swift
    /// await store.dispatch(.refresh)                 // Its effect calls an actor, and then waits for the clock.
    /// await clock.untilSleeping(running: store.executor)
    /// await clock.advance(by: .seconds(1))
    /// ```
    ///
    /// - Parameters:
    ///   - count: How many, at least.
    ///   - executor: Is run meanwhile: that of the test store, if the work comes back to it before it sleeps. Give test
    ///     stores that sleep on one clock the same executor.
    ///   - timeout: How long to wait in real time before the test fails.
    ///   - fileID: Where this is written; leave the default.
    ///   - filePath: Where this is written; leave the default.
    ///   - line: Where this is written; leave the default.
    ///   - column: Where this is written; leave the default.
    public func untilSleeping(
        _ count: Int = 1,
        running executor: ManualExecutor? = nil,
        timeout: Duration = .seconds(1),
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column,
        isolation: isolated (any Actor)? = #isolation
    ) async {
        let location = TestLocation(fileID, filePath, line, column)
        // What sleeps elsewhere wakes it, too.
        if let executor { executors.add(executor) }
        await settle(location)
        let ending = await (executor?.changes ?? changes).wait(atMost: timeout) {
            executor?.run(location)
            return sleeping >= count
        }
        guard ending != .done else { return }
        TestFailure.report("\(sleeping) sleep on the clock, but \(count) were expected to.", at: location)
    }

    /// - Returns: whether somebody was woken.
    private func wakeNext(upTo end: Duration) -> Bool {
        let due = sleepers.withLock { $0.advance(upTo: end) }
        for continuation in due { continuation.resume() }
        return !due.isEmpty
    }

    /// Runs all executors until none has anything to run: what one runs can be work for another one.
    private func settle(_ location: TestLocation, isolation: isolated (any Actor)? = #isolation) async {
        var total = 0
        while true {
            var count = 0
            for executor in executors.living {
                let jobs = await executor.settle(location)
                // It has failed the test.
                if jobs >= ManualExecutor.mostJobs { return }
                count += jobs
            }
            if count == 0 { return }
            total += count
            guard total < mostJobs else {
                return TestFailure.report(
                    "\(total) jobs have been run, and executors always have work for each other. Does an effect loop?",
                    at: location
                )
            }
        }
    }
}
