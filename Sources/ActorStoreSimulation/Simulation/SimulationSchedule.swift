import ActorStoreTesting

/// A job of a task, or the resumption of a waiting task.
enum SimulatedJob {
    case task(UnownedJob)
    case isolated(UnownedJob, SimulationSerialExecutor)
    case resumption(UnsafeContinuation<Void, Never>)
}

/// Decides the next step of a simulation.
///
/// A plain value; ``SimulationExecutor`` has the lock around it, and carries out the steps.
struct SimulationSchedule {
    /// A step of the simulation.
    enum Step {
        case run(JobPool<SimulatedJob>.Entry)
        case wake([UnsafeContinuation<Void, any Error>])
        /// No job can run.
        case idle
        case exhausted
    }

    enum Phase: Equatable {
        case preparing
        /// The thread that runs jobs at this moment, or 0.
        case running(thread: UInt)
        case ended
        /// Jobs that arrive now never run.
        case abandoned
    }

    let options: SimulationOptions
    var phase = Phase.preparing
    var pool = JobPool<SimulatedJob>()
    var sleepers = Sleepers<UnsafeContinuation<Void, any Error>>()
    var roster = TaskRoster()
    private(set) var trace = SimulationTrace()
    private(set) var foreignJobs = 0
    /// Whether the body has returned or thrown.
    var isBodyOver = false
    /// Whether the tasks that the body left behind have been cancelled.
    private(set) var isWindingUp = false
    /// The generator of numbers for the body.
    var numbers: SimulationGenerator
    private var decisions: SimulationGenerator

    /// The number of interrupted jobs.
    private var depth = 0
    /// The serial executors of the jobs that run.
    private var busy: [ObjectIdentifier] = []
    /// Whether the next job that arrives is to run at once, and that job.
    private var isCapturing = false
    private var captured: JobPool<SimulatedJob>.Entry?
    /// Jobs that arrived after the end.
    var late: [SimulatedJob] = []

    init(seed: UInt64, options: SimulationOptions) {
        self.options = options
        var seeds = SimulationGenerator(seed: seed)
        numbers = seeds.split()
        decisions = seeds.split()
    }

    // MARK: What comes

    /// Registers a sleeping task, unless the simulation is ending.
    mutating func admit(
        _ number: UInt64,
        until deadline: Duration,
        _ sleeper: UnsafeContinuation<Void, any Error>
    ) -> Sleepers<UnsafeContinuation<Void, any Error>>.Admission {
        isWindingUp ? .wasCancelled : sleepers.admit(number, until: deadline, sleeper)
    }

    /// Queues a job.
    ///
    /// - Returns: Whether the job must be run elsewhere, because the simulation has ended.
    mutating func accept(_ entry: JobPool<SimulatedJob>.Entry, from thread: UInt) -> Bool {
        switch phase {
        case .preparing: break
        case .running(let own):
            if thread != own { foreignJobs += 1 }
        case .ended:
            late.append(entry.job)
            return late.count == 1
        case .abandoned:
            return false
        }
        if isCapturing && captured == nil { captured = entry } else { pool.add(entry) }
        return false
    }

    // MARK: What is next

    /// Returns the next step of the loop.
    mutating func next() -> Step {
        if trace.jobs >= options.maximumJobs { return .exhausted }
        // Tasks that are left when the body has ended need not sleep until their deadlines: they are cancelled.
        let canJump = sleepers.count > 0 && !isBodyOver
        let isHasty = options.hasteOfTheClock > 0 && canJump && decisions.chance(options.hasteOfTheClock)
        if !isHasty, let (entry, choice, count) = pool.take(depth: 0, busy: [], using: &decisions) {
            trace.noteJob(choice, of: count, depth: 0)
            return .run(entry)
        }
        guard canJump, let next = sleepers.nextDeadline else { return .idle }
        let woken = sleepers.advance(upTo: next)
        trace.noteJump(waking: woken.count)
        return .wake(woken)
    }

    /// Returns a job to run in the middle of another one; nil if the seed chooses not to, or no job may run.
    mutating func nextNested(on thread: UInt) -> JobPool<SimulatedJob>.Entry? {
        guard phase == .running(thread: thread), depth < options.preemptionDepth, trace.jobs < options.maximumJobs,
            !pool.isEmpty, decisions.chance(options.preemptionChance),
            let (entry, choice, count) = pool.take(depth: depth + 1, busy: busy, using: &decisions)
        else { return nil }
        depth += 1
        trace.noteJob(choice, of: count, depth: depth)
        return entry
    }

    mutating func endNested() { depth -= 1 }

    mutating func enter(_ domain: ObjectIdentifier) { busy.append(domain) }

    mutating func leaveDomain() { busy.removeLast() }

    func isBusy(_ domain: ObjectIdentifier) -> Bool { busy.contains(domain) }

    mutating func beginCapturing() { isCapturing = true }

    /// Returns the job that arrived since ``beginCapturing()``.
    mutating func endCapturing() -> JobPool<SimulatedJob>.Entry? {
        isCapturing = false
        defer { captured = nil }
        return captured
    }

    /// Ends the sleeps and the started tasks, once, when the body has ended and no job can run.
    ///
    /// - Returns: The sleeping tasks, and closures that cancel the others; nil if that has been done before.
    mutating func windUp() -> (sleepers: [UnsafeContinuation<Void, any Error>], cancellations: [@Sendable () -> Void])?
    {
        guard !isWindingUp else { return nil }
        isWindingUp = true
        return (sleepers.cancelAll(), roster.cancellations)
    }
}
