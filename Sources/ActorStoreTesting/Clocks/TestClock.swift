import ActorStore

/// A clock that does not move until the test advances it.
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
/// While it advances, it stops at each deadline, resumes the tasks that sleep until then, and runs the
/// ``ManualExecutor`` of every task that has slept on it until no work is left, before it moves on. A timer that sleeps
/// again is therefore resumed as often as with a real clock. When
/// ``advance(by:fileID:filePath:line:column:isolation:)`` returns, everything that happens in that time has happened.
/// The clock neither yields nor guesses.
///
/// Work that runs elsewhere, outside of a test store, is resumed in the order of the deadlines and then takes real
/// time; ``untilSleeping(_:running:timeout:fileID:filePath:line:column:isolation:)`` waits until it sleeps.
public final class TestClock: Clock {
    /// An instant of a ``TestClock``.
    public struct Instant: InstantProtocol {
        /// The time since the clock's zero.
        public let offset: Duration

        /// Creates the instant at an offset from the clock's zero.
        public init(offset: Duration) { self.offset = offset }

        /// Returns the instant that is `duration` later.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }

        /// Returns the duration from this instant to the other one.
        public func duration(to other: Instant) -> Duration { other.offset - offset }

        /// Returns whether the left instant is before the right one.
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private typealias Continuation = CheckedContinuation<Void, any Error>

    private let sleepers = LockedValue(Sleepers<Continuation>())
    /// The executors of all tasks that have slept on the clock.
    private let executors = WeakExecutors()
    /// Counts the tasks that fall asleep.
    private let changes = EventCounter()

    /// The number of jobs after which a test fails because executors keep creating work for each other.
    private let mostJobs: Int

    /// Creates a clock at zero.
    public convenience init() { self.init(mostJobs: ManualExecutor.mostJobs) }

    init(mostJobs: Int) { self.mostJobs = mostJobs }

    /// The current time.
    public var now: Instant { Instant(offset: sleepers.withLock { $0.now }) }

    /// The resolution of a `Duration`.
    public var minimumResolution: Duration { .zero }

    /// The number of sleeping tasks.
    public var sleeping: Int { sleepers.withLock { $0.count } }

    /// Returns when the clock has reached an instant; at once if that is not in its future.
    ///
    /// - Throws: A `CancellationError` as soon as the task is cancelled.
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

    /// Advances the clock by a duration, and returns when everything that happens in that time has happened.
    ///
    /// - Parameters:
    ///   - duration: The duration. Zero runs pending work, and resumes no sleeping task. A negative duration is a
    ///     programmer error, and traps.
    ///   - fileID: The file of the caller, for failures.
    ///   - filePath: The path of the caller's file, for failures.
    ///   - line: The line of the caller, for failures.
    ///   - column: The column of the caller, for failures.
    ///   - isolation: The actor on which this runs; by default the caller's.
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

    /// Advances the clock to an instant, and returns when everything that happens until then has happened. An instant
    /// in the past does not move the clock.
    ///
    /// - Parameters:
    ///   - instant: The time afterwards.
    ///   - fileID: The file of the caller, for failures.
    ///   - filePath: The path of the caller's file, for failures.
    ///   - line: The line of the caller, for failures.
    ///   - column: The column of the caller, for failures.
    ///   - isolation: The actor on which this runs; by default the caller's.
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

    /// - Parameter end: The end, computed from the time when all work has come to rest, because other code can advance
    ///   the clock until then.
    private func advance(
        _ location: TestLocation,
        isolation: isolated (any Actor)? = #isolation,
        upTo end: (_ now: Duration) -> Duration
    ) async {
        await settle(location)
        let end = end(sleepers.withLock { $0.now })
        while wakeNext(upTo: end) { await settle(location) }
    }

    /// Advances the clock until no task sleeps.
    ///
    /// - Parameters:
    ///   - limit: The number of deadlines after which this stops and fails the test, because tasks keep sleeping again,
    ///     like an endless timer.
    ///   - fileID: The file of the caller, for failures.
    ///   - filePath: The path of the caller's file, for failures.
    ///   - line: The line of the caller, for failures.
    ///   - column: The column of the caller, for failures.
    ///   - isolation: The actor on which this runs; by default the caller's.
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
                    "After \(limit) deadlines a task still sleeps on the clock. Is there an endless timer?",
                    at: location
                )
            }
            _ = wakeNext(upTo: next)
            await settle(location)
            moments += 1
        }
    }

    /// Waits until a number of tasks sleep on the clock.
    ///
    /// Use it for work that must fall asleep before you advance the clock, and that does not run on a
    /// ``ManualExecutor``, or leaves one and returns, such as for a call of an actor.
    ///
    /// ```swift
    /// await store.dispatch(.refresh)                 // Its effect calls an actor, and then waits for the clock.
    /// await clock.untilSleeping(running: store.executor)
    /// await clock.advance(by: .seconds(1))
    /// ```
    ///
    /// - Parameters:
    ///   - count: The least number of sleeping tasks.
    ///   - executor: An executor to run meanwhile: that of the test store, if the work returns to it before it sleeps.
    ///     Give test stores that sleep on one clock the same executor.
    ///   - timeout: The longest wait, in real time, before the test fails.
    ///   - fileID: The file of the caller, for failures.
    ///   - filePath: The path of the caller's file, for failures.
    ///   - line: The line of the caller, for failures.
    ///   - column: The column of the caller, for failures.
    ///   - isolation: The actor on which this runs; by default the caller's.
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
        // Tasks that fall asleep elsewhere then advance its counter too.
        if let executor { executors.add(executor) }
        await settle(location)
        let ending = await (executor?.changes ?? changes).wait(atMost: timeout) {
            executor?.run(location)
            return sleeping >= count
        }
        guard ending != .done else { return }
        TestFailure.report("\(sleeping) tasks sleep on the clock, but \(count) were expected.", at: location)
    }

    /// Resumes the tasks of the next deadline.
    ///
    /// - Returns: Whether a task was resumed.
    private func wakeNext(upTo end: Duration) -> Bool {
        let due = sleepers.withLock { $0.advance(upTo: end) }
        for continuation in due { continuation.resume() }
        return !due.isEmpty
    }

    /// Runs all executors until none has a job: a job of one can create a job of another.
    private func settle(_ location: TestLocation, isolation: isolated (any Actor)? = #isolation) async {
        var total = 0
        while true {
            var count = 0
            for executor in executors.living {
                let jobs = await executor.settle(location)
                // The executor has already failed the test.
                if jobs >= ManualExecutor.mostJobs { return }
                count += jobs
            }
            if count == 0 { return }
            total += count
            guard total < mostJobs else {
                return TestFailure.report(
                    "After \(total) jobs executors still create work for each other. Does an effect loop?",
                    at: location
                )
            }
        }
    }
}
