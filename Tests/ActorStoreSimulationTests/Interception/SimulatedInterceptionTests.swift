import ActorStore
import ActorStoreSimulation
import Foundation
import Testing

/// Interceptors of all kinds that pass on, change, split and refuse actions, in a tree of stores that are busy, full,
/// loading or shut down: each seed is another interleaving of another workload. `make simulate` runs more seeds.
@Suite("Simulated interception", .timeLimit(.minutes(60)))
struct SimulatedInterceptionTests {
    private static let options = SimulationOptions(hasteOfTheClock: 0.02)

    private static func workload(_ generator: inout SimulationGenerator) -> SimulatedWorkload<PipelineOperation> {
        SimulatedWorkload(senders: 3, count: 14, using: &generator) { generator, _ in .random(using: &generator) }
    }

    @Sendable
    private static func run(_ simulation: Simulation, _ workload: SimulatedWorkload<PipelineOperation>) async throws {
        let system = PipelineSystem(simulation, workload.setting)
        let guests = PipelineGuests(of: system)
        if workload.setting.loading == .stubborn {
            simulation.start("a deadline") {
                try await simulation.clock.sleep(for: .milliseconds(20))
                await system.shutDown(.root, .finishEffects, within: .milliseconds(4))
            }
        }
        try await simulation.perform(workload) { number, operation in
            try await PipelineSender(number: number, system: system, guests: guests).perform(operation)
        }
        try await system.finish()
        await simulation.quiet()
        guests.finish()
        try PipelineAudit(system, guests).check()
    }

    @Test("Each action becomes the result of the interceptors' scripts, for all callers, under 800 seeds")
    func scripts() async throws {
        let seeds = SimulationSeeds.first(800)
        let report = try await Simulation.check(
            seeds: seeds,
            options: Self.options,
            workload: Self.workload,
            run: Self.run
        )
        if ProcessInfo.processInfo.environment["SIMULATION_SEEDS"] != nil {
            print("Interception: \(report.seeds) seeds, \(report.interleavings) interleavings, \(report.jobs) jobs.")
        }
        #expect(report.preemptions > report.seeds)
    }
}
