import ActorStore
import ActorStoreSimulation
import Testing

@testable import TestFixtures

@Suite("The simulated clock", .timeLimit(.minutes(10)))
struct SimulatedClockTests {
    @Test("A day passes in no time, and sleepers wake in the order of their deadlines")
    func days() async throws {
        for seed in 0..<50 as Range<UInt64> {
            let simulation = Simulation(seed: seed)
            let order = try await simulation.run { simulation in
                let notes = Collector<Int>()
                let tasks = [3, 1, 2].map { hours in
                    simulation.start("\(hours) hours") {
                        try await simulation.clock.sleep(for: .seconds(hours * 3_600))
                        notes.append(hours)
                    }
                }
                for task in tasks { try await task.value }
                try await simulation.clock.sleep(for: .seconds(21 * 3_600))
                return notes.elements
            }
            #expect(order == [1, 2, 3])
            #expect(simulation.clock.now.offset == .seconds(24 * 3_600))
            #expect(simulation.trace.clockJumps == 4)
        }
    }

    @Test("Sleepers with equal deadlines run in an order chosen by the seed")
    func sameDeadline() async throws {
        var orders: Set<[Int]> = []
        for seed in 0..<100 as Range<UInt64> {
            orders.insert(
                try await Simulation(seed: seed).run { simulation in
                    let notes = Collector<Int>()
                    let tasks = (1...3).map { number in
                        simulation.start("\(number)") {
                            try await simulation.clock.sleep(for: .seconds(1))
                            notes.append(number)
                        }
                    }
                    for task in tasks { try await task.value }
                    return notes.elements
                }
            )
        }
        #expect(orders.count == 6)
    }

    @Test("A cancelled sleep ends at once, also before its beginning; one past its deadline does not begin")
    func cancelledSleep() async throws {
        let simulation = Simulation(seed: 1)
        try await simulation.run { simulation in
            let sleeper = simulation.start("sleeper") { try await simulation.clock.sleep(for: .seconds(100)) }
            try await simulation.clock.sleep(for: .seconds(1))
            sleeper.cancel()
            await #expect(throws: CancellationError.self) { try await sleeper.value }
            let early = simulation.start("early") { try await simulation.clock.sleep(for: .seconds(100)) }
            early.cancel()
            await #expect(throws: CancellationError.self) { try await early.value }
            try await simulation.clock.sleep(until: .init(offset: .seconds(1)))
        }
        #expect(simulation.clock.now.offset == .seconds(1))
    }

    @Test("A hasty clock lets timeouts win against runnable operations")
    func haste() async throws {
        func timesOut(seed: UInt64, haste: Double) async throws -> Bool {
            try await Simulation(seed: seed, options: .init(hasteOfTheClock: haste)).run { simulation in
                try await withThrowingTaskGroup(of: Bool.self) { group in
                    group.addTask {
                        for _ in 0..<20 { await simulation.interleave() }
                        return false
                    }
                    group.addTask {
                        try await simulation.clock.sleep(for: .seconds(1))
                        return true
                    }
                    defer { group.cancelAll() }
                    return try await group.next() ?? false
                }
            }
        }
        var outcomes: Set<Bool> = []
        for seed in 0..<50 as Range<UInt64> {
            #expect(try await !timesOut(seed: seed, haste: 0))
            outcomes.insert(try await timesOut(seed: seed, haste: 0.05))
        }
        #expect(outcomes == [true, false])
    }
}
