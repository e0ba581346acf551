import ActorStoreTesting

/// A piece of a task, or a task that waits to be resumed.
enum SimulatedJob {
    case task(UnownedJob)
    case isolated(UnownedJob, SimulationSerialExecutor)
    case resumption(UnsafeContinuation<Void, Never>)
}

/// Decides what a simulation does next.
///
/// A plain value; ``SimulationExecutor`` has the lock around it, and does what it says.
struct SimulationSchedule {
    /// What is to be done.
    enum Step {
        case run(JobPool<SimulatedJob>.Entry)
        case wake([UnsafeContinuation<Void, any Error>])
        /// Nothing can be done.
        case idle
        case exhausted
    }

    enum Phase: Equatable {
        case preparing
        /// The thread that runs jobs at this moment, or 0.
        case running(thread: UInt)
        case ended
        /// What comes now is never run.
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
    /// Whether the tasks that the body left have been told to end.
    private(set) var isWindingUp = false
    /// For the body's own numbers.
    var numbers: SimulationGenerator
    private var decisions: SimulationGenerator

    /// How many jobs are being interrupted.
    private var depth = 0
    /// The serial executors of the jobs that run.
    private var busy: [ObjectIdentifier] = []
    /// Whether the next job that comes is to be run at once, and which one that is.
    private var isCapturing = false
    private var captured: JobPool<SimulatedJob>.Entry?
    /// What came after the end.
    var late: [SimulatedJob] = []

    init(seed: UInt64, options: SimulationOptions) {
        self.options = options
        var seeds = SimulationGenerator(seed: seed)
        numbers = seeds.split()
        decisions = seeds.split()
    }

    // MARK: What comes

    /// Lets somebody sleep, unless all is to end.
    mutating func admit(
        _ number: UInt64,
        until deadline: Duration,
        _ sleeper: UnsafeContinuation<Void, any Error>
    ) -> Sleepers<UnsafeContinuation<Void, any Error>>.Admission {
        isWindingUp ? .wasCancelled : sleepers.admit(number, until: deadline, sleeper)
    }

    /// - Returns: whether the job must be run elsewhere, because the simulation has ended.
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

    /// The next step of the loop.
    mutating func next() -> Step {
        if trace.jobs >= options.maximumJobs { return .exhausted }
        // What is left when the body is over need not sleep its fill: it is told to end.
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

    /// A job to run in the middle of another one, or nil if there is to be none.
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

    /// The job that came since ``beginCapturing()``.
    mutating func endCapturing() -> JobPool<SimulatedJob>.Entry? {
        isCapturing = false
        defer { captured = nil }
        return captured
    }

    /// The body is over and nothing can run: everybody who sleeps or was started is told to end, once.
    ///
    /// - Returns: who slept, and how the others can be cancelled; nil if that has been done before.
    mutating func windUp() -> (sleepers: [UnsafeContinuation<Void, any Error>], cancellations: [@Sendable () -> Void])?
    {
        guard !isWindingUp else { return nil }
        isWindingUp = true
        return (sleepers.cancelAll(), roster.cancellations)
    }
}
