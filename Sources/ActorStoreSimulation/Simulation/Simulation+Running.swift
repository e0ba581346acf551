import ActorStore

extension Simulation {
    /// Runs `body` as a task of the simulation until it has ended, and everything that it started; on the calling
    /// thread, which never waits for another one.
    ///
    /// When the body has ended, what can run runs on; then who sleeps on ``clock`` is cancelled, and so is what
    /// ``start(_:_:)`` started.
    ///
    /// - Returns: what the body returned.
    /// - Throws: what the body threw, or a ``SimulationError``. After a ``SimulationError`` tasks that have not ended
    ///   never will; their memory is not given back.
    public func run<Result: Sendable>(
        _ body: @escaping @Sendable (_ simulation: Simulation) async throws -> Result
    ) throws -> Result {
        let run = try begin(body)
        while try !executor.runSteps(atMost: .max) {}
        return try end(run)
    }

    /// Runs `body` as a task of the simulation; otherwise like the `run` that is not asynchronous. Between the jobs of
    /// the simulation it lets other tasks have the thread.
    ///
    /// If the calling task is cancelled, so is the body.
    ///
    /// - Returns: what the body returned.
    /// - Throws: what the body threw, or a ``SimulationError``.
    public func run<Result: Sendable>(
        _ body: @escaping @Sendable (_ simulation: Simulation) async throws -> Result
    ) async throws -> Result {
        let run = try begin(body)
        while try !executor.runSteps(atMost: stepsPerSlice) {
            await Task.yield()
            if Task.isCancelled { try executor.asLoop { run.task.cancel() } }
        }
        return try end(run)
    }

    /// Starts a task that takes part in the simulation.
    ///
    /// - Parameters:
    ///   - name: What it is called if it never ends.
    ///   - operation: What it does. When the body has ended it is cancelled, and must end.
    /// - Returns: The task. It has the error that the operation throws; for that to fail the simulation, await its value
    ///   in the body.
    @discardableResult
    public func start<Value: Sendable>(
        _ name: String,
        _ operation: @escaping @Sendable () async throws -> Value
    ) -> Task<Value, any Error> {
        let number = executor.withSchedule { $0.roster.add(name) }
        let task = Task(name: name, executorPreference: executor) { [executor] in
            defer { executor.withSchedule { $0.roster.remove(number) } }
            return try await operation()
        }
        executor.withSchedule { $0.roster.note({ task.cancel() }, of: number) }
        return task
    }

    private func begin<Result: Sendable>(
        _ body: @escaping @Sendable (_ simulation: Simulation) async throws -> Result
    ) throws(SimulationError) -> SimulationRun<Result> {
        try executor.begin()
        let outcome = LockedValue<Swift.Result<Result, any Error>?>(nil)
        return try executor.asLoop {
            let task = start("the body") { [self] in
                let result = await resultOf { try await body(self) }
                outcome.withLock { $0 = result }
                executor.withSchedule { $0.isBodyOver = true }
            }
            return SimulationRun(task: task, outcome: outcome)
        }
    }

    private func end<Result: Sendable>(_ run: SimulationRun<Result>) throws -> Result {
        guard let result = run.outcome.withLock({ $0 }) else {
            preconditionFailure("A simulation whose body has ended has a result.")
        }
        let value = try result.get()
        let foreignJobs = executor.withSchedule { $0.foreignJobs }
        if foreignJobs > 0 { throw SimulationError.foreignJobs(foreignJobs) }
        return value
    }
}

/// How many steps the calling task takes before it lets others run.
private let stepsPerSlice = 1_024

private struct SimulationRun<Result: Sendable> {
    let task: Task<Void, any Error>
    let outcome: LockedValue<Swift.Result<Result, any Error>?>
}

private func resultOf<Value>(_ body: () async throws -> Value) async -> Result<Value, any Error> {
    do { return .success(try await body()) } catch { return .failure(error) }
}
