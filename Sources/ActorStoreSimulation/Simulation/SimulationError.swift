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
