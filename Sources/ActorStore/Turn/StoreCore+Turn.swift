import Synchronization

extension StoreCore {
    /// Reduces one action. The caller owns the turn and writes.
    @inlinable
    @inline(__always)
    func reducePlainly(_ action: Action) -> Effect<Action> {
        revision.store(revision.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
        return reducer(&state, action)
    }

    /// Reduces one action with all that belongs to a turn: interceptors, reducer, observers, effects, in this order.
    /// The caller owns the turn; it does not matter whether it writes, and it no longer does afterwards.
    ///
    /// - Returns: the tasks of effects that are to be started, or why the action was not reduced.
    @usableFromInline
    func reduceFully(_ action: Action) -> DispatchResult<Action> {
        let result = interceptAndReduce(action)
        gate.endWriting()
        notify()
        return result.map(take)
    }

    /// Reduces actions as one turn with one notification.
    @inlinable
    func reduceFully(_ actions: some Sequence<Action>) -> [Effect<Action>] {
        var effects: [Effect<Action>] = []
        if interceptors.isEmpty && actionObservers == 0 {
            gate.beginWriting()
            for action in actions {
                let effect = reducePlainly(action)
                if !effect.isNone { effects.append(effect) }
            }
        } else {
            for action in actions {
                if case .success(let effect) = interceptAndReduce(action), !effect.isNone { effects.append(effect) }
            }
        }
        gate.endWriting()
        notify()
        return effects
    }

    /// Runs the interceptors around the reducer.
    @usableFromInline
    func interceptAndReduce(_ action: Action) -> Result<Effect<Action>, StoreError> {
        guard !interceptors.isEmpty else { return .success(reduceAndRecord(action)) }
        gate.endWriting()
        var chain = InterceptorChain(core: self)
        let result = chain.run(action)
        if case .failure = result { rejectedActions.add(1, ordering: .relaxed) }
        return result
    }

    /// Reduces one action, and keeps it with the state after it if somebody observes actions.
    func reduceAndRecord(_ action: Action) -> Effect<Action> {
        gate.beginWriting()
        let effect = reducePlainly(action)
        if actionObservers > 0 { unpublishedActions.append((action, state)) }
        return effect
    }

    /// Tells the observers of the state, then those of actions, what has changed.
    @usableFromInline
    func notify() {
        withUnsafePointer(to: &state) { state in
            for watcher in watchers { watcher.check(state) }
        }
        guard !unpublishedActions.isEmpty else { return }
        for pair in unpublishedActions { actionBroadcast.publish(pair) }
        unpublishedActions.removeAll(keepingCapacity: true)
    }
}
