/// The jobs of a ``ManualExecutor``, in the order of arrival. A plain value.
struct ManualJobs<Job> {
    private var waiting: [Job] = []
    /// The index of the first job that has not been taken.
    private var head = 0
    /// Whether a thread runs the jobs.
    private(set) var isRunning = false
    /// Whether a task waits for the end of a run.
    private var isAwaited = false
    /// The number of test stores that run them.
    private var users = 0
    /// Whether jobs run as they arrive, because the last test store has been released.
    private var isReleased = false

    var count: Int { waiting.count - head }

    /// Adds a job.
    ///
    /// - Returns: Whether the jobs must be run without a request.
    mutating func append(_ job: Job) -> Bool {
        waiting.append(job)
        return isReleased && !isRunning
    }

    /// Begins a run, unless another thread runs the jobs.
    ///
    /// - Returns: Whether the caller must run the jobs.
    mutating func beginRunning() -> Bool {
        guard !isRunning else { return false }
        isRunning = true
        return true
    }

    /// Returns the next job; nil if no job is left, which ends the run.
    mutating func next() -> Job? {
        guard head < waiting.count else {
            waiting.removeAll(keepingCapacity: true)
            head = 0
            isRunning = false
            return nil
        }
        defer { head += 1 }
        return waiting[head]
    }

    /// Ends the run, though there are more jobs.
    mutating func stopRunning() { isRunning = false }

    /// Requests a notification of the end of a run by another thread.
    ///
    /// - Returns: Whether no thread runs the jobs now. If one does, its end is awaited.
    mutating func awaitEnd() -> Bool {
        // Another task may wait already.
        if isRunning { isAwaited = true }
        return !isRunning
    }

    /// Ends the wait for the end of a run.
    ///
    /// - Returns: Whether a task waited for it.
    mutating func takeAwaited() -> Bool {
        defer { isAwaited = false }
        return isAwaited
    }

    mutating func addUser() {
        users += 1
        isReleased = false
    }

    /// Removes a test store.
    ///
    /// - Returns: Whether there are jobs to run now.
    mutating func removeUser() -> Bool {
        users -= 1
        isReleased = users == 0
        return isReleased && count > 0 && !isRunning
    }
}
