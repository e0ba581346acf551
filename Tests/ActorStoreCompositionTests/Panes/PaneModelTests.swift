import ActorStore
import ActorStoreSimulation
import Testing

/// Children of all kinds, against a model that distinguishes all of them. Effects ignore cancellations, and send their
/// numbers while they run, so that an action that reaches another child shows in the state.
///
/// `SIMULATION_SEEDS=100000` runs that number of seeds, `SIMULATION_SEED=7` one.
@Suite("Composed children against a model", .timeLimit(.minutes(60)))
struct PaneModelTests {
    @Test(
        "No effect acts on its child's successor, and each child ends with its own effects, in every composition"
    )
    func identities() async throws {
        try await Simulation.check(seeds: .first(180), workload: PaneWorkload.make) { simulation, workload in
            let system = PaneSystem(simulation, at: .of(seed: simulation.seed))
            try await simulation.perform(workload) { try await system.perform($1) }
            try await system.finish()
        }
    }
}
