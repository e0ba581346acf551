import ActorStore
import ActorStoreCommands
import ActorStoreSimulation
import Testing

@testable import TestFixtures

@Suite("Simulation", .timeLimit(.minutes(10)))
struct SimulationTests {
    /// Three tasks that record their steps.
    private func notedOrder(seed: UInt64) async throws -> (order: [Int], trace: SimulationTrace) {
        let simulation = Simulation(seed: seed)
        let order = try await simulation.run { simulation in
            let order = Collector<Int>()
            let tasks = (1...3).map { number in
                simulation.start("task \(number)") {
                    for _ in 0..<4 {
                        await simulation.interleave()
                        order.append(number)
                    }
                }
            }
            for task in tasks { try await task.value }
            return order.elements
        }
        return (order, simulation.trace)
    }

    @Test("Equal seeds have equal interleavings and traces; other seeds have others")
    func seedsDecide() async throws {
        var orders: Set<[Int]> = []
        var traces: Set<SimulationTrace> = []
        for seed in 0..<200 as Range<UInt64> {
            let first = try await notedOrder(seed: seed)
            let second = try await notedOrder(seed: seed)
            #expect(first.order == second.order)
            #expect(first.trace == second.trace)
            orders.insert(first.order)
            traces.insert(first.trace)
        }
        #expect(orders.count > 190)
        #expect(traces.count > 190)
    }

    @Test("A body can be run without suspending the caller")
    func synchronousRun() throws {
        func run() throws -> Int {
            try Simulation(seed: 1).run { simulation in
                let task = simulation.start("seven") { 7 }
                return try await task.value
            }
        }
        #expect(try run() == 7)
    }

    @Test("Of several tasks that wait for quiet, one continues after all jobs started by the others have run")
    func severalQuiet() async throws {
        for seed in 0..<50 as Range<UInt64> {
            try await Simulation(seed: seed).run { simulation in
                let started = Collector<Int>()
                let ended = Collector<Int>()
                let tasks = (0..<4).map { number in
                    simulation.start("\(number)") {
                        await simulation.quiet()
                        #expect(started.elements.count == ended.elements.count)
                        started.append(number)
                        simulation.start("work of \(number)") {
                            await simulation.interleave()
                            ended.append(number)
                        }
                    }
                }
                for task in tasks { try await task.value }
            }
        }
    }

    @Test("A shared value is saved and shut down within a simulation")
    func sharedValue() async throws {
        for seed in 0..<20 as Range<UInt64> {
            let saved = try await Simulation(seed: seed).run { simulation in
                let persistence = MemoryPersistence<Int>()
                let configuration = StoreConfiguration(executor: simulation.executor)
                let shared = SharedValue(0, persistence: persistence, configuration: configuration)
                try await shared.update { $0 = 7 }
                await shared.shutdown()
                return persistence.value
            }
            #expect(saved == 7)
        }
    }

    @Test("A task that waits for quiet continues after all others have done what they can, before time passes")
    func quiet() async throws {
        for seed in 0..<50 as Range<UInt64> {
            try await Simulation(seed: seed).run { simulation in
                let notes = Collector<Int>()
                for number in 0..<5 {
                    simulation.start("\(number)") {
                        for _ in 0..<5 { await simulation.interleave() }
                        notes.append(number)
                        try await simulation.clock.sleep(for: .seconds(1))
                        notes.append(number)
                    }
                }
                await simulation.quiet()
                #expect(notes.elements.count == 5)
                #expect(simulation.clock.now.offset == .zero)
            }
        }
    }
}
