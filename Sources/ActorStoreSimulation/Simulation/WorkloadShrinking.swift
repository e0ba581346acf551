/// Looks for the smallest workload that fails.
struct WorkloadShrinking<Operation: Sendable> {
    private let seed: UInt64
    private let originalSteps: Int
    private let options: SimulationOptions
    private let body: @Sendable (Simulation, SimulatedWorkload<Operation>) async throws -> Void
    private var smallest: SimulatedWorkload<Operation>
    private var error: any Error
    private var interleaving: UInt64
    private var attempts = 0

    init(
        _ workload: SimulatedWorkload<Operation>,
        _ seed: UInt64,
        _ error: any Error,
        _ options: SimulationOptions,
        _ body: @escaping @Sendable (Simulation, SimulatedWorkload<Operation>) async throws -> Void
    ) {
        self.seed = seed
        self.options = options
        self.body = body
        self.error = error
        originalSteps = workload.steps.count
        smallest = workload
        interleaving = seed
    }

    var failure: SimulationFailure<Operation> {
        SimulationFailure(
            seed: seed,
            error: error,
            originalSteps: originalSteps,
            workload: smallest,
            interleaving: interleaving,
            attempts: attempts
        )
    }

    /// - Throws: `CancellationError`.
    mutating func shrink() async throws {
        try await leaveStepsOut()
        try await leaveSendersOut()
    }

    private mutating func leaveStepsOut() async throws {
        var debugging = DeltaDebugging(smallest.steps)
        while let candidate = debugging.candidate {
            debugging.note(candidateFails: try await fails(SimulatedWorkload(steps: candidate)))
        }
    }

    /// Gives all that one sender does to one before it.
    private mutating func leaveSendersOut() async throws {
        for sender in smallest.senders.reversed() {
            for heir in smallest.senders where heir < sender {
                var candidate = smallest
                for index in candidate.steps.indices where candidate.steps[index].sender == sender {
                    candidate.steps[index].sender = heir
                }
                if try await fails(candidate) { break }
            }
        }
    }

    /// A smaller workload is interleaved in another way, so that it gets several chances.
    private mutating func fails(_ workload: SimulatedWorkload<Operation>) async throws -> Bool {
        for offset in 0..<chancesPerCandidate where attempts < mostAttempts {
            try Task.checkCancellation()
            attempts += 1
            let simulation = Simulation(seed: interleaving &+ offset, options: options)
            do {
                try await simulation.run { [body] in try await body($0, workload) }
            } catch {
                try Task.checkCancellation()
                interleaving = simulation.seed
                smallest = workload
                self.error = error
                return true
            }
        }
        return false
    }
}

private let chancesPerCandidate: UInt64 = 20
/// A failure should be told of within seconds.
private let mostAttempts = 10_000
