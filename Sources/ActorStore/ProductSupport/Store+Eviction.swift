// Support for groups of stores, which release stores that are not in use.

extension Store {
    /// Whether the store is the root of a tree.
    @inlinable package nonisolated var isRoot: Bool { core != nil }

    /// Whether the state has been loaded. False if the initial state stands in because loading has not succeeded.
    package nonisolated var hasState: Bool { root.hasState }

    /// Whether the store has ended, or could not load its first state.
    @inlinable package nonisolated var isOver: Bool {
        guard let core else { return false }
        // Pairs: see `TreeRoot/phase`.
        let phase = core._withUnsafeGuaranteedRef { $0.phase.loadAcquiring() }
        return phase == .ended || phase == .failed
    }

    /// Whether the store is idle: no turn, no effects, and no observers except those for state-driven effects.
    package nonisolated var isIdle: Bool {
        let root = root
        // The counters are relaxed, because they transfer nothing between threads: they are changed by relaxed
        // operations. Loading the gate acquires, so everything that was counted before a turn that it sees is visible.
        // What was counted later is concurrent with this read, which could as well have come earlier. `restingState`
        // and `IdleStore` decide within the turn.
        return root.gate.isFree && root.runningEffects.loadRelaxed() == 0
            && root.observerCount.loadRelaxed() == (root.existingObservers?.drivers.loadRelaxed() ?? 0)
    }

    /// The observers of the store; nil if it has none.
    package nonisolated var boundObservers: BoundObservers? {
        guard root.observerCount.loadRelaxed() > 0, let observers = root.existingObservers else { return nil }
        return BoundObservers(registry: observers)
    }

    /// The state and the revision of a root without effects and children, if its turn is free.
    package nonisolated var restingState: (state: State, revision: UInt64)? {
        guard case .root(let core) = backing, core.gate.beginIfIdle() else { return nil }
        core.gate.endWriting()
        let isResting = core.lifecycle.isEnded || core.children.isEmpty && !core.effectRuntime.hasEffects(except: .none)
        let (state, revision) = (core.state, core.revision.loadRelaxed())
        core.leave()
        return isResting ? (state, revision) : nil
    }

    /// Refuses further actions, and ends the store when it has reduced what it had accepted.
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

    /// Ends the observers whose objects have been released.
    package func endUnowned() { registry.endUnowned() }
}

/// A root whose turn the caller has taken, and which it may close.
package struct IdleStore<State: Sendable, Action: Sendable> {
    fileprivate let core: StoreCore<State, Action>

    /// Closes the store if nothing has happened since the given revision: it then refuses all further operations, and
    /// starts to end.
    ///
    /// - Parameter revision: The revision at the earlier look.
    /// - Returns: Whether the store was closed.
    package func closeIfUntouched(since revision: UInt64) -> Bool { core.closeIfUntouched(since: revision) }

    /// Ends the turn, which first runs the messages that have been queued meanwhile.
    package func leave() {
        core.gate.endWriting()
        core.leave()
    }
}

extension StoreCore {
    fileprivate func closeIfUntouched(since seen: UInt64) -> Bool {
        // Effects are checked again, because side effects do not change the revision. Relaxed: the turn orders both,
        // because the end of an effect is subtracted within the turn.
        guard revision.loadRelaxed() == seen, children.isEmpty, !effectRuntime.hasEffects(except: .none),
            runningEffects.loadRelaxed() == 0
        else { return false }
        // This nests two locks. Nothing is called under the inner one, and no thread that holds it waits for the outer
        // one.
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
    /// Counts a calling effect, if there is one, among the callers while `body` runs.
    ///
    /// - Parameter stores: The roots of the group, which retains them.
    package func perform<State, Action, Result>(
        with stores: [Store<State, Action>],
        isolation: isolated (any Actor)? = #isolation,
        _ body: nonisolated(nonsending) () async -> Result
    ) async -> Result {
        await perform(with: stores.map(\.root), body)
    }
}

/// The shutdown of one store of a group, on behalf of the task that requested it and waits for it.
package struct MemberShutdown: Sendable {
    private let root: TreeRoot
    private let waiter: EffectWaiter

    /// Creates a shutdown on behalf of the calling task.
    ///
    /// - Parameters:
    ///   - store: A root of the group.
    ///   - group: The shutdown of the group.
    package init(of store: Store<some Sendable, some Sendable>, in group: GroupShutdown) {
        let request: EffectWaiter.Request = Task.isCancelled ? .awaitedByCancelledTask : .awaited
        root = store.root
        waiter = EffectWaiter(node: store.node, caller: EffectJob.current, request: request, group: group)
    }

    /// Whether an effect of the store has requested the shutdown.
    package var isAskedForByOwnEffect: Bool { waiter.exception?.host?.root === root }

    /// Registers the effect that has requested the shutdown with the store, if there is one.
    package func announce() {
        if waiter.exception != nil { root.inNextTurn { [root, waiter] in root.announce(waiter) } }
    }

    /// Starts the shutdown. Call it after all stores of the group have registered their callers.
    package func begin() { root.beginShutdown(for: waiter, .finishEffects) }

    /// Cancels the effects that the shutdown waits for.
    package func cancelEffects() { root.cancelEffects(of: waiter) }

    /// Waits for the end. Cancelling the calling task cancels the effects that are still awaited.
    package func wait(isolation: isolated (any Actor)? = #isolation) async { await root.wait(for: waiter) }

    /// Waits for the end, up to a time limit.
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

    /// Removes the effect that has requested the shutdown, which continues when all stores of the group have ended.
    package func forgetCaller() {
        guard waiter.exception != nil else { return }
        root.inTurn { [root, waiter] in root.remove(waiter) }
    }
}
