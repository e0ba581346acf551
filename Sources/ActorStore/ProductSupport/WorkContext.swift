/// What work can see of a store, and do with it. What it sends counts as long as it runs.
@usableFromInline
package struct WorkContext<State: Sendable, Action: Sendable>: Sendable {
    private let backing: StoreBacking<State, Action>
    package let work: RunningWork
    /// The dependencies of the store, if it keeps some, and otherwise those in force.
    package let overrides: DependencyOverrides

    fileprivate init(_ backing: StoreBacking<State, Action>, _ work: RunningWork) {
        self.backing = backing
        self.work = work
        overrides = backing.dependencies.valuesOutsideReducers
    }

    private var root: TreeRoot { backing.root }
    private var job: EffectJob { work.job }

    /// The store.
    package var store: StoreReference<State, Action> { StoreReference(backing) }

    /// A copy of the state between two turns.
    package func snapshot() -> State { backing.snapshot() }

    /// A copy of the state after everything that was accepted before.
    @usableFromInline
    package func settledState(isolation: isolated (any Actor)? = #isolation) async -> State {
        await backing.settledState()
    }

    /// Sends an action that counts as long as the work runs.
    package var send: Send<Action> { Send { [self] action, manner in send(action, manner) } }

    private func send(_ action: Action, _ manner: SendManner) -> SendOutcome {
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

    /// Has an action reduced that counts as long as the work runs.
    package func dispatch(_ action: Action, isolation: isolated (any Actor)? = #isolation) async throws(StoreError)
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

extension StoreReference {
    /// What work can do with this store, which need not be the one that runs it.
    package func context(of work: RunningWork) -> WorkContext<State, Action> { WorkContext(backing, work) }
}
