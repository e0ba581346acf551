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

extension TreeRoot {
    /// Whether there is a state, and not one that stands in for it because the loading has not ended well.
    final var hasState: Bool { loading?.hasLoaded ?? true }
}

extension StoreCore {
    /// Keeps the turn, without being inside of it, until the first state has been loaded: so everything that is asked
    /// of the store waits in the mailbox. Called before anybody else has the store.
    ///
    /// - Parameters:
    ///   - interceptors: set up when the state is there.
    ///   - prepare: done in the turn, before the loading begins.
    ///   - load: loads the state.
    @usableFromInline
    func beginLoading(
        _ interceptors: [Interceptor<State, Action>],
        preparing prepare: () -> Void,
        _ load: @escaping @Sendable () async throws -> State
    ) {
        gate.beginNew()
        // First of all in the mailbox, before what is sent while the dependencies are made.
        useFirst(interceptors)
        whileMaking(prepare)
        // Pairs with nothing: no other thread has the store yet.
        phase.storeReleasing(.loading)
        let loading = StoreLoading(executor: configuration.executor)
        self.loading = loading
        let dependencies = self.dependencies.valuesOutsideReducers
        gate.withdrawOwner()
        // It keeps the core alive, so that what was accepted is reduced.
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
        // Carried out of the writing: releasing it can run code of users.
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

    /// The store will never have a state to go on from: whoever waits is told, and nothing more is accepted.
    private func failLoading(_ error: any Error, _ loading: StoreLoading) {
        guard loading.noteEnd() else { return }
        gate.becomeOwner()
        // Before the phase says so, and taken back if the loading was given up, which is no failure. A shutdown alone
        // does not give it up.
        loading.fail(error)
        let isGivenUp = !advance(to: .failed) && loading.isGivenUp
        if isGivenUp { loading.fail(nil) }
        closeMailbox()
        beginShutdown()
        if !isGivenUp { report(StoreFailure(error: error, origin: .loading)) }
        end(loading.waiters, failure: isGivenUp ? StoreError.shutDown : error)
        // Also if a shutdown has begun, which has not given the loading up.
        refuseWhatWaits(isGivenUp ? .shutDown : .notReady)
        drain()
    }

    /// Takes the turn from a loading for which there is no more time, and refuses what waits for it.
    ///
    /// - Returns: Whether it did.
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

    /// Refuses all that waits for the state. In the turn.
    private func refuseWhatWaits(_ reason: StoreError) {
        guard takeMessages() else { return }
        let refused = batch.filter { !$0.isTask }
        for message in refused { rejectedActions.addRelaxed(message.weight) }
        batch.removeAll { !$0.isTask }
        // In the background, because it releases code of users, and who shuts the store down may hold locks.
        deferCall { [self] in
            for message in refused {
                if message.weight > 0 { instrumentRegistry.load()?.drop(message, because: .rejected(reason)) }
                refuse(message, reason)
            }
        }
    }
}
