// What durable and replicated stores ask of the store that they keep, beside the public API: to tell the reduction of one
// action from all others, and to begin effects when the action has been written, or has come back by the log.

/// What effects join that begin after the turn of their action, so that its ``StoreTask`` counts them.
package struct EffectHold: Sendable {
    fileprivate let tracker: EffectTracker

    /// Has the task of the action wait for effects that begin later, with ``Store/begin(_:of:holding:)``, or are
    /// dropped by ``drop()``. In the turn of the action.
    ///
    /// - Parameter isAnswered: Whether the action can still be answered in this turn; otherwise it is not answered.
    package func hold(isAnswered: Bool = true) {
        tracker.begin()
        if !isAnswered { tracker.refuseAnswers() }
    }

    /// Says that the effects that were held back will not begin. Out of the turn.
    package func drop() { if tracker.end() { tracker.tellEnd() } }
}

extension Store {
    /// Dispatches an action, and says in the turn when its own reduction begins and ends: so what is known of this
    /// dispatch can be told from what others send at the same time.
    ///
    /// For a root only.
    ///
    /// - Parameters:
    ///   - action: What happens.
    ///   - tracksFeedback: Whether the task also awaits the effects of the actions that its effects send.
    ///   - bracket: Called right before the action is reduced, with what its effects can be held back by, and with nil
    ///     right after it; not at all if it is not reduced.
    /// - Returns: The effects, and the answer, if the action is a request that a reducer has answered.
    package func dispatch(
        _ action: Action,
        tracksFeedback: Bool,
        isolation: isolated (any Actor)? = #isolation,
        bracketedBy bracket: @escaping @Sendable (EffectHold?) -> Void
    ) async throws(StoreError) -> (task: StoreTask, answer: (any Sendable)?) {
        guard case .root(let core) = backing else { preconditionFailure("Only a root can tell its actions apart.") }
        let pending = PendingAnswer()
        let tracker = EffectTracker(tracksFeedback: tracksFeedback, answering: pending)
        // All that the action itself has begun is counted by then.
        defer { if tracker.end() { tracker.tellEnd() } }
        let action = core.hasAsyncInterceptors ? try await core.askFirst(action) : action
        let task = try await core.dispatch(action, to: core, joining: tracker) {
            bracket(EffectHold(tracker: tracker))
            defer { bracket(nil) }
            return StoreBacking.root(core).reduceInTurn(action)
        }
        return (task, pending.take())
    }
}

extension WeakStore {
    /// Begins effects that no reduction asks for now, in the next turn. Calls from one thread keep their order.
    ///
    /// For a root only.
    ///
    /// - Parameters:
    ///   - effect: What is to be done.
    ///   - action: The action whose reducer has asked for it, for the errors that come of it; nil if none has.
    ///   - hold: Counts the effects for the dispatcher of the action; nil if nobody waits for them.
    ///   - willBegin: Called in the turn, before the effects begin.
    /// - Returns: Whether the store is still there; nothing has been done otherwise.
    @discardableResult
    package func begin(
        _ effect: Effect<Action>,
        of action: Action? = nil,
        holding hold: EffectHold? = nil,
        willBegin: @escaping @Sendable () -> Void = {}
    ) -> Bool {
        guard let core else { return false }
        core.inTurn {
            willBegin()
            if !core.lifecycle.isEnded {
                core.deferStart(core.takeOn(effect, of: action, joining: hold?.tracker))
            }
            if let hold { core.deferCall { hold.drop() } }
        }
        return true
    }
}

extension WeakStore {
    /// What the effects of the action that is being reduced are counted by, if somebody waits for them. In the turn.
    ///
    /// For a root only.
    package var effectHold: EffectHold? { core?.joining.map { EffectHold(tracker: $0) } }

    /// Reduces an action whose effects belong to an earlier one, for which they were held back. Calls from one thread
    /// keep their order, with ``send(_:)`` as well.
    ///
    /// For a root only. It also reduces while a shutdown waits for effects.
    package func send(_ action: Action, holding hold: EffectHold) {
        guard let core else { return hold.drop() }
        core.inTurn {
            core.joining = hold.tracker
            let reduction = core.reduceUnlessEnded(action)
            core.joining = nil
            if case .success(let pending) = reduction { core.deferStart(pending) }
            core.deferCall { hold.drop() }
        }
    }

    /// Cancels all effects of a root's reducer, soon, and also while an observer suspends the store.
    package func cancelEffectsSoon() {
        guard let core else { return }
        core.inNextTurn { core.cancelEffects(core.effectRuntime) }
    }
}
