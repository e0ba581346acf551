extension StoreReference {
    /// Runs work in a task of its own, on the store's account, and awaits it. When the calling task is cancelled, so is
    /// the work.
    ///
    /// - Parameters:
    ///   - parent: The work that waits for this, if one does; then it begins also while the store is shutting down.
    ///   - source: Where it is written.
    ///   - body: What is to be done, with the interceptors that stood around work when it began.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws; a `CancellationError` if it was cancelled before it began;
    ///   ``StoreError/shutDown`` if the store has ended.
    package func run<Value: Sendable>(
        awaitedBy parent: RunningWork? = nil,
        at source: CodeLocation,
        isolation: isolated (any Actor)? = #isolation,
        _ body: @escaping @Sendable (RunningWork, [WorkInterceptor]) async throws -> Value
    ) async throws -> Value {
        try await AwaitedWork(backing: backing, parent: parent?.job, source: source, body: body)()
    }

    /// Has work in this tree pass through an interceptor from now on, unless this is not the root of the tree: then it
    /// returns nil.
    package func useAroundWork(_ interceptor: WorkInterceptor) -> Interception? {
        guard case .root(let core) = backing else { return nil }
        core.submit { core in
            guard !core.lifecycle.isEnded else { return }
            core.workInterceptors.append(interceptor)
        }
        return Interception(interceptor.identity) { [weak core] identity in
            core?.submit { core in
                if let removed = core.workInterceptors.uninstall(identity) { core.deferred.abandon(removed) }
            }
        }
    }
}

/// One piece of work on its way: it is put on the store's account, run in a task of its own, and awaited.
private struct AwaitedWork<State: Sendable, Action: Sendable, Value: Sendable>: Sendable {
    let backing: StoreBacking<State, Action>
    /// The work that waits for this one, if one does.
    let parent: EffectJob?
    let source: CodeLocation
    let body: @Sendable (RunningWork, [WorkInterceptor]) async throws -> Value

    /// - Returns: what it returns, when it has ended.
    func callAsFunction(isolation: isolated (any Actor)? = #isolation) async throws -> Value {
        try await run(in: backing.node)
    }

    /// - Parameter host: the store on whose account it is.
    private func run(in host: some StoreNode, isolation: isolated (any Actor)? = #isolation) async throws -> Value {
        guard parent != nil || !host.root.isClosed else { throw host.root.refusal }
        let outcome = WorkOutcome<Value>()
        let cancellation = WorkCancellation()
        return try await withTaskCancellationHandler {
            let start = try await host.root.perform { begin(in: host, outcome) }.get()
            // An effect that is over waits for nothing, also if a task that it has started does.
            start.awaiter = parent ?? EffectJob.current.flatMap { $0.isOver ? nil : $0 }
            start.awaiter?.beginAwaitingOthers()
            defer { start.awaiter?.endAwaitingOthers() }
            cancellation.attach(start)
            PendingJobs(start).start(.inheriting)
            await start.tracker.waitUntilFinished()
            return try outcome.get()
        } onCancel: {
            cancellation.cancel()
        }
    }

    /// Takes it on as an effect of the store. In the turn.
    private func begin<Host: StoreNode>(
        in host: Host,
        _ outcome: WorkOutcome<Value>
    ) -> Result<EffectJob, StoreError> {
        let root = host.root
        guard root.lifecycle.isOpen || parent != nil && !root.lifecycle.isEnded else { return .failure(root.refusal) }
        if parent == nil ? !host.lifecycle.isOpen : host.lifecycle.isEnded { return .failure(.shutDown) }
        if backing.hasLeft { return .failure(.shutDown) }
        let interceptors = root.workInterceptors
        let work = EffectWork<Host.Action>(
            EffectOptions(source: source),
            body: { _ in
                guard let current = RunningWork.current else {
                    preconditionFailure("The task of an effect knows which effect it is part of.")
                }
                do {
                    outcome.result = .success(try await body(current, interceptors))
                } catch {
                    outcome.result = .failure(error)
                }
            }
        )
        // Nothing keeps a concurrent piece of work from beginning.
        return host.takeOn(Effect(operation: .run(work))).jobs.first.map { .success($0) } ?? .failure(.shutDown)
    }
}

/// What came of a piece of work.
private final class WorkOutcome<Value: Sendable>: @unchecked Sendable {
    // Sound: it is written by the task of the work, and read by one who has awaited the end of that task.
    var result: Result<Value, any Error>?

    /// Without a result it was cancelled before it began.
    func get() throws -> Value {
        guard let result else { throw CancellationError() }
        return try result.get()
    }
}

/// Passes the cancellation of whoever awaits work on to that, whichever comes first.
private final class WorkCancellation: @unchecked Sendable {
    // Sound: both variables are touched only under `lock`.
    private let lock = Lock()
    private var isCancelled = false
    private var job: EffectJob?

    func attach(_ job: EffectJob) {
        let wasCancelled = lock.withLock {
            self.job = job
            return isCancelled
        }
        // It has no task yet.
        if wasCancelled { _ = job.cancel() }
    }

    func cancel() {
        let job = lock.withLock {
            isCancelled = true
            return self.job
        }
        if let job, job.cancel() { [job].cancelTasksInBackground() }
    }
}

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
