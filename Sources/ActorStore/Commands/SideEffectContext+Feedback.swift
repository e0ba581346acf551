/// The way of a side effect's actions into the turn: like those of an effect, they count as long as it runs.
extension SideEffectContext {
    private var root: TreeRoot { backing.root }

    /// Sends an action that counts as long as the side effect runs.
    func sendFeedback(_ action: Action, _ manner: SendManner) -> SendOutcome {
        // The store that runs it, and not the one that the action goes to: an interceptor of the root sends for side
        // effects of children. Taken out first, because the action can be reduced after the task has ended.
        guard let host = job.host, job.beginFeedback() else { return root.droppedFeedback.drop() }
        if case .awaited(let result) = manner {
            host.awaitTurn(of: job, result) { [backing] in backing.reduceInTurn(action) }
            return .accepted
        }
        let message = ForwardedMessage(weight: 1) { [self] in
            defer { host.endFeedback(of: job) }
            if job.tracker.tracksFeedback { root.joining = job.tracker }
            defer { root.joining = nil }
            if root.isStale(job) { return nil }
            if backing.hasLeft {
                root.droppedFeedback.add()
            } else if case .success(let pending) = backing.reduceInTurn(action) {
                root.deferStart(pending)
            }
            return nil
        } refuse: { [job] _ in
            host.loseFeedback(of: job)
        }
        let outcome = root.post(message, whenClosed: true)
        if !outcome.isAccepted { host.loseFeedback(of: job) }
        return outcome
    }

    /// Has an action reduced that counts as long as the side effect runs.
    func dispatchFeedback(_ action: Action, isolation: isolated (any Actor)? = #isolation) async throws(StoreError)
        -> StoreTask
    {
        guard job.canSend else {
            root.droppedFeedback.add()
            throw .cancelled
        }
        // It may end while this waits for its turn.
        let pending = try await root.perform { job.hasEnded ? .failure(.cancelled) : reduce(action) }.get()
        pending.start(.inheriting)
        return StoreTask(tracker: pending.tracker)
    }

    /// Reduces an action with all that belongs to a turn. In the turn.
    private func reduce(_ action: Action) -> DispatchResult {
        if root.isStale(job) { return .failure(.cancelled) }
        return backing.reduceInTurn(action)
    }
}
