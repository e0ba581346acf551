extension Simulation {
    /// Runs `body` once for each seed.
    ///
    /// ```swift
    /// try await Simulation.check(seeds: .first(2_000)) { simulation in … }
    /// ```
    ///
    /// - Parameters:
    ///   - seeds: The seeds, each of which is one interleaving.
    ///   - options: The options of the simulations.
    ///   - body: The test, which throws if it fails.
    /// - Returns: A report of the runs.
    /// - Throws: A ``SimulationFailure`` that names the first seed that failed, or `CancellationError`.
    @discardableResult
    public static func check(
        seeds: SimulationSeeds,
        options: SimulationOptions = SimulationOptions(),
        _ body: @escaping @Sendable (_ simulation: Simulation) async throws -> Void
    ) async throws -> SimulationReport {
        try await check(seeds: seeds, options: options) { _ in
            SimulatedWorkload<Never>()
        } run: { simulation, _ in
            try await body(simulation)
        }
    }

    /// Generates a workload from each seed, and runs `body` with it. A workload that fails is shrunk: steps are
    /// removed, and then senders' steps assigned to other senders, as long as it fails in the same or one of the next
    /// interleavings.
    ///
    /// - Parameters:
    ///   - seeds: The seeds, each of which is one workload and one interleaving.
    ///   - options: The options of the simulations.
    ///   - workload: Generates a workload from random numbers.
    ///   - body: The test, which throws if it fails.
    /// - Returns: A report of the runs.
    /// - Throws: A ``SimulationFailure`` that names the first seed that failed, or `CancellationError`.
    @discardableResult
    public static func check<Operation: Sendable>(
        seeds: SimulationSeeds,
        options: SimulationOptions = SimulationOptions(),
        workload: @Sendable (_ generator: inout SimulationGenerator) -> SimulatedWorkload<Operation>,
        run body: @escaping @Sendable (_ simulation: Simulation, SimulatedWorkload<Operation>) async throws -> Void
    ) async throws -> SimulationReport {
        var report = SimulationReport()
        for seed in seeds {
            try Task.checkCancellation()
            var generator = SimulationGenerator(seed: ~seed)
            let workload = workload(&generator)
            let simulation = Simulation(seed: seed, options: options)
            do {
                try await simulation.run { try await body($0, workload) }
            } catch {
                // A cancelled task has not found a failure.
                try Task.checkCancellation()
                var shrinking = WorkloadShrinking(workload, seed, error, options, body)
                try await shrinking.shrink()
                throw shrinking.failure
            }
            report.note(simulation.trace)
        }
        return report
    }
}
