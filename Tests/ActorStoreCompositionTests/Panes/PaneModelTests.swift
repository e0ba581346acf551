import ActorStore
import ActorStoreSimulation
import Testing

/// Children of all kinds, against a model that tells each of them from all others. Effects ignore that they are
/// cancelled, and send their numbers as long as they go on, so that an action which comes to another child shows in the
/// state.
///
/// `SIMULATION_SEEDS=100000` runs so many seeds, `SIMULATION_SEED=7` one.
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
