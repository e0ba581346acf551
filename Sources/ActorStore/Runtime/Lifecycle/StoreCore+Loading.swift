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
                if message.weight > 0 { instrumentPanel.load()?.drop(message, because: .rejected(reason)) }
                refuse(message, reason)
            }
        }
    }
}
