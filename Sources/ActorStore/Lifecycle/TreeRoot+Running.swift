/// The end of a child for which an effect waits, by ``Store/run()``.
struct AwaitedEnd {
    let effect: EffectHandle
    let branch: TreeNode
    let end: Settlement<Void>
}

extension TreeRoot {
    /// Waits for the end of the tree, or of a branch; see ``Store/run()``.
    ///
    /// - Parameter shutDown: Ends it when the calling task is cancelled. What it is given last lets the caller go on.
    nonisolated(nonsending) final func run(
        _ branch: TreeNode?,
        shutDown: @escaping @Sendable (TreeRoot, TreeNode?, Settlement<Void>) -> Void
    ) async throws {
        let effect = EffectHandle.current.flatMap { $0.isOver ? nil : $0 }
        if let effect,
            effect.andAwaiters.contains(where: { runs($0, in: branch) })
        {
            throw StoreError.awaitsItself
        }
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
            guard let branch else { return endWaiters.append(end) }
            branch.endWaiters.append(end)
            guard let effect else { return }
            awaitedEnds.append(AwaitedEnd(effect: effect, branch: branch, end: end))
            // What is shut down above the child may wait for this effect.
            resumeEffectWaiters(of: branch)
        }
        await withTaskCancellationHandler {
            await end.wait()
        } onCancel: {
            shutDown(self, branch, end)
        }
    }

    /// Whether an effect is one of a branch, or of the tree.
    private func runs(_ effect: EffectHandle, in branch: TreeNode?) -> Bool {
        guard let owner = (effect as? EffectJob)?.owner, owner.root === self else { return false }
        return branch == nil || (owner as? TreeNode)?.isAtOrBelow(branch) == true
    }

    /// The ends for which effects wait, and which come with the shutdown of what is above. In the turn.
    ///
    /// - Parameter branch: What is shut down; nil for the tree.
    final func awaitedEnds(below branch: TreeNode?) -> [AwaitedEnd] {
        awaitedEnds.filter { $0.branch !== branch && $0.branch.isAtOrBelow(branch) && !$0.effect.isOver }
    }

    /// Ends children before what is above them, because effects wait for that, which then have to be waited for. In the
    /// turn, when no others are left.
    ///
    /// - Parameter branch: What is shut down; nil for the tree.
    /// - Returns: Whether there were such children.
    final func endAwaited(below branch: TreeNode?) -> Bool {
        let children = awaitedEnds(below: branch).map(\.branch)
        // The innermost ones first, whose ends let the effects of others end. If there are none, they wait for each other.
        let idle = children.filter { child in !stores(of: child).contains { $0.hasEffects(except: .none) } }
        for child in idle.isEmpty ? children : idle { end(child) }
        return !children.isEmpty
    }

    /// Tells those that wait for an end that has come. In the turn.
    final func tellEnd(_ waiters: inout [Settlement<Void>]) {
        if !awaitedEnds.isEmpty {
            awaitedEnds.removeAll { awaited in waiters.contains { $0 === awaited.end } }
        }
        for waiter in waiters { deferAnswer(.other { waiter.settle(()) }) }
        waiters = []
    }
}
