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

    /// Begins it.
    ///
    /// - Parameters:
    ///   - store: A root of the group.
    ///   - group: The shutdown of the group.
    package init(of store: Store<some Sendable, some Sendable>, in group: GroupShutdown) {
        let request: EffectWaiter.Request = Task.isCancelled ? .awaitedByCancelledTask : .awaited
        root = store.root
        waiter = EffectWaiter(node: store.node, caller: EffectJob.current, request: request, group: group)
        root.beginShutdown(for: waiter, .finishEffects)
    }

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
