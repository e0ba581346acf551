// What a group of stores asks of one that nobody else may be using, to let it go.

extension Store {
    /// Whether it is the root of a tree.
    @inlinable package nonisolated var isRoot: Bool { core != nil }

    /// Whether there is a state, and not one that stands in for it because the loading has not ended well.
    package nonisolated var hasState: Bool { root.hasState }

    /// Whether it has ended, or has no state and never will.
    @inlinable package nonisolated var isOver: Bool {
        guard let core else { return false }
        // Pairs: see `TreeRoot/phase`.
        let phase = core._withUnsafeGuaranteedRef { $0.phase.loadAcquiring() }
        return phase == .ended || phase == .failed
    }

    /// Whether nothing is under way: no turn, no effects, no observers but those that have the state drive effects.
    package nonisolated var isIdle: Bool {
        let root = root
        // The counters are relaxed, because nothing is handed over by them: they are changed by relaxed operations. The
        // look at the gate acquires, and so all that was counted before a turn that it sees is seen. What was counted
        // later came at the same time as this look, which might as well have been earlier. `restingState` and
        // `IdleStore` decide in the turn.
        return root.gate.isFree && root.runningEffects.loadRelaxed() == 0
            && root.observerCount.loadRelaxed() == (root.existingObservers?.drivers.loadRelaxed() ?? 0)
    }

    /// Those who observe it; nil if nobody does.
    package nonisolated var boundObservers: BoundObservers? {
        guard root.observerCount.loadRelaxed() > 0, let observers = root.existingObservers else { return nil }
        return BoundObservers(registry: observers)
    }

    /// The state and the revision of a root with no effects and no children, if its turn is free.
    package nonisolated var restingState: (state: State, revision: UInt64)? {
        guard case .root(let core) = backing, core.gate.beginIfIdle() else { return nil }
        core.gate.endWriting()
        let isResting = core.lifecycle.isEnded || core.children.isEmpty && !core.effectRuntime.hasEffects(except: .none)
        let (state, revision) = (core.state, core.revision.loadRelaxed())
        core.leave()
        return isResting ? (state, revision) : nil
    }

    /// Accepts no more actions, and ends it when it has reduced what it has accepted.
    package nonisolated func close() { root.close() }

    /// Takes the turn of a root, if it is free.
    package nonisolated func visitIfIdle() -> IdleStore<State, Action>? {
        guard let core = core?.takeUnretainedValue(), core.gate.beginIfIdle() else { return nil }
        return IdleStore(core: core)
    }
}

/// The observers of a store, some of which are bound to objects.
package struct BoundObservers: Sendable {
    fileprivate let registry: ObserverRegistry

    /// Ends those whose objects have gone.
    package func endUnowned() { registry.endUnowned() }
}

/// A root whose turn somebody has taken who may let it go.
package struct IdleStore<State: Sendable, Action: Sendable> {
    fileprivate let core: StoreCore<State, Action>

    /// Has it refuse all that comes from now on, and begins its end, if nothing has happened since it was looked at.
    ///
    /// - Parameter revision: Its revision then.
    /// - Returns: Whether it does.
    package func closeIfUntouched(since revision: UInt64) -> Bool { core.closeIfUntouched(since: revision) }

    /// Passes the turn on, which does what others have left meanwhile.
    package func leave() {
        core.gate.endWriting()
        core.leave()
    }
}

extension StoreCore {
    fileprivate func closeIfUntouched(since seen: UInt64) -> Bool {
        // Effects are looked for again, because side effects do not change the revision.
        // Relaxed: the turn orders both, because the end of an effect is subtracted in the turn.
        guard revision.loadRelaxed() == seen, children.isEmpty, !effectRuntime.hasEffects(except: .none),
            runningEffects.loadRelaxed() == 0
        else { return false }
        // A lock under another one, but one under which nothing is called, and which nobody holds who waits for the
        // other.
        guard mailboxLock.withLock({ mailbox.closeIfEmpty() }) else { return false }
        advance(to: .shuttingDown)
        beginShutdown()
        return true
    }
}

extension TurnGate {
    fileprivate var isFree: Bool { TurnWord(bits: word.loadAcquiring()).takenIfIdle != nil }
}

extension GroupShutdown {
    /// Counts the effect that calls this, if one does, among the callers while `body` runs.
    ///
    /// - Parameter stores: The roots of the group, which keeps them.
    package func perform<State, Action, Result>(
        with stores: [Store<State, Action>],
        isolation: isolated (any Actor)? = #isolation,
        _ body: nonisolated(nonsending) () async -> Result
    ) async -> Result {
        await perform(with: stores.map(\.root), body)
    }
}

/// The shutdown of one store of a group, for the task that has asked for it, and waits.
package struct MemberShutdown: Sendable {
    private let root: TreeRoot
    private let waiter: EffectWaiter

    /// Creates it, for the calling task.
    ///
    /// - Parameters:
    ///   - store: A root of the group.
    ///   - group: The shutdown of the group.
    package init(of store: Store<some Sendable, some Sendable>, in group: GroupShutdown) {
        let request: EffectWaiter.Request = Task.isCancelled ? .awaitedByCancelledTask : .awaited
        root = store.root
        waiter = EffectWaiter(node: store.node, caller: EffectJob.current, request: request, group: group)
    }

    /// Whether an effect of the store has asked for it.
    package var isAskedForByOwnEffect: Bool { waiter.exception?.host?.root === root }

    /// Has the store know of the effect that has asked for it, if one has.
    package func announce() {
        if waiter.exception != nil { root.inNextTurn { [root, waiter] in root.announce(waiter) } }
    }

    /// Begins it, when all stores of the group know of theirs.
    package func begin() { root.beginShutdown(for: waiter, .finishEffects) }

    /// Cancels the effects that it waits for.
    package func cancelEffects() { root.cancelEffects(of: waiter) }

    /// Waits for the end. Cancelling the calling task cancels the effects that are still awaited.
    package func wait(isolation: isolated (any Actor)? = #isolation) async { await root.wait(for: waiter) }

    /// The same, for as long as a time limit says.
    package func wait<C: Clock>(
        _ drain: ShutdownDrain,
        since start: C.Instant,
        within limit: Duration,
        reserving reserve: Duration?,
        clock: C,
        isolation: isolated (any Actor)? = #isolation
    ) async -> ShutdownReport where C.Duration == Duration {
        await root.wait(for: waiter, drain, since: start, within: limit, reserving: reserve, clock: clock)
    }

    /// Forgets that an effect has asked for it, which goes on when all stores of the group have ended.
    package func forgetCaller() {
        guard waiter.exception != nil else { return }
        root.inTurn { [root, waiter] in root.remove(waiter) }
    }
}
