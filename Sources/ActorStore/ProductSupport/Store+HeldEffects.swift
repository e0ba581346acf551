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

/// Whether effects that are held back have been cancelled.
package struct HeldCancellation: Sendable {
    /// The number in ``WeakStore/heldOrigin`` when the action was reduced: another one if all effects were cancelled
    /// since.
    private let cancellations: UInt64
    /// Whether the effects were cancelled.
    package private(set) var isCancelled = false
    /// Whether a task that tracks feedback has cancelled them: then the actions that they send are dropped as well.
    private var dropsFeedback = false

    /// Creates the state of effects that have not been cancelled.
    package init(cancellations: UInt64) { self.cancellations = cancellations }

    /// Records that the effects were cancelled.
    ///
    /// - Parameter hold: Their hold, through which the task of the action can have cancelled them.
    package mutating func cancel(_ hold: EffectHold?) {
        isCancelled = true
        if let hold, hold.tracksFeedback, hold.isCancelled { dropsFeedback = true }
    }

    /// Returns the tracker for effects that are cancelled as they start; nil if they were not cancelled.
    fileprivate func tracker(_ hold: EffectHold?, in root: StoreCore<some Any, some Any>) -> EffectTracker? {
        var cancellation = self
        if cancellations != root.effectCancellations || hold?.isCancelled == true { cancellation.cancel(hold) }
        return cancellation.isCancelled ? EffectTracker(tracksFeedback: cancellation.dropsFeedback) : nil
    }
}

extension WeakStore {
    /// Starts effects outside a reduction, in the next turn. Calls from one thread keep their order.
    ///
    /// Only for a root.
    ///
    /// - Parameters:
    ///   - effect: The effects to start.
    ///   - action: The action whose reducer has returned the effects, for their errors; nil if there was no such
    ///     action.
    ///   - hold: The hold that counts the effects for the dispatcher of the action; nil if they are not awaited.
    ///   - cancellation: Whether effects that were held back were cancelled meanwhile. Nil for effects that were not
    ///     held back.
    ///   - cancellations: The ``effectCancellations`` of an earlier turn, if the effects must not start when all
    ///     effects have been cancelled since.
    ///   - willBegin: A closure that is called within the turn, before the effects start.
    /// - Returns: Whether the store still exists. If it does not, nothing has been done.
    @discardableResult
    package func begin(
        _ effect: Effect<Action>,
        of action: Action? = nil,
        holding hold: EffectHold? = nil,
        cancelled cancellation: HeldCancellation? = nil,
        unlessCancelledSince cancellations: UInt64? = nil,
        willBegin: @escaping @Sendable () -> Void = {}
    ) -> Bool {
        guard let core else { return false }
        core.inTurn {
            willBegin()
            if !core.lifecycle.isEnded, cancellations == nil || cancellations == core.effectCancellations {
                if let tracker = cancellation?.tracker(hold, in: core) {
                    core.beginCancelled(effect, of: action, tracker)
                } else {
                    core.deferStart(core.takeOn(effect, of: action, joining: hold?.tracker))
                }
            }
            if let hold { core.deferCall { hold.drop() } }
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

    /// The number of times that all effects were cancelled; nil if the store no longer exists. Access it within a turn.
    ///
    /// Only for a root.
    package var effectCancellations: UInt64? { core?.effectCancellations }

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

    /// Starts an effect, and cancels it at once: what it cancels, and what it sends as it starts, counts, as it does
    /// for an effect whose task is cancelled directly after the dispatch.
    fileprivate func beginCancelled(_ effect: Effect<Action>, of action: Action?, _ tracker: EffectTracker) {
        deferStart(takeOn(effect, of: action, joining: tracker))
        let jobs = tracker.cancel()
        deferred.add { $0.cancellations += jobs }
    }
}
