/// A report of the runs of a check.
public struct SimulationReport: Sendable {
    /// The number of seeds that were run; all of them passed.
    public internal(set) var seeds = 0
    /// The number of jobs of all runs.
    public internal(set) var jobs = 0
    /// The number of jobs that were run in the middle of others.
    public internal(set) var preemptions = 0
    /// The number of different interleavings, distinguished by the hashes of their traces.
    public var interleavings: Int { hashes.count }

    var hashes: Set<UInt64> = []

    mutating func note(_ trace: SimulationTrace) {
        seeds += 1
        jobs += trace.jobs
        preemptions += trace.preemptions
        hashes.insert(trace.hash)
    }
}

/// A seed that failed, with the smallest failing workload that was found.
public struct SimulationFailure<Operation: Sendable>: Error {
    /// The seed that failed.
    public let seed: UInt64
    /// The error of the smallest workload.
    public let error: any Error
    /// The number of steps in the workload that the seed generated.
    public let originalSteps: Int
    /// The smallest workload that fails.
    public let workload: SimulatedWorkload<Operation>
    /// The seed of an interleaving in which the smallest workload fails: `Simulation(seed:)` with this seed runs
    /// exactly that.
    public let interleaving: UInt64
    /// The number of runs that shrank the workload.
    public let attempts: Int
}

extension SimulationFailure: CustomStringConvertible {
    /// The seed, how to replay it, and the smallest workload.
    public var description: String {
        var text = """
            Seed \(seed) fails: \(error)
            To replay it, run this test with SIMULATION_SEED=\(seed) in the environment, or, if it names its seeds by \
            itself, with .exactly(\(seed)..<\(seed + 1)).
            """
        if originalSteps > 0 {
            text += """

                The smallest workload that was found to fail has \(workload.steps.count) of \(originalSteps) steps; \
                it fails in the interleaving \(interleaving):
                \(workload)
                """
        }
        return text
    }
}

/// The reason why a simulation could not be run to its end.
public enum SimulationError: Error, Equatable, Sendable {
    /// No job can run, no task sleeps on the clock, and these tasks have not ended. They wait for each other, or for
    /// something outside the simulation: a task without an executor preference, a real clock, the main actor.
    case deadlock(unfinished: [String])
    /// The body has ended, but these tasks have not, although they were cancelled.
    case leftBehind([String])
    /// The simulation did not end within this number of jobs.
    case tooManyJobs(Int)
    /// This number of jobs came from other threads, so the run cannot be repeated: some work runs outside the
    /// simulation.
    case foreignJobs(Int)
    /// The simulation has run before. Each can run once, because its executor and its clock cannot be reused.
    case alreadyRun
}

extension SimulationError: CustomStringConvertible {
    /// A description of the mistake.
    public var description: String {
        switch self {
        case .deadlock(let names):
            """
            No job can run, no task sleeps on the simulation's clock, and \(Self.count(names)) not ended: \
            \(names.joined(separator: ", ")). They wait for each other, or for something outside the simulation.
            """
        case .leftBehind(let names):
            """
            The body has ended, and \(Self.count(names)) not, although cancelled: \(names.joined(separator: ", ")).
            """
        case .tooManyJobs(let count):
            "The simulation did not end within \(count) jobs. Do its tasks create work for each other without end?"
        case .foreignJobs(let count):
            """
            \(count) jobs came from other threads, so this run cannot be repeated. Give every store, task and \
            clock the simulation's own.
            """
        case .alreadyRun:
            "A simulation runs once. Create another one with the same seed to repeat it."
        }
    }

    private static func count(_ names: [String]) -> String {
        names.count == 1 ? "1 task has" : "\(names.count) tasks have"
    }
}
