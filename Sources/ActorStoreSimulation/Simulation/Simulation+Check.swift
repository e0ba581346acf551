extension Simulation {
    /// Runs `body` once for each seed.
    ///
    /// ```swift
    /// try await Simulation.check(seeds: .first(2_000)) { simulation in … }
    /// ```
    ///
    /// - Parameters:
    ///   - seeds: Which interleavings.
    ///   - options: How the simulations behave besides.
    ///   - body: What is to hold: it throws if it does not.
    /// - Returns: what was run.
    /// - Throws: a ``SimulationFailure`` that names the first seed that failed, or `CancellationError`.
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

    /// Makes a workload from each seed, and runs `body` with it. A workload that fails is made smaller: steps are left
    /// out, and then senders' steps given to others, as long as it fails in the same or one of the next interleavings.
    ///
    /// - Parameters:
    ///   - seeds: Which workloads and interleavings.
    ///   - options: How the simulations behave besides.
    ///   - workload: Makes a workload of random numbers.
    ///   - body: What is to hold: it throws if it does not.
    /// - Returns: what was run.
    /// - Throws: a ``SimulationFailure`` that names the first seed that failed, or `CancellationError`.
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
                // A cancelled task has not found anything.
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
