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
