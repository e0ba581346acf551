/// Someone who waits for the end of a tree or of a branch.
struct EndWaiter {
    /// The child; nil for the whole tree.
    let branch: TreeNode?
    let settlement: Settlement<Void>
}

extension TreeRoot {
    /// Waits for the end of the tree, or of a branch; see ``Store/run()``.
    ///
    /// - Parameter shutDown: Ends it when the calling task is cancelled. What it is given last lets the caller go on.
    nonisolated(nonsending) final func run(
        _ branch: TreeNode?,
        shutDown: @escaping @Sendable (TreeRoot, TreeNode?, Settlement<Void>) -> Void
    ) async throws {
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
            if lifecycle.isEnded || branch?.isEnded == true { return deferAnswer(.other { end.settle(()) }) }
            endWaiters.append(EndWaiter(branch: branch, settlement: end))
        }
        await withTaskCancellationHandler {
            await end.wait()
        } onCancel: {
            shutDown(self, branch, end)
        }
    }

    /// Tells those that wait for the end of stores which have ended. In the turn.
    final func tellEnd(ofThose hasEnded: (TreeNode?) -> Bool) {
        guard !endWaiters.isEmpty else { return }
        let told = endWaiters.filter { hasEnded($0.branch) }
        endWaiters.removeAll { hasEnded($0.branch) }
        for waiter in told { deferAnswer(.other { waiter.settlement.settle(()) }) }
    }
}
