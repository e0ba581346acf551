import ActorStore
import ActorStoreSimulation
import Testing
import TreeCollections

/// Stores that come and go with the entries of a table, against a model that distinguishes each entry from previous
/// ones under the same key; departed ones are retained and checked as well.
@Suite("Stores of entries against a model", .timeLimit(.minutes(60)))
struct EntryModelTests {
    @Test("The store, effects and observers of an entry never meet the next entry of the key, in a tree")
    func tree() async throws { try await check(TreeDictionary<Int, Int>.self) }

    @Test("The store, effects and observers of an entry never meet the next entry of the key, in a dictionary")
    func dictionary() async throws { try await check([Int: Int].self) }

    private func check<Table: EntryTable>(_: Table.Type) async throws {
        try await Simulation.check(seeds: .first(60)) { generator in
            SimulatedWorkload(senders: 1, count: 30, using: &generator) { generator, _ in .random(using: &generator) }
        } run: { (simulation, workload: SimulatedWorkload<EntryOperation>) in
            let system = EntrySystem<Table>(simulation)
            try await simulation.perform(workload) { try await system.perform($1) }
            try await system.finish()
        }
    }
}
