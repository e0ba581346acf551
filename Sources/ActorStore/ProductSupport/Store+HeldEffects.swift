// Support for durable and replicated stores, beside the public API: distinguishing the reduction of one action from all
// others, and starting effects after the action has been written or has been received from the log.

/// The tracker for effects that start after the turn of their action, through which the action's ``StoreTask`` counts
/// them.
package struct EffectHold: Sendable {
    fileprivate let tracker: EffectTracker

    /// A hold for effects that are not awaited, and are cancelled as they start.
    package static var cancelled: EffectHold {
        let tracker = EffectTracker()
        // It has no effects yet.
        _ = tracker.cancel()
        return EffectHold(tracker: tracker)
    }

    /// Whether the task of the action awaits the actions that its effects send, and their effects.
    package var tracksFeedback: Bool { tracker.tracksFeedback }

    /// Whether the dispatcher has cancelled the effects.
    package var isCancelled: Bool { tracker.isCancelled }

    /// Makes the task of the action wait for effects that start later, with ``Store/begin(_:of:holding:)``, or are
    /// dropped by ``drop()``. Call it within the turn of the action.
    ///
    /// - Parameter isAnswered: Whether the action can still be answered in this turn. If false, it is not answered.
    package func hold(isAnswered: Bool = true) {
        tracker.begin()
        if !isAnswered { tracker.refuseAnswers() }
    }

    /// Records that the held effects will not start. Call it outside a turn.
    ///
    /// - Parameter failure: The reason, which the task of the action throws; nil if they were cancelled.
    package func drop(_ failure: (any Error)? = nil) { if tracker.end(failure: failure) { tracker.tellEnd() } }

    /// Records that effects will not start, and were not held. Call it within the turn of the action.
    ///
    /// - Parameter failure: The reason, which the task of the action throws.
    package func fail(_ failure: any Error) {
        tracker.begin()
        // The turn counts as well.
        _ = tracker.end(failure: failure)
    }
}

extension Store {
    /// Dispatches an action, and reports within the turn when its own reduction starts and ends. This distinguishes the
    /// dispatch from actions that are sent at the same time.
    ///
    /// Only for a root.
    ///
    /// - Parameters:
    ///   - action: The action to reduce.
    ///   - tracksFeedback: Whether the task also awaits the effects of the actions that its effects send.
    ///   - bracket: A closure that is called directly before the action is reduced, with true, and directly after it,
    ///     with false. It is not called if the action is not reduced.
    /// - Returns: The effects, and the answer if the action is a request that a reducer has answered.
    package func dispatch(
        _ action: Action,
        tracksFeedback: Bool,
        isolation: isolated (any Actor)? = #isolation,
        bracketedBy bracket: @escaping @Sendable (_ isBeginning: Bool) -> Void
    ) async throws(StoreError) -> (task: StoreTask, answer: (any Sendable)?) {
        guard case .root(let core) = backing else { preconditionFailure("Only a root can track a single dispatch.") }
        let pending = PendingAnswer()
        let tracker = EffectTracker(tracksFeedback: tracksFeedback, answering: pending)
        // By now all effects that the action itself has started are counted.
        defer { if tracker.end() { tracker.tellEnd() } }
        let action = core.hasAsyncInterceptors ? try await core.askFirst(action) : action
        let task = try await core.dispatch(action, to: core, joining: tracker) {
            bracket(true)
            defer { bracket(false) }
            return StoreBacking.root(core).reduceInTurn(action)
        }
        return (task, pending.take())
    }
}

/// An effect that was held back until its action is written.
package struct DeferredEffect<Action: Sendable>: Sendable {
    /// The action whose reducer has returned the effect.
    package let action: Action
    /// The effect.
    package let effect: Effect<Action>
    /// Counts the effect for the task of the action; nil if nothing waits for it.
    package let hold: EffectHold?
    /// The number in ``WeakStore/heldOrigin`` when the action was reduced. If all effects were cancelled since, the
    /// effect does not start.
    package let cancellations: UInt64

    /// Creates a held effect.
    package init(_ effect: Effect<Action>, of action: Action, hold: EffectHold?, cancellations: UInt64) {
        self.action = action
        self.effect = effect
        self.hold = hold
        self.cancellations = cancellations
    }
}

extension WeakStore {
    /// Starts an effect outside a reduction, in the next turn. Calls from one thread keep their order.
    ///
    /// Only for a root.
    ///
    /// - Parameter effect: The effect to start.
    /// - Returns: Whether the store still exists. If it does not, nothing has been done.
    @discardableResult
    package func begin(_ effect: Effect<Action>) -> Bool {
        guard let core else { return false }
        core.inTurn {
            if !core.lifecycle.isEnded { core.deferStart(core.takeOn(effect)) }
        }
        return true
    }

    /// Starts held effects in their order, in the next turn. Calls from one thread keep their order.
    ///
    /// Only for a root.
    ///
    /// - Parameters:
    ///   - effects: The effects.
    ///   - willBegin: A closure that is called within the turn, before the effects start.
    /// - Returns: Whether the store still exists. If it does not, nothing has been done.
    package func begin(_ effects: [DeferredEffect<Action>], willBegin: @escaping @Sendable () -> Void) -> Bool {
        guard let core else { return false }
        core.inTurn {
            willBegin()
            for held in effects {
                if !core.lifecycle.isEnded, held.cancellations == core.effectCancellations {
                    core.deferStart(core.takeOn(held.effect, of: held.action, joining: held.hold?.tracker))
                }
                if let hold = held.hold { core.deferCall { hold.drop() } }
            }
        }
        return true
    }
}

extension WeakStore {
    /// The hold that counts the effects of the action that is being reduced, if they are awaited. Access it within a
    /// turn.
    ///
    /// Only for a root.
    package var effectHold: EffectHold? { core?.joining.map { EffectHold(tracker: $0) } }

    /// The hold for effects that are held back until their action is written, and the number of times that all effects
    /// were cancelled before. Access it within a turn.
    ///
    /// Only for a root.
    package var heldOrigin: (hold: EffectHold?, cancellations: UInt64)? {
        core.map { (effectHold, $0.effectCancellations) }
    }

    /// Reduces an action whose effects belong to an earlier one, for which they were held back. Calls from one thread
    /// keep their order, also relative to ``send(_:)``.
    ///
    /// Only for a root. The action is also reduced while a shutdown waits for effects.
    ///
    /// - Parameters:
    ///   - action: The action.
    ///   - hold: The hold of the earlier action.
    ///   - failure: The error for the task of the earlier action if the store has ended, and does not reduce this one.
    package func send(_ action: Action, holding hold: EffectHold, orFail failure: any Error) {
        guard let core else { return hold.drop(failure) }
        core.inTurn {
            core.joining = hold.tracker
            let reduction = core.reduceUnlessEnded(action)
            core.joining = nil
            switch reduction {
            case .success(let pending):
                core.deferStart(pending)
                core.deferCall { hold.drop() }
            case .failure: core.deferCall { hold.drop(failure) }
            }
        }
    }

    /// Cancels all effects of a root's reducer soon, even while an observer suspends the store.
    package func cancelEffectsSoon() {
        guard let core else { return }
        core.inNextTurn { core.cancelEffects(core.effectRuntime) }
    }
}

extension StoreCore {
    /// The number of times that all effects were cancelled. Read within the turn.
    fileprivate var effectCancellations: UInt64 { effectRuntime?.cancellations ?? 0 }
}
