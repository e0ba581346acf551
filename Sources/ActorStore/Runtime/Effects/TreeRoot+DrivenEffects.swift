/// What a state has requested within a turn, performed after all observers of that turn have been notified. A plain
/// value.
struct DrivenWork {
    /// End the effects of entries that were removed in the middle of the turn, unless they have ended by then, and
    /// begin the effects of new entries under the same keys.
    var departures: [() -> Void] = []
    /// Effects whose tasks are to be started.
    var pending = PendingTasks()
    /// Begin observations that postponed effects wait for. They cannot begin while observers are notified, and must
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

/// Waits until something postponed is due.
package struct Postponement: Sendable {
    private let cancellation: @Sendable (_ isEnd: Bool) -> Void

    init(_ cancellation: @escaping @Sendable (_ isEnd: Bool) -> Void) { self.cancellation = cancellation }

    /// Stops waiting. Called within a turn that ends with ``TreeRoot/startDrivenEffects()``.
    ///
    /// - Parameter isEnd: Whether a background task releases what it retains, because all effects of the driver end.
    package func cancel(isEnd: Bool = false) { cancellation(isEnd) }
}

extension ScopeNode {
    /// Whether the store can run no more effects. Read within the turn.
    var hasEnded: Bool {
        root.lifecycle.isEnded || node.lifecycle.isEnded || !root.hasState
    }

    /// Begins an effect that no action returned. Called within the turn; its tasks are started at the end of the turn.
    func take(_ effect: Effect<Action>) {
        var effect = effect
        if let container = dependencies { effect = effect.overriding(container.values) }
        root.withoutCause { actions.take(effect, &root.drivenWork.pending) }
    }
}

extension TreeRoot {
    /// Begins effects that no action returned. Called within the turn.
    fileprivate final func withoutCause(_ body: () -> Void) {
        if extras.contains(.instruments), let registry = instrumentRegistry.load() {
            registry.withoutCause(body)
        } else {
            body()
        }
    }

    /// Performs what the state has requested during this turn. Called within the turn, after all observers have been
    /// notified.
    @usableFromInline
    final func startDrivenEffects() {
        // These can request more.
        for end in drivenWork.departures { end() }
        let work = drivenWork
        drivenWork = DrivenWork()
        deferStart(work.pending)
        for begin in work.observations { begin() }
        // Ended afterwards, because a new observation may observe what an ending one did.
        for end in work.endings { end() }
        if work.isReleasedInBackground { deferred.abandon(work) } else { retire(work) }
    }

    /// Performs what the state has requested outside of an action. If the turn of an action is running, this happens
    /// after it.
    final func startDrivenEffectsIfIdle() {
        if progress.contains(.drivenEffects) {
            inTurn { [self] in if progress.contains(.drivenEffects) { startDrivenEffects() } }
        }
    }
}

extension StoreNode {
    /// Begins an effect that no action returned. Called within the turn.
    @usableFromInline
    func take(_ effect: Effect<Action>, into pending: inout PendingTasks) { pending.add(takeOn(effect)) }
}
