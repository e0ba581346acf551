import Testing

@testable import ActorStoreSimulation
@testable import TestFixtures

@Suite("Checks over many seeds", .timeLimit(.minutes(10)))
struct SimulationCheckTests {
    struct Overdrawn: Error {}

    /// Withdraws money from an account after reading its balance: two concurrent withdrawals overdraw it.
    private func check(seeds: Range<UInt64>) async throws -> SimulationReport {
        try await Simulation.check(seeds: .exactly(seeds)) { generator in
            SimulatedWorkload(senders: 4, count: 20, using: &generator) { generator, _ in generator.number(below: 50) }
        } run: { simulation, workload in
            let account = Collector<Int>()
            account.append(100)
            try await simulation.perform(workload) { _, amount in
                let balance = account.elements.reduce(0, +)
                guard balance >= amount else { return }
                await simulation.interleave()
                account.append(-amount)
            }
            if account.elements.reduce(0, +) < 0 { throw Overdrawn() }
        }
    }

    @Test("A failure names its seed and the replay command, and shows a minimal workload")
    func failure() async throws {
        let failure = try await #require(throws: SimulationFailure<Int>.self) { try await check(seeds: 0..<100) }
        #expect(failure.error is Overdrawn)
        #expect(failure.originalSteps == 20)
        let text = failure.description
        #expect(text.contains("SIMULATION_SEED=\(failure.seed)"))
        #expect(text.contains("sender"))
        // The first of two that overlap leaves too little for the second.
        let amounts = failure.workload.steps.map(\.operation)
        #expect(amounts.reduce(0, +) > 100)
        #expect(amounts.count <= 5)
        #expect(failure.workload.senders.count == 2)
        let replayed = try await #require(throws: SimulationFailure<Int>.self) {
            try await check(seeds: failure.seed..<failure.seed + 1)
        }
        #expect(replayed.description == text)
    }

    @Test("Seeds come from the caller, unless the environment names one, or their number")
    func seeds() {
        func seeds(_ environment: [String: String]) -> [UInt64] {
            Array(SimulationSeeds.first(3, in: { environment[$0] }))
        }
        #expect(seeds([:]) == [0, 1, 2])
        #expect(seeds(["SIMULATION_SEED": "77"]) == [77])
        #expect(seeds(["SIMULATION_SEEDS": "5"]) == [0, 1, 2, 3, 4])
        #expect(seeds(["SIMULATION_SEED": "nonsense"]) == [0, 1, 2])
        #expect(Array(SimulationSeeds.exactly(4..<6)) == [4, 5])
    }

    @Test("Random numbers are the same on every machine")
    func generator() {
        var generator = SimulationGenerator(seed: 42)
        #expect(
            (0..<3).map { _ in generator.next() } == [
                13_679_457_532_755_275_413, 2_949_826_092_126_892_291, 5_139_283_748_462_763_858,
            ]
        )
        #expect((0..<8).map { _ in generator.number(below: 10) }.allSatisfy { $0 < 10 })
    }

    @Test("A check reports its runs, and ends when it is cancelled")
    func report() async throws {
        let report = try await Simulation.check(seeds: .exactly(0..<20)) { simulation in
            simulation.start("one") { await simulation.interleave() }
            simulation.start("two") { await simulation.interleave() }
        }
        #expect(report.seeds == 20)
        #expect(report.jobs >= 100)
        #expect(report.interleavings > 1)
        let task = Task {
            try await Simulation.check(seeds: .exactly(0..<1_000_000_000)) { _ in }
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
