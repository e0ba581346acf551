extension TreeRoot {
    /// Waits for the end of the tree, or of a branch; see ``Store/run()``.
    ///
    /// - Parameter shutDown: Ends it when the calling task is cancelled, by the shutdown that it is given. What it is given last
    ///   lets the caller go on.
    nonisolated(nonsending) final func run(
        _ branch: TreeNode?,
        shutDown: @escaping @Sendable (TreeRoot, EffectWaiter, Settlement<Void>) -> Void
    ) async throws {
        let phase = branch.map { $0.phase.loadAcquiring() } ?? phase.loadAcquiring()
        if phase != .ended, let effect = EffectJob.current, !effect.isOver,
            effect.andAwaiters.contains(where: { runs($0, in: branch) })
        {
            throw StoreError.awaitsItself
        }
        let caller = EffectJob.current
        do {
            try await loading?.wait()
        } catch {
            if let error = loading?.error {
                await shutdown(of: branch, drain: .cancelEffects)
                throw error
            }
            // The caller was cancelled, or the loading was given up: either way there is an end to wait for.
        }
        let end = Settlement<Void>()
        inTurn { [self] in
            if hasEnded(branch) { return deferAnswer(.other { end.settle(()) }) }
            if let branch { branch.endWaiters.append(end) } else { endWaiters.append(end) }
        }
        await withTaskCancellationHandler {
            await end.wait()
        } onCancel: {
            shutDown(self, EffectWaiter(branch: branch, caller: caller, endsRun: true), end)
        }
    }

    /// Whether an effect is one of a branch, or of the tree.
    final func runs(_ effect: EffectJob, in branch: TreeNode?) -> Bool {
        guard let host = host(of: effect) else { return false }
        return branch == nil || (host as? TreeNode)?.isAtOrBelow(branch) == true
    }

    /// The store of the tree that an effect is one of; nil if it is one of another tree, or has ended.
    final func host(of effect: EffectJob) -> (any EffectHost)? {
        effect.host.flatMap { $0.root === self ? $0 : nil }
    }

    /// Tells those that wait for an end that has come. In the turn.
    final func tellEnd(_ waiters: inout [Settlement<Void>]) {
        for waiter in waiters { deferAnswer(.other { waiter.settle(()) }) }
        waiters = []
        if !shutdownsByEffects.isEmpty { endRuns() }
    }
}
