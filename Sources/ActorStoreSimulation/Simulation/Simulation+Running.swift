import ActorStore

extension Simulation {
    /// Runs `body` as a task of the simulation until it and everything that it started have ended; on the calling
    /// thread, which never waits for another one.
    ///
    /// When the body has ended, jobs that can run do so; then tasks that sleep on ``clock`` are cancelled, and so are
    /// those that ``start(_:_:)`` started.
    ///
    /// - Returns: The value of the body.
    /// - Throws: The error of the body, or a ``SimulationError``. After a ``SimulationError`` unfinished tasks never
    ///   end; their memory is not released.
    public func run<Result: Sendable>(
        _ body: @escaping @Sendable (_ simulation: Simulation) async throws -> Result
    ) throws -> Result {
        let run = try begin(body)
        while try !executor.runSteps(atMost: .max) {}
        return try end(run)
    }

    /// Runs `body` as a task of the simulation until it and everything that it started have ended. Between the jobs of
    /// the simulation other tasks can use the thread.
    ///
    /// When the body has ended, jobs that can run do so; then tasks that sleep on ``clock`` are cancelled, and so are
    /// those that ``start(_:_:)`` started. If the calling task is cancelled, so is the body.
    ///
    /// - Returns: The value of the body.
    /// - Throws: The error of the body, or a ``SimulationError``. After a ``SimulationError`` unfinished tasks never
    ///   end; their memory is not released.
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
    ///   - name: The name of the task in errors.
    ///   - operation: The operation. When the body has ended it is cancelled, and must end.
    /// - Returns: The task. It has the error that the operation throws; for that to fail the simulation, await its
    ///   value in the body.
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

/// The number of steps that the calling task takes before it yields to other tasks.
private let stepsPerSlice = 1_024

private struct SimulationRun<Result: Sendable> {
    let task: Task<Void, any Error>
    let outcome: LockedValue<Swift.Result<Result, any Error>?>
}

private func resultOf<Value>(_ body: () async throws -> Value) async -> Result<Value, any Error> {
    do { return .success(try await body()) } catch { return .failure(error) }
}
