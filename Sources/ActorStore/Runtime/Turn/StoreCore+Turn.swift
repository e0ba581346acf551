import Synchronization

extension StoreCore {
    /// Reduces one action. The caller owns the turn and writes.
    @inlinable
    @inline(__always)
    func reducePlainly(_ action: Action) -> Effect<Action> {
        let effect = reducer(&state, action)
        // Releasing: who reads a revision, and then the snapshot, finds at least the state of that revision.
        revision.storeReleasing(revision.loadRelaxed() &+ 1)
        return effect
    }

    /// Reduces one action with all that belongs to a turn: interceptors, reducer, observers, effects, in this order.
    /// The caller owns the turn; it does not matter whether it writes, and it no longer does afterwards.
    ///
    /// - Returns: the tasks of effects that are to be started, or why the action was not reduced.
    @inlinable
    func reduceFully(_ action: Action) -> DispatchResult {
        // Asked once, so that it costs little where there are none.
        guard !isInstrumented else { return reduceFullyAndTell(action) }
        let result = interceptAndReduce(action)
        endWriting()
        notify()
        return take(result, of: action)
    }

    /// The same in a store with instruments.
    @inlinable
    @inline(never)
    func reduceFullyAndTell(_ action: Action) -> DispatchResult {
        let result = telling(action, to: configuration.name) { interceptAndReduce(action) }
        endWriting()
        tellingOfNotification { notify() }
        defer { forgetToldAction() }
        return take(result, of: action)
    }

    @inlinable
    @inline(__always)
    func take(_ result: Result<Effect<Action>, StoreError>, of action: Action) -> DispatchResult {
        switch result {
        case .success(let effect): .success(effect.isNone ? EffectLaunch() : take(effect, of: action))
        case .failure(let error): .failure(error)
        }
    }

    /// Takes on the effect of an action, which is kept as long as the effect runs, for the errors that come of it.
    @inlinable
    func take(_ effect: Effect<Action>, of action: Action) -> EffectLaunch {
        let launch = takeOn(effect)
        launch.tracker?.note(action)
        return launch
    }

    /// Reduces actions as one turn with one notification.
    @inlinable
    func reduceFully(_ actions: some Sequence<Action>) -> [(effect: Effect<Action>, action: Action)] {
        var effects: [(effect: Effect<Action>, action: Action)] = []
        beginWriting()
        isInBatch = true
        for action in actions {
            let result = telling(action, to: configuration.name) { interceptAndReduce(action) }
            if case .success(let effect) = result, !effect.isNone { effects.append((effect, action)) }
        }
        isInBatch = false
        endWriting()
        tellingOfNotification { notify() }
        forgetToldAction()
        return effects
    }

    /// Runs the interceptors around the reducer.
    @inlinable
    func interceptAndReduce(_ action: Action) -> Result<Effect<Action>, StoreError> {
        interceptors.isEmpty ? .success(reduceAndRecord(action)) : intercept(action, below: {})
    }

    @inlinable
    func intercept(_ action: Action, below: () -> Void) -> Result<Effect<Action>, StoreError> {
        pauseWriting()
        defer { isAtRest = false }
        return withoutActuallyEscaping(below) { below in
            var chain = InterceptorChain(to: InterceptedRoot(core: self, below: below))
            guard let refusal = chain.run(action) else { return .success(chain.end.effect) }
            noteRejection()
            return .failure(refusal)
        }
    }

    /// Reduces one action, and keeps it with the state after it if somebody observes actions.
    @inlinable
    func reduceAndRecord(_ action: Action) -> Effect<Action> {
        isAtRest = false
        beginWriting()
        var effect = reducePlainly(action)
        if !attached.isEmpty { effect = effect.merged(with: attached.reduce(into: &state, action: action)) }
        if actionObservers > 0 { unpublishedActions.append((action, state)) }
        return effect
    }

    /// Tells the observers of the state, then those of actions, what has changed; then that ends which has gone with it.
    @inlinable
    func notify() {
        if hasChangedElement { renewMemories() }
        notifyWatchers(stateAddress)
        if hasDerived { notifyDerived() }
        if actionObservers > 0 { notifyActionObservers() }
        if hasEndings { endWhatHasGone() }
        if hasDrivenEffects { startDrivenEffects() }
    }

    @usableFromInline
    func notifyActionObservers() {
        guard !unpublishedActions.isEmpty else { return }
        for pair in unpublishedActions { actionGroup?.publish(pair) }
        deferred.retire(unpublishedActions)
        unpublishedActions = []
    }
}
