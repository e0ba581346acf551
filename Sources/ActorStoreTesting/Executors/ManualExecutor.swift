import ActorStore

/// Runs jobs when a test says so, one after the other, on the thread that says so: nothing happens in between, and what
/// happens is the same each time.
///
/// ```swift
/// let executor = ManualExecutor()
/// let store = Store(initialState: 0, reducer: Clicks(), configuration: StoreConfiguration(executor: executor))
/// store.send(.clicked)                  // Reduced. Its effect has not begun.
/// executor.runUntilIdle()               // It has done all it can do.
/// ```
///
/// A ``TestStore`` has one, and runs it. What runs on it: the effects of a store that has it in its
/// `StoreConfiguration`, and their child tasks, `async let`s, calls of ordinary actors, and what comes after a
/// suspension, whoever ends that. What does not: `Task { }` and `Task.detached` inside of an effect, work that is
/// isolated to the main actor or to an actor with an executor of its own, and an effect that has chosen another
/// executor by `on(_:)`. Those take as long as they take; they come back here when the effect goes on, and whoever
/// waits in a test store is woken by that.
///
/// A task that runs on it must not be the one that runs it, so that a test itself does not prefer it.
public final class ManualExecutor: TaskExecutor {
    private let jobs = LockedValue(ManualJobs<UnownedJob>())
    /// Counts the jobs that come, and the ends of those that ran.
    let changes = EventCounter()

    /// After how many jobs of which there is no end a test fails.
    static let mostJobs = 1_000_000

    /// Creates one that has nothing to do.
    public init() { ManualExecutorRegistry.add(self) }

    /// How many jobs wait.
    public var waitingJobs: Int { jobs.withLock { $0.count } }

    /// Keeps a job until it is asked for; called by the runtime.
    public func enqueue(_ job: consuming ExecutorJob) {
        // The runtime holds no executor: another thread can run the job, and its task end and let go of this, before
        // this returns.
        let hold = Unmanaged.passRetained(self)
        let job = UnownedJob(job)
        if jobs.withLock({ $0.append(job) }) { runLater() }
        changes.advance()
        hold.release()
    }

    /// Runs the jobs that wait, and those that come of them, in the order in which they came, until there are none.
    ///
    /// At one time one thread runs them. A call from within a job, or while another thread is at it, returns at once.
    ///
    /// - Parameters:
    ///   - limit: After how many jobs it stops and fails the test, because there is always another one: as when an
    ///     effect goes round and round without waiting for anything.
    ///   - fileID: Where this is written; leave the default.
    ///   - filePath: Where this is written; leave the default.
    ///   - line: Where this is written; leave the default.
    ///   - column: Where this is written; leave the default.
    /// - Returns: how many jobs it ran.
    @discardableResult
    public func runUntilIdle(
        limit: Int = 1_000_000,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) -> Int {
        run(atMost: limit, TestLocation(fileID, filePath, line, column))
    }

    @discardableResult
    func run(atMost limit: Int = ManualExecutor.mostJobs, _ location: TestLocation) -> Int {
        guard jobs.withLock({ $0.beginRunning() }) else { return 0 }
        var count = 0
        // Not when nothing was done: who waits, and runs jobs after each change, would cause one for ever.
        defer { if jobs.withLock({ $0.takeAwaited() }) || count > 0 { changes.advance() } }
        while let job = jobs.withLock({ $0.next() }) {
            job.runSynchronously(on: asUnownedTaskExecutor())
            count += 1
            guard count < limit || waitingJobs == 0 else {
                jobs.withLock { $0.stopRunning() }
                TestFailure.report(
                    "\(count) jobs have been run, and there is always another one. Does an effect loop without waiting?",
                    at: location
                )
                return count
            }
        }
        return count
    }

    /// The same; and if another thread is at it, waits until that is done.
    ///
    /// - Returns: How many jobs were run, where the work of another thread counts as one; 0 if that takes too long.
    @discardableResult
    func settle(
        atMost limit: Int = ManualExecutor.mostJobs,
        _ location: TestLocation,
        isolation: isolated (any Actor)? = #isolation
    ) async -> Int {
        var count = 0
        let ending = await changes.wait(atMost: .seconds(1)) {
            count += run(atMost: limit, location)
            let isOver = jobs.withLock { $0.awaitEnd() }
            if !isOver { count += 1 }
            return isOver
        }
        return ending == .done ? count : 0
    }

    /// Adds a test store that runs the jobs.
    func addUser() { jobs.withLock { $0.addUser() } }

    /// Removes a test store. After the last one, jobs run in tasks of their own as they come, so that cancelled effects
    /// end.
    func removeUser() {
        if jobs.withLock({ $0.removeUser() }) { runLater() }
    }

    private func runLater() {
        Task.detached { [self] in
            run(TestLocation(#fileID, #filePath, #line, #column))
        }
    }
}

extension ManualExecutor: DeterministicExecutor {
    package var workLimits: WorkLimits { .withoutTime }
}
