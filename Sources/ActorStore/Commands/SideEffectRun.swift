/// One side effect on its way: it is put on the store's account, run in a task of its own, and awaited.
struct SideEffectRun<Body: SideEffect>: Sendable {
    private let sideEffect: Body
    private let backing: StoreBacking<Body.State, Body.Action>
    /// The side effect that waits for this one, if one does.
    private let parent: EffectJob?
    private let source: SourceLocation

    init(
        _ sideEffect: Body,
        backing: StoreBacking<Body.State, Body.Action>,
        awaitedBy parent: EffectJob? = nil,
        at source: SourceLocation
    ) {
        self.sideEffect = sideEffect
        self.backing = backing
        self.parent = parent
        self.source = source
    }

    /// - Returns: what it returns, when it has ended.
    func callAsFunction(isolation: isolated (any Actor)? = #isolation) async throws -> Body.Value {
        try await run(in: backing.node)
    }

    /// - Parameter host: the store on whose account it is.
    private func run(in host: some StoreNode, isolation: isolated (any Actor)? = #isolation) async throws -> Body.Value
    {
        guard parent != nil || !host.root.isClosed else { throw host.root.refusal }
        let outcome = SideEffectOutcome<Body.Value>()
        let cancellation = SideEffectCancellation()
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
        _ outcome: SideEffectOutcome<Body.Value>
    ) -> Result<EffectJob, StoreError> {
        let root = host.root
        guard root.lifecycle.isOpen || parent != nil && !root.lifecycle.isEnded else { return .failure(root.refusal) }
        if parent == nil ? !host.lifecycle.isOpen : host.lifecycle.isEnded { return .failure(.shutDown) }
        if backing.hasLeft { return .failure(.shutDown) }
        let dependencies = backing.dependencies
        let interceptors = root.sideEffectInterceptors
        let work = EffectWork<Host.Action>(
            EffectOptions(source: source),
            body: { _ in await runBody(dependencies, interceptors, outcome) }
        )
        // Nothing keeps a concurrent piece of work from beginning.
        return host.takeOn(Effect(operation: .run(work))).jobs.first.map { .success($0) } ?? .failure(.shutDown)
    }

    private func runBody(
        _ container: DependencyContainer?,
        _ interceptors: [InstalledSideEffectInterceptor],
        _ outcome: SideEffectOutcome<Body.Value>
    ) async {
        guard let job = EffectJob.current else {
            preconditionFailure("The task of an effect knows which effect it is part of.")
        }
        let dependencies = container.valuesOutsideReducers
        let context = SideEffectContext(backing: backing, job: job, dependencies: dependencies)
        do {
            let value = try await interceptors.pass(sideEffect, of: job) {
                try await DependencyValues.$current.withValue(dependencies) { try await sideEffect.run(context) }
            }
            outcome.result = .success(value)
        } catch {
            outcome.result = .failure(error)
        }
    }
}

/// What came of a side effect.
private final class SideEffectOutcome<Value: Sendable>: @unchecked Sendable {
    // Sound: it is written by the task of the side effect, and read by one who has awaited the end of that task.
    var result: Result<Value, any Error>?

    /// Without a result it was cancelled before it began.
    func get() throws -> Value {
        guard let result else { throw CancellationError() }
        return try result.get()
    }
}

/// Passes the cancellation of a dispatcher on to its side effect, whichever comes first.
private final class SideEffectCancellation: @unchecked Sendable {
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
