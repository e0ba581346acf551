import ActorStoreSimulation
import Testing

@testable import TestFixtures

@Suite("Errors in simulated workloads", .timeLimit(.minutes(10)))
struct WorkloadErrorTests {
    private struct Mishap: Error, Equatable {
        let sender: Int
    }

    @Test("A workload throws the error of the lowest-numbered sender, also if another one threw before")
    func lowestNumber() async throws {
        let workload = SimulatedWorkload(steps: [4, 2, 1, 3].map { .init(sender: $0, operation: "fail") })
        for seed in 0..<20 as Range<UInt64> {
            let failed = Collector<Int>()
            await #expect(throws: Mishap(sender: 2)) {
                try await Simulation(seed: seed).run { simulation in
                    try await simulation.perform(workload) { sender, _ in
                        if sender == 1 { return }
                        // The lowest number comes last.
                        try await simulation.clock.sleep(for: .seconds(10 - sender))
                        failed.append(sender)
                        throw Mishap(sender: sender)
                    }
                }
            }
            #expect(failed.elements == [4, 3, 2])
        }
    }
}
