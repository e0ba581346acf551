import ActorStore

/// An executor that runs jobs only when a test requests it, one after the other, on the requesting thread. Nothing
/// happens in between, and every run is the same.
///
/// ```swift
/// let executor = ManualExecutor()
/// let store = Store(initialState: 0, reducer: Clicks(), configuration: StoreConfiguration(executor: executor))
/// store.send(.clicked)                  // Reduced. Its effect has not begun.
/// executor.runUntilIdle()               // It has done all it can do.
/// ```
///
/// A ``TestStore`` has one, and runs it. These jobs run on it: the effects of a store with the executor in its
/// `StoreConfiguration`, and their child tasks, `async let`s, calls of ordinary actors, and continuations after a
/// suspension, whatever resumes them. These do not: `Task { }` and `Task.detached` inside of an effect, work that is
/// isolated to the main actor or to an actor with a custom executor, and an effect that has chosen another executor by
/// `on(_:)`. Such work takes real time. It returns here when the effect continues, which resumes a step of a test store
/// that waits for it.
///
/// A task that runs on the executor must not be the one that runs it, so a test itself does not prefer it.
public final class ManualExecutor: TaskExecutor {
    private let jobs = LockedValue(ManualJobs<UnownedJob>())
    /// Counts enqueued jobs, and the ends of runs.
    let changes = EventCounter()

    /// The number of jobs in one run after which a test fails.
    static let mostJobs = 1_000_000

    /// Creates an executor without jobs.
    public init() { ManualExecutorRegistry.add(self) }

    /// The number of waiting jobs.
    public var waitingJobs: Int { jobs.withLock { $0.count } }

    /// Queues a job until it is requested. Called by the runtime.
    public func enqueue(_ job: consuming ExecutorJob) {
        // The runtime does not retain an executor: another thread can run the job, and its task can end and release
        // this executor, before this method returns.
        let hold = Unmanaged.passRetained(self)
        let job = UnownedJob(job)
        if jobs.withLock({ $0.append(job) }) { runLater() }
        changes.advance()
        hold.release()
    }

    /// Runs the waiting jobs, and the jobs that they enqueue, in the order of arrival, until none is left.
    ///
    /// One thread at a time runs the jobs. A call from within a job, or while another thread runs them, returns at
    /// once.
    ///
    /// - Parameters:
    ///   - limit: The number of jobs after which this stops and fails the test, because there is always another one:
    ///     for example, an effect loops without waiting.
    ///   - fileID: The file of the caller, for failures.
    ///   - filePath: The path of the caller's file, for failures.
    ///   - line: The line of the caller, for failures.
    ///   - column: The column of the caller, for failures.
    /// - Returns: The number of jobs that it ran.
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
        // Not if no job was run: a waiting caller that runs jobs after each change would cause a change for ever.
        defer { if jobs.withLock({ $0.takeAwaited() }) || count > 0 { changes.advance() } }
        while let job = jobs.withLock({ $0.next() }) {
            job.runSynchronously(on: asUnownedTaskExecutor())
            count += 1
            guard count < limit || waitingJobs == 0 else {
                jobs.withLock { $0.stopRunning() }
                TestFailure.report(
                    "After \(count) jobs there is still another one. Does an effect loop without waiting?",
                    at: location
                )
                return count
            }
        }
        return count
    }

    /// Runs the waiting jobs like `run(atMost:_:)`; if another thread runs them, waits until that has finished.
    ///
    /// - Returns: The number of jobs that were run, where the run of another thread counts as one; 0 if that takes too
    ///   long.
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

    /// Removes a test store. After the last one, jobs run in their own tasks as they arrive, so that cancelled effects
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
