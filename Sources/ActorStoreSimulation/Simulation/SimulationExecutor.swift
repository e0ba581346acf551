import ActorStore

/// Runs the tasks of one simulation, one piece after the other, on one thread, in an order that the seed decides.
///
/// Give it to stores in `StoreConfiguration.executor`, to tasks as their executor preference, and to observers.
public final class SimulationExecutor: TaskExecutor {
    /// No job runs, and no continuation is resumed, under its lock.
    private let schedule: LockedValue<SimulationSchedule>

    init(seed: UInt64, options: SimulationOptions) {
        schedule = LockedValue(SimulationSchedule(seed: seed, options: options))
    }

    /// Takes a piece of a task in, to be run when the simulation chooses it.
    public func enqueue(_ job: consuming ExecutorJob) {
        accept(.init(job: .task(UnownedJob(job))))
    }

    /// Changes or reads what the simulation is about to do.
    func withSchedule<Result>(_ body: (inout SimulationSchedule) -> Result) -> Result { schedule.withLock(body) }

    func accept(_ entry: JobPool<SimulatedJob>.Entry) {
        // The runtime holds no executor: after the end another thread can run the job, and its task end and let go of
        // this, before this returns.
        let hold = Unmanaged.passRetained(self)
        let mustRunElsewhere = withSchedule { $0.accept(entry, from: CurrentThread.identity) }
        // One task for all, so that what has a serial executor does not run at the same time.
        if mustRunElsewhere { Task.detached { [self] in runLate() } }
        hold.release()
    }

    /// Runs a job that was chosen.
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

    /// Runs other jobs in the middle of the one that runs, if the seed says so.
    func preempt() {
        while let entry = withSchedule({ $0.nextNested(on: CurrentThread.identity) }) {
            run(entry)
            withSchedule { $0.endNested() }
        }
    }

    /// Runs what comes after the end: the last pieces of tasks that outlived the simulation.
    private func runLate() {
        var next = withSchedule { $0.late.first }
        while let job = next {
            run(.init(job: job))
            // In one step: who adds a job to an empty list starts a task for it.
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
