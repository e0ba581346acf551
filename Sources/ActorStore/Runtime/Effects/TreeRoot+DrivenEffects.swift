/// What a state has asked for in a turn, to be done after all observers of that turn have been notified. A plain value.
struct DrivenWork {
    /// End the effects of entries that have gone in the middle of the turn, unless that is done by then, and begin
    /// those of others that have come under the same keys.
    var departures: [() -> Void] = []
    /// Effects whose tasks are to be started.
    var pending = PendingTasks()
    /// Begin observations that postponed effects wait for. They cannot begin while the observers are notified, and must
    /// begin before the next action, which can change what they wait for.
    var observations: [() -> Void] = []
    /// End such observations.
    private(set) var endings: [() -> Void] = []
    /// Whether a background task releases all this, so that the thread that ends a store does not.
    private(set) var isReleasedInBackground = false

    var isNeeded: Bool {
        pending.isNeeded || !observations.isEmpty || !endings.isEmpty || !departures.isEmpty
    }

    /// Ends an observation of what a postponed effect waited for.
    mutating func end(inBackground: Bool, _ ending: @escaping () -> Void) {
        endings.append(ending)
        if inBackground { isReleasedInBackground = true }
    }
}

/// Waits until something that was postponed is due.
package struct Postponement: Sendable {
    private let cancellation: @Sendable (_ isEnd: Bool) -> Void

    init(_ cancellation: @escaping @Sendable (_ isEnd: Bool) -> Void) { self.cancellation = cancellation }

    /// Waits no longer. In a turn that ends with ``TreeRoot/startDrivenEffects()``.
    ///
    /// - Parameter isEnd: Whether a background task releases what it holds, because all effects of the driver end.
    package func cancel(isEnd: Bool = false) { cancellation(isEnd) }
}

extension ScopeNode {
    /// Whether the store can run no more effects. In the turn.
    var hasEnded: Bool {
        root.lifecycle.isEnded || node.lifecycle.isEnded || !root.hasState
    }

    /// Takes on an effect that no action asked for. In the turn; its tasks are started at the end of that.
    func take(_ effect: Effect<Action>) {
        var effect = effect
        if let container = dependencies { effect = effect.overriding(container.values) }
        root.withoutCause { actions.take(effect, &root.drivenWork.pending) }
    }
}

extension TreeRoot {
    /// Takes on effects that no action asked for. In the turn.
    fileprivate final func withoutCause(_ body: () -> Void) {
        if extras.contains(.instruments), let registry = instrumentRegistry.load() {
            registry.withoutCause(body)
        } else {
            body()
        }
    }

    /// Does what the state asked for in the course of this turn. In the turn, after all observers have been notified.
    @usableFromInline
    final func startDrivenEffects() {
        // With which more is asked for.
        for end in drivenWork.departures { end() }
        let work = drivenWork
        drivenWork = DrivenWork()
        deferStart(work.pending)
        for begin in work.observations { begin() }
        // Afterwards, because one that begins may observe what one that ends did.
        for end in work.endings { end() }
        if work.isReleasedInBackground { deferred.abandon(work) } else { retire(work) }
    }

    /// The same after something else than an action, which may be in the middle of the turn of one: then after that.
    final func startDrivenEffectsIfIdle() {
        if progress.contains(.drivenEffects) {
            inTurn { [self] in if progress.contains(.drivenEffects) { startDrivenEffects() } }
        }
    }
}

extension StoreNode {
    /// Takes on an effect that no action asked for. In the turn.
    @usableFromInline
    func take(_ effect: Effect<Action>, into pending: inout PendingTasks) { pending.add(takeOn(effect)) }
}
