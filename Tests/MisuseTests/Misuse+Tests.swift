import ActorStoreSimulation
import ActorStoreTesting

extension Misuse {
    static let ofTests: [Misuse] = [
        Misuse("A test clock goes back", "TestClock.advance(by: -1.0 seconds) goes back in time") {
            await TestClock().advance(by: .seconds(-1))
        },
        Misuse("A random number has no range", "SimulationGenerator.number(below: 0) has no result") {
            var generator = SimulationGenerator(seed: 1)
            _ = generator.number(below: 0)
        },
        Misuse("Code outside an executor assumes its isolation", "actor on a SimulationSerialExecutor ran elsewhere") {
            SimulationSerialExecutor(of: Simulation(seed: 1)).checkIsolated()
        },
    ]
}
