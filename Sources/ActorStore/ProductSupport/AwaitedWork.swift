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
