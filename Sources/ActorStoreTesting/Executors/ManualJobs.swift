/// The jobs of a ``ManualExecutor``, in the order in which they came. A plain value.
struct ManualJobs<Job> {
    private var waiting: [Job] = []
    /// The place of the first one that has not been taken.
    private var head = 0
    /// Whether somebody runs them.
    private(set) var isRunning = false
    /// Whether somebody waits until they have been run.
    private var isAwaited = false
    /// The number of test stores that run them.
    private var users = 0
    /// Whether they run as they come, because the last test store has been released.
    private var isReleased = false

    var count: Int { waiting.count - head }

    /// - Returns: whether they have to be run without anybody asking for it.
    mutating func append(_ job: Job) -> Bool {
        waiting.append(job)
        return isReleased && !isRunning
    }

    /// - Returns: whether the caller is the one who runs them; another one does otherwise.
    mutating func beginRunning() -> Bool {
        guard !isRunning else { return false }
        isRunning = true
        return true
    }

    /// The next one; nil if there are none, and then nobody runs them any more.
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

    /// Stops running them, though there are more.
    mutating func stopRunning() { isRunning = false }

    /// - Returns: whether nobody runs them now. If somebody does, the end of that is awaited.
    mutating func awaitEnd() -> Bool {
        // Others may wait already.
        if isRunning { isAwaited = true }
        return !isRunning
    }

    /// - Returns: whether somebody waited for the end of a run.
    mutating func takeAwaited() -> Bool {
        defer { isAwaited = false }
        return isAwaited
    }

    mutating func addUser() {
        users += 1
        isReleased = false
    }

    /// - Returns: Whether there are jobs to run now.
    mutating func removeUser() -> Bool {
        users -= 1
        isReleased = users == 0
        return isReleased && count > 0 && !isRunning
    }
}
