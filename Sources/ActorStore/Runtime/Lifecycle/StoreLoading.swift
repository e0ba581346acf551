/// The loading of a store's first state: the tasks that wait for it, its result, and its cancellation.
final class StoreLoading: @unchecked Sendable {
    // Sound: the variables are accessed only under `lock`.
    private let lock = Lock()
    private var task: Task<Void, Never>?
    private var isCancelled = false
    private var failure: (any Error)?
    private var isLoaded = false
    private var progress = Progress.awaited
    let waiters = EffectTracker()
    private let executor: (any TaskExecutor)?

    /// The code that moves this on from `awaited` gets the turn, which the loading has without being inside it.
    private enum Progress {
        case awaited
        /// It still runs, and nothing waits for it any longer.
        case abandoned
        /// It has ended, with or without a state.
        case over
    }

    /// Creates a loading without a task.
    ///
    /// - Parameter executor: The executor on which the loading is cancelled.
    init(executor: (any TaskExecutor)?) {
        self.executor = executor
    }

    /// Whether the store has received its first state.
    var hasLoaded: Bool { lock.withLock { isLoaded } }

    /// The error of the loading, if it failed. The loading may also have been cancelled.
    var error: (any Error)? { lock.withLock { failure } }

    /// Whether the loading was cancelled.
    var isGivenUp: Bool { lock.withLock { isCancelled } }

    /// Whether the store waits for the loading.
    var isAwaited: Bool { lock.withLock { progress == .awaited } }

    /// Whether the loading still runs, and nothing waits for it any longer: the store has ended without what it loads.
    var isAbandoned: Bool { lock.withLock { progress == .abandoned } }

    /// Records that the loading has ended.
    ///
    /// - Returns: Whether the store was waiting for it. The caller then has the turn. Otherwise the result does not
    ///   count, and the caller does not have the turn.
    func noteEnd() -> Bool {
        lock.withLock {
            defer { progress = .over }
            return progress == .awaited
        }
    }

    /// Records that the store no longer waits for the loading, because the time of a shutdown is over.
    ///
    /// - Returns: Whether the store was waiting until now. The caller then has the turn.
    func abandon() -> Bool {
        lock.withLock {
            guard progress == .awaited else { return false }
            progress = .abandoned
            return true
        }
    }

    /// Records the task, which may have been cancelled before.
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

    /// Records that the store has received its first state.
    func noteSuccess() { lock.withLock { isLoaded = true } }

    /// Records the error of the loading; `nil` clears it.
    func fail(_ error: (any Error)?) { lock.withLock { failure = error } }

    /// Waits for the end of the loading.
    ///
    /// - Throws: The error of the loading, or a `CancellationError` if the calling task is cancelled first.
    func wait(isolation: isolated (any Actor)? = #isolation) async throws { try await waiters.finish() }
}

extension TreeRoot {
    /// Whether there is a state, and not a placeholder because the loading has not succeeded.
    final var hasState: Bool { loading?.hasLoaded ?? true }
}

extension StoreCore {
    /// Keeps the turn, without being inside it, until the first state has been loaded, so that everything that is sent
    /// to the store waits in the mailbox. Called before the store is shared.
    ///
    /// - Parameters:
    ///   - interceptors: The interceptors that are set up once the state is loaded.
    ///   - prepare: Runs in the turn, before the loading begins.
    ///   - load: Loads the state.
    @usableFromInline
    func beginLoading(
        _ interceptors: [Interceptor<State, Action>],
        preparing prepare: () -> Void,
        _ load: @escaping @Sendable () async throws -> State
    ) {
        gate.beginNew()
        // The first message in the mailbox, before what is sent while the dependencies are created.
        useFirst(interceptors)
        whileMaking(prepare)
        // Pairs with nothing: no other thread has the store yet.
        phase.storeReleasing(.loading)
        let loading = StoreLoading(executor: configuration.executor)
        self.loading = loading
        let dependencies = self.dependencies.valuesOutsideReducers
        gate.withdrawOwner()
        // The task retains the core, so that what was accepted is reduced.
        let task = Task(executorPreference: configuration.executor, priority: configuration.priority) { [self] in
            do {
                finishLoading(try await DependencyOverrides.$current.withValue(dependencies, operation: load), loading)
            } catch {
                failLoading(error, loading)
            }
        }
        loading.attach(task)
    }

    private func finishLoading(_ loaded: State, _ loading: StoreLoading) {
        guard loading.noteEnd() else { return }
        gate.becomeOwner()
        beginWriting()
        // Kept until the writing has ended: releasing it can run user code.
        let initial = state
        state = loaded
        endWriting()
        deferred.retire(initial)
        loading.noteSuccess()
        // Pairs with `advance`: a shutdown that has begun meanwhile stays.
        _ = phase.compareExchangeAcquiringAndReleasing(expected: .loading, desired: .ready)
        end(loading.waiters)
        leave()
    }

    /// Records that the store will never have a state to continue from: waiting tasks are notified, and nothing more is
    /// accepted.
    private func failLoading(_ error: any Error, _ loading: StoreLoading) {
        guard loading.noteEnd() else { return }
        gate.becomeOwner()
        // Before the phase says so, and cleared if the loading was cancelled, which is not a failure. A shutdown alone
        // does not cancel it.
        loading.fail(error)
        let isGivenUp = !advance(to: .failed) && loading.isGivenUp
        if isGivenUp { loading.fail(nil) }
        closeMailbox()
        beginShutdown()
        if !isGivenUp { report(StoreFailure(error: error, origin: .loading)) }
        end(loading.waiters, failure: isGivenUp ? StoreError.shutDown : error)
        // Also if a shutdown has begun that has not cancelled the loading.
        refuseWhatWaits(isGivenUp ? .shutDown : .notReady)
        drain()
    }

    /// Takes the turn from a loading whose time is over, and refuses what waits for the state.
    ///
    /// - Returns: Whether the turn was taken.
    func takeTurnFromLoading() -> Bool {
        guard let loading, loading.abandon() else { return false }
        gate.becomeOwner()
        closeMailbox()
        beginShutdown()
        end(loading.waiters, failure: StoreError.shutDown)
        refuseWhatWaits(.shutDown)
        passOn()
        return true
    }

    /// Refuses everything that waits for the state. Called within the turn.
    private func refuseWhatWaits(_ reason: StoreError) {
        guard takeMessages() else { return }
        let refused = batch.filter { !$0.isTask }
        for message in refused { rejectedActions.addRelaxed(message.weight) }
        batch.removeAll { !$0.isTask }
        // In the background, because it releases user code, and the caller that shuts the store down may hold locks.
        deferCall { [self] in
            for message in refused {
                if message.weight > 0 { instrumentRegistry.load()?.drop(message, because: .rejected(reason)) }
                refuse(message, reason)
            }
        }
    }
}
