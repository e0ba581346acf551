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

    /// Reduces one action with all that belongs to a turn; see ``TreeRoot/reduceInTurn(_:of:named:_:)``.
    @inlinable
    @inline(__always)
    func reduceFully(_ action: Action) -> DispatchResult {
        reduceInTurn(action, of: self, named: configuration.name) { travel(action) {} }
    }

    /// The same, unless the store has ended.
    @usableFromInline
    func reduceUnlessEnded(_ action: Action) -> DispatchResult {
        lifecycle.isEnded ? .failure(.shutDown) : reduceFully(action)
    }

    /// Reduces actions as one turn; see ``TreeRoot/reduceInTurn(batch:of:named:_:)``.
    @inlinable
    func reduceFully(batch actions: [Action]) -> EffectLaunch {
        reduceInTurn(batch: actions, of: self, named: configuration.name) { travel($0) {} }
    }

    /// Reduces an action that comes up the tree, or one of the root's own: the interceptors, then what is `below`, then the
    /// reducer. In the turn. The effect is kept until all have been told.
    @inlinable
    @inline(__always)
    func travel(_ action: Action, _ below: () -> Void) -> Result<Void, StoreError> {
        if interceptors.isEmpty {
            below()
            keep(reduceAndRecord(action))
            return .success(())
        }
        return intercept(action, below: below).map { keep($0) }
    }

    @inlinable
    @inline(__always)
    func keep(_ effect: Effect<Action>) {
        if effect.isNone { return }
        newEffects.append((effect, placeInBatch))
        progress.insert(.newEffects)
    }

    /// Takes on the effect of an action, which is kept as long as the effect runs, for the errors that come of it.
    @inlinable
    func take(_ effect: Effect<Action>, of action: Action) -> EffectLaunch {
        let launch = takeOn(effect)
        launch.tracker?.note(action)
        return launch
    }

    @inlinable
    func intercept(_ action: Action, below: () -> Void) -> Result<Effect<Action>, StoreError> {
        pauseWriting()
        defer { progress.remove(.atRest) }
        return withoutActuallyEscaping(below) { below in
            var chain = InterceptorChain(to: InterceptedRoot(core: self, below: below))
            if let refusal = chain.pass(action) { return .failure(refusal) }
            return .success(chain.end.effects.merged)
        }
    }

    /// Reduces one action, and keeps it with the state after it if somebody observes actions.
    @inlinable
    func reduceAndRecord(_ action: Action) -> Effect<Action> {
        progress.remove(.atRest)
        beginWriting()
        var effect = reducePlainly(action)
        if !attached.isEmpty { effect = effect.merged(with: attached.reduce(into: &state, action: action)) }
        if extras.contains(.actionObservers) { unpublishedActions.append((action, state)) }
        return effect
    }

    @usableFromInline
    func notifyActionObservers() {
        guard !unpublishedActions.isEmpty else { return }
        for pair in unpublishedActions { actionGroup?.publish(pair) }
        deferred.retire(unpublishedActions)
        unpublishedActions = []
    }
}
