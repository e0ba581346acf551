extension StoreReference {
    /// Runs work in its own task, as an effect of the store, and awaits it. Cancelling the calling task cancels the
    /// work.
    ///
    /// - Parameters:
    ///   - parent: The work that waits for this, if there is any; the new work then also starts while the store is
    ///     shutting down.
    ///   - source: The location in the code at which the work is written.
    ///   - body: The work. It receives the interceptors that were installed around work when it started.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`; a `CancellationError` if the work was cancelled before it started;
    ///   ``StoreError/shutDown`` if the store has ended.
    package func run<Value: Sendable>(
        awaitedBy parent: RunningWork? = nil,
        at source: CodeLocation,
        isolation: isolated (any Actor)? = #isolation,
        _ body: @escaping @Sendable (RunningWork, [WorkInterceptor]) async throws -> Value
    ) async throws -> Value {
        try await AwaitedWork(backing: backing, parent: parent?.job, source: source, body: body)()
    }

    /// Installs an interceptor around work in this tree, from now on. Returns nil if this is not the root of the tree.
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

/// A piece of work that is registered with the store, run in its own task, and awaited.
private struct AwaitedWork<State: Sendable, Action: Sendable, Value: Sendable>: Sendable {
    let backing: StoreBacking<State, Action>
    /// The work that waits for this one, if there is any.
    let parent: EffectJob?
    let source: CodeLocation
    let body: @Sendable (RunningWork, [WorkInterceptor]) async throws -> Value

    /// - Returns: The result of the work, when it has ended.
    func callAsFunction(isolation: isolated (any Actor)? = #isolation) async throws -> Value {
        try await run(in: backing.node)
    }

    /// - Parameter host: The store that runs the work.
    private func run(in host: some StoreNode, isolation: isolated (any Actor)? = #isolation) async throws -> Value {
        guard parent != nil || !host.root.isClosed else { throw host.root.refusal }
        let outcome = WorkOutcome<Value>()
        let cancellation = WorkCancellation()
        return try await withTaskCancellationHandler {
            let start = try await host.root.perform { begin(in: host, outcome) }.get()
            // An effect that has ended waits for nothing, even if a task that it has started does.
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

    /// Registers the work as an effect of the store. Call it within a turn.
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
                    preconditionFailure("Internal inconsistency: the task of an effect runs without its effect.")
                }
                do {
                    outcome.result = .success(try await body(current, interceptors))
                } catch {
                    outcome.result = .failure(error)
                }
            }
        )
        // Concurrent work always starts.
        return host.takeOn(Effect(operation: .run(work))).jobs.first.map { .success($0) } ?? .failure(.shutDown)
    }
}

/// The result of a piece of work.
private final class WorkOutcome<Value: Sendable>: @unchecked Sendable {
    // Sound: it is written by the task of the work, and read only after the end of that task has been awaited.
    var result: Result<Value, any Error>?

    /// Without a result, the work was cancelled before it started.
    func get() throws -> Value {
        guard let result else { throw CancellationError() }
        return try result.get()
    }
}

/// Forwards the cancellation of the waiting task to the work, in whichever order the two occur.
private final class WorkCancellation: @unchecked Sendable {
    // Sound: all variables are accessed only under `lock`.
    private let lock = Lock()
    private var isCancelled = false
    private var job: EffectJob?

    func attach(_ job: EffectJob) {
        let wasCancelled = lock.withLock {
            self.job = job
            return isCancelled
        }
        // The job has no task yet.
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

/// The operations on a store that are available to work. Actions that it sends count as long as it runs.
@usableFromInline
package struct WorkContext<State: Sendable, Action: Sendable>: Sendable {
    private let backing: StoreBacking<State, Action>
    package let work: RunningWork
    /// The dependencies of the store, if it has any, and otherwise those in force.
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

    /// Returns a copy of the state between two turns.
    package func snapshot() -> State { backing.snapshot() }

    /// Returns a copy of the state after everything that was accepted before.
    @usableFromInline
    package func settledState(isolation: isolated (any Actor)? = #isolation) async -> State {
        await backing.settledState()
    }

    /// A function that sends actions, which count as long as the work runs.
    package var send: Send<Action> { Send { [self] action, manner in send(action, manner) } }

    private func send(_ action: Action, _ manner: SendManner) -> SendOutcome {
        // The host is the store that runs the work, and not the one that receives the action: an interceptor of the
        // root sends for side effects of children. It is read first, because the action can be reduced after the task
        // has ended.
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

    /// Dispatches an action, which counts as long as the work runs.
    package func dispatch(_ action: Action, isolation: isolated (any Actor)? = #isolation) async throws(StoreError)
        -> StoreTask
    {
        guard job.canSend else {
            root.droppedFeedback.add()
            throw .cancelled
        }
        // The work may end while this waits for its turn.
        let pending = try await root.perform { job.hasEnded ? .failure(.cancelled) : reduce(action) }.get()
        pending.start(.inheriting)
        return StoreTask(tracker: pending.tracker)
    }

    /// Reduces an action with interceptors, observers and effects. Call it within a turn.
    private func reduce(_ action: Action) -> DispatchResult {
        if root.isStale(job) { return .failure(.cancelled) }
        return backing.reduceInTurn(action)
    }
}

extension StoreReference {
    /// Returns the context of work on this store, which need not be the store that runs the work.
    package func context(of work: RunningWork) -> WorkContext<State, Action> { WorkContext(backing, work) }
}
