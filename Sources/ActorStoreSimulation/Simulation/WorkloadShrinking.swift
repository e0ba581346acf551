/// Searches for the smallest workload that fails.
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

    /// Shrinks the workload.
    ///
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

    /// Assigns all operations of one sender to an earlier one.
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

    /// A smaller workload is interleaved differently, so it gets several chances.
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
/// A failure should be reported within seconds.
private let mostAttempts = 10_000

/// Shrinks a list that shows a failure, as long as it still shows it.
///
/// Source: Zeller and Hildebrandt, "Simplifying and isolating failure-inducing input", IEEE Transactions on Software
/// Engineering 28(2), 2002, without the attempts with single parts, which rarely succeed on workloads. The result is
/// 1-minimal, that is, it no longer fails when any one element is removed, if every list fails that has all elements of
/// one that fails. Where that does not hold, a smaller list that fails can be missed: parts are tried one after
/// another, and none is tried again after a later one was removed.
///
/// A plain value: take a ``candidate``, try it, and report to ``note(candidateFails:)`` whether it fails.
struct DeltaDebugging<Element> {
    /// The smallest list that is known to fail.
    private(set) var smallest: [Element]
    private var partCount = 1
    private var part = 0

    init(_ failing: [Element]) { smallest = failing }

    /// The next list to try; nil if no smaller one fails.
    var candidate: [Element]? {
        guard part < partCount, !smallest.isEmpty else { return nil }
        var rest = smallest
        rest.removeSubrange(range(of: part))
        return rest
    }

    mutating func note(candidateFails: Bool) {
        guard let candidate else { return }
        if candidateFails {
            smallest = candidate
            partCount = max(1, min(partCount - 1, smallest.count))
            // The parts before this one were needed a moment ago, and mostly still are.
            part = min(part, partCount - 1)
            return
        }
        part += 1
        guard part == partCount, partCount < smallest.count else { return }
        partCount = min(partCount * 2, smallest.count)
        part = 0
    }

    private func range(of part: Int) -> Range<Int> {
        smallest.count * part / partCount..<smallest.count * (part + 1) / partCount
    }
}
