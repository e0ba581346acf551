import ActorStore

/// Runs the tasks of one simulation, one job after the other, on one thread, in an order that the seed decides.
///
/// Pass it to stores in `StoreConfiguration.executor`, to tasks as their executor preference, and to observers.
public final class SimulationExecutor: TaskExecutor {
    /// No job runs, and no continuation is resumed, under its lock.
    private let schedule: LockedValue<SimulationSchedule>

    init(seed: UInt64, options: SimulationOptions) {
        schedule = LockedValue(SimulationSchedule(seed: seed, options: options))
    }

    /// Queues a job of a task, to run when the simulation chooses it.
    public func enqueue(_ job: consuming ExecutorJob) {
        accept(.init(job: .task(UnownedJob(job))))
    }

    /// Changes or reads the schedule.
    func withSchedule<Result>(_ body: (inout SimulationSchedule) -> Result) -> Result { schedule.withLock(body) }

    func accept(_ entry: JobPool<SimulatedJob>.Entry) {
        // The runtime does not retain an executor: after the end another thread can run the job, and its task can end
        // and release this executor, before this method returns.
        let hold = Unmanaged.passRetained(self)
        let mustRunElsewhere = withSchedule { $0.accept(entry, from: CurrentThread.identity) }
        // One task for all, so that jobs of a serial executor do not overlap.
        if mustRunElsewhere { Task.detached { [self] in runLate() } }
        hold.release()
    }

    /// Runs a chosen job.
    func run(_ entry: JobPool<SimulatedJob>.Entry) {
        switch entry.job {
        case .task(let job):
            job.runSynchronously(on: asUnownedTaskExecutor())
        case .isolated(let job, let executor):
            withSchedule { $0.enter(ObjectIdentifier(executor)) }
            job.runSynchronously(on: executor.asUnownedSerialExecutor())
            withSchedule { $0.leaveDomain() }
        case .resumption(let continuation):
            withSchedule { $0.beginCapturing() }
            continuation.resume()
            if let next = withSchedule({ $0.endCapturing() }) { run(next) }
        }
    }

    /// Runs other jobs in the middle of the current one, if the seed says so.
    func preempt() {
        while let entry = withSchedule({ $0.nextNested(on: CurrentThread.identity) }) {
            run(entry)
            withSchedule { $0.endNested() }
        }
    }

    /// Runs jobs that arrive after the end: the last jobs of tasks that outlived the simulation.
    private func runLate() {
        var next = withSchedule { $0.late.first }
        while let job = next {
            run(.init(job: job))
            // In one step: a caller that adds a job to an empty list starts a task for it.
            next = withSchedule { schedule in
                schedule.late.removeFirst()
                return schedule.late.first
            }
        }
    }
}

extension SimulationExecutor: DeterministicExecutor {
    package var workLimits: WorkLimits { .withoutTime }
}

extension SimulationExecutor {
    /// Records the beginning of the simulation.
    func begin() throws(SimulationError) {
        let isFirst = withSchedule { schedule in
            guard schedule.phase == .preparing else { return false }
            schedule.phase = .running(thread: 0)
            return true
        }
        guard isFirst else { throw .alreadyRun }
    }

    /// Runs `body` as part of the simulation: jobs that it resumes come from the simulation's own thread.
    func asLoop<Result>(_ body: () throws(SimulationError) -> Result) throws(SimulationError) -> Result {
        withSchedule { $0.phase = .running(thread: CurrentThread.identity) }
        defer {
            withSchedule { if case .running = $0.phase { $0.phase = .running(thread: 0) } }
        }
        return try body()
    }

    /// Runs jobs, on the calling thread, which never waits for another one.
    ///
    /// - Parameter limit: The number of steps after which it returns.
    /// - Returns: Whether the simulation has ended.
    func runSteps(atMost limit: Int) throws(SimulationError) -> Bool {
        try asLoop { () throws(SimulationError) in
            for _ in 0..<limit {
                switch withSchedule({ $0.next() }) {
                case .run(let entry): run(entry)
                case .wake(let sleepers): for sleeper in sleepers { sleeper.resume() }
                case .idle: if try endIfOver() { return true }
                case .exhausted: throw abandon(.tooManyJobs(withSchedule { $0.trace.jobs }))
                }
            }
            return false
        }
    }

    /// No job can run: the simulation has ended, or never will.
    private func endIfOver() throws(SimulationError) -> Bool {
        let (isOver, unfinished) = withSchedule { ($0.isBodyOver, $0.roster.names) }
        guard isOver else { throw abandon(.deadlock(unfinished: unfinished)) }
        if let rest = withSchedule({ $0.windUp() }) {
            for sleeper in rest.sleepers { sleeper.resume(throwing: CancellationError()) }
            for cancel in rest.cancellations { cancel() }
            return false
        }
        guard unfinished.isEmpty else { throw abandon(.leftBehind(unfinished)) }
        withSchedule { $0.phase = .ended }
        return true
    }

    /// Stops where it is: waiting jobs never run.
    private func abandon(_ error: SimulationError) -> SimulationError {
        withSchedule { schedule in
            schedule.phase = .abandoned
            _ = schedule.pool.takeAll()
        }
        return error
    }
}

/// An executor for actors that take part in a simulation although they have their own executor, so that no task
/// executor reaches them.
///
/// ```swift
/// actor Printer {
///     private let executor: SimulationSerialExecutor
///     nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
///     init(_ simulation: Simulation) { executor = SimulationSerialExecutor(of: simulation) }
/// }
/// ```
///
/// Plain actors do not need it: they follow the tasks that call them. Jobs of one serial executor never run in the
/// middle of each other, also not by ``Simulation/preempt()``.
public final class SimulationSerialExecutor: SerialExecutor {
    private let executor: SimulationExecutor

    /// Creates an executor whose jobs are chosen among all those of the simulation.
    public init(of simulation: Simulation) { executor = simulation.executor }

    /// Queues a job of a task, to run when the simulation chooses it.
    public func enqueue(_ job: consuming ExecutorJob) {
        executor.accept(.init(job: .isolated(UnownedJob(job), self), domain: ObjectIdentifier(self)))
    }

    /// Traps unless a job of this executor is running.
    public func checkIsolated() {
        guard executor.withSchedule({ $0.isBusy(ObjectIdentifier(self)) }) else {
            fatalError(
                """
                Code that assumes isolation to an actor on a SimulationSerialExecutor ran elsewhere. Await it on the actor.
                """
            )
        }
    }
}
