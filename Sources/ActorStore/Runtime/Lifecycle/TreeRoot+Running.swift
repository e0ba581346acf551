extension TreeRoot {
    /// Waits for the end of a store; see ``Store/run(endingWithin:clock:isolation:)``.
    ///
    /// - Parameter shutDown: Ends it when the calling task is cancelled, by the shutdown that it is given. What it is
    ///   given last lets the caller go on.
    final func run(
        _ node: TreeNode,
        isolation: isolated (any Actor)? = #isolation,
        shutDown: @escaping @Sendable (TreeRoot, EffectWaiter, Promise<Void>) -> Void
    ) async throws {
        if node.phase.loadAcquiring() != .ended, let effect = EffectJob.current, !effect.isOver,
            effect.andAwaiters.contains(where: { runs($0, in: node) })
        {
            throw StoreError.awaitsItself
        }
        let caller = EffectJob.current
        do {
            try await loading?.wait()
        } catch {
            if let error = loading?.error {
                await shutdown(of: node, drain: .cancelEffects)
                throw error
            }
            // The caller was cancelled, or the loading was given up: either way there is an end to wait for.
        }
        let end = Promise<Void>()
        inTurn { [self] in
            if node.hasEnded { return deferAnswer(.other { end.settle(()) }) }
            node.endWaiters.append(end)
        }
        await withTaskCancellationHandler {
            await end.wait()
        } onCancel: {
            shutDown(self, EffectWaiter(node: node, caller: caller, request: .run), end)
        }
    }

    /// Whether an effect is one of a store, or of one below it.
    final func runs(_ effect: EffectJob, in node: TreeNode) -> Bool {
        host(of: effect)?.isAtOrBelow(node) == true
    }

    /// The store of the tree that an effect is one of; nil if it is one of another tree, or has ended.
    final func host(of effect: EffectJob) -> (any StoreNode)? {
        effect.host.flatMap { $0.root === self ? $0 : nil }
    }

    /// Tells those that wait for the end of a store, which has come. In the turn.
    final func tellEnd(of node: TreeNode) {
        let waiters = node.endWaiters
        if !waiters.isEmpty { node.endWaiters = [] }
        for waiter in waiters { deferAnswer(.other { waiter.settle(()) }) }
        if !shutdownsByEffects.isEmpty { endRuns() }
    }
}
