/// The loading of a store's first state: who waits for it, how it went, and the way to give it up.
final class StoreLoading: @unchecked Sendable {
    // Sound: the variables are touched only under `lock`.
    private let lock = Lock()
    private var task: Task<Void, Never>?
    private var isCancelled = false
    private var failure: (any Error)?
    private var isLoaded = false
    private var progress = Progress.awaited
    let waiters = EffectTracker()
    private let executor: (any TaskExecutor)?

    /// Whoever moves this on from `awaited` has the turn, which the loading keeps without being inside of it.
    private enum Progress {
        case awaited
        /// It goes on, and nobody waits for it any longer.
        case abandoned
        /// It has come to its end, well or not.
        case over
    }

    /// - Parameter executor: Where the loading is cancelled.
    init(executor: (any TaskExecutor)?) {
        self.executor = executor
    }

    /// Whether the store has got its first state.
    var hasLoaded: Bool { lock.withLock { isLoaded } }

    /// What went wrong, if anything did. The loading may also have been given up.
    var error: (any Error)? { lock.withLock { failure } }

    /// Whether it has been cancelled.
    var isGivenUp: Bool { lock.withLock { isCancelled } }

    /// Whether the store waits for it.
    var isAwaited: Bool { lock.withLock { progress == .awaited } }

    /// Whether it goes on, and nobody waits for it any longer: the store has ended without what it loads.
    var isAbandoned: Bool { lock.withLock { progress == .abandoned } }

    /// Records that it has come to its end.
    ///
    /// - Returns: Whether the store has waited for that: then the caller has the turn. Otherwise what it has come to
    ///   does not count, and the turn is not the caller's.
    func noteEnd() -> Bool {
        lock.withLock {
            defer { progress = .over }
            return progress == .awaited
        }
    }

    /// Records that the store no longer waits for it, because the time of a shutdown is over.
    ///
    /// - Returns: Whether the store has waited until now: then the caller has the turn.
    func abandon() -> Bool {
        lock.withLock {
            guard progress == .awaited else { return false }
            progress = .abandoned
            return true
        }
    }

    /// Notes the task, which may have been given up before it came to this.
    func attach(_ task: Task<Void, Never>) {
        let wasCancelled = lock.withLock {
            self.task = task
            return isCancelled
        }
        if wasCancelled { task.cancelInBackground(on: executor) }
    }

    func cancel() {
        let task = lock.withLock {
            isCancelled = true
            return self.task
        }
        task?.cancelInBackground(on: executor)
    }

    /// Notes that the store has got its first state.
    func noteSuccess() { lock.withLock { isLoaded = true } }

    /// Notes what went wrong.
    func fail(_ error: (any Error)?) { lock.withLock { failure = error } }

    /// Waits for the end. Throws what went wrong, or a `CancellationError` if the calling task is cancelled first.
    func wait(isolation: isolated (any Actor)? = #isolation) async throws { try await waiters.finish() }
}
