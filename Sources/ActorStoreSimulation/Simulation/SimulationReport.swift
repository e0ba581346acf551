/// What a check has run.
public struct SimulationReport: Sendable {
    /// How many seeds were run; all of them passed.
    public internal(set) var seeds = 0
    /// How many jobs that took, in all.
    public internal(set) var jobs = 0
    /// How many jobs were run in the middle of others.
    public internal(set) var preemptions = 0
    /// How many different interleavings were among them, told apart by the hashes of their traces.
    public var interleavings: Int { hashes.count }

    var hashes: Set<UInt64> = []

    mutating func note(_ trace: SimulationTrace) {
        seeds += 1
        jobs += trace.jobs
        preemptions += trace.preemptions
        hashes.insert(trace.hash)
    }
}

/// A seed that failed, with the smallest workload that was found to fail.
public struct SimulationFailure<Operation: Sendable>: Error {
    /// The seed that failed.
    public let seed: UInt64
    /// Why the smallest workload fails.
    public let error: any Error
    /// How many steps the workload had that the seed made.
    public let originalSteps: Int
    /// The smallest workload that fails.
    public let workload: SimulatedWorkload<Operation>
    /// The seed of an interleaving with which the smallest workload fails: `Simulation(seed:)` with it runs just that.
    public let interleaving: UInt64
    /// How many runs it took to make the workload smaller.
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

/// Why a simulation could not be run to its end.
public enum SimulationError: Error, Equatable, Sendable {
    /// Nothing can run, nobody sleeps on the clock, and these tasks have not ended. They wait for each other, or for
    /// something outside the simulation: a task without an executor preference, a real clock, the main actor.
    case deadlock(unfinished: [String])
    /// The body has ended, but these tasks have not, although they were cancelled.
    case leftBehind([String])
    /// So many jobs were run, and there was no end of it.
    case tooManyJobs(Int)
    /// So many jobs came from other threads, so that the run cannot be repeated: something runs outside the simulation.
    case foreignJobs(Int)
    /// The simulation has run before. Each can run once, because its executor and its clock are used up.
    case alreadyRun
}

extension SimulationError: CustomStringConvertible {
    /// The mistake in plain words.
    public var description: String {
        switch self {
        case .deadlock(let names):
            """
            Nothing can run, nobody sleeps on the simulation's clock, and \(Self.count(names)) not ended: \
            \(names.joined(separator: ", ")). They wait for each other, or for something outside the simulation.
            """
        case .leftBehind(let names):
            """
            The body has ended, and \(Self.count(names)) not, although cancelled: \(names.joined(separator: ", ")).
            """
        case .tooManyJobs(let count):
            "\(count) jobs were run, and there was no end of it."
        case .foreignJobs(let count):
            """
            \(count) jobs came from other threads, so that this run cannot be repeated. Give every store, task and \
            clock the simulation's own.
            """
        case .alreadyRun:
            "A simulation runs once. Make a new one, with the same seed, to repeat it."
        }
    }

    private static func count(_ names: [String]) -> String {
        names.count == 1 ? "1 task has" : "\(names.count) tasks have"
    }
}
