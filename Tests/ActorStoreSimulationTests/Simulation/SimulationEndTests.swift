import ActorStore
import ActorStoreSimulation
import Testing

@testable import TestFixtures

@Suite("Ends of simulations", .timeLimit(.minutes(10)))
struct SimulationEndTests {
    struct Mishap: Error, Equatable {}

    @Test("Tasks that wait for each other are a deadlock that names them")
    func deadlock() async throws {
        let error = try await #require(throws: SimulationError.self) {
            try await Simulation(seed: 1).run { simulation in
                let task = simulation.start("the one that waits") { await forever() }
                simulation.start("the one that ends") {}
                _ = try await task.value
            }
        }
        #expect(error == .deadlock(unfinished: ["the body", "the one that waits"]))
        #expect(error.description.contains("2 tasks have not ended: the body, the one that waits"))
    }

    @Test("An error of the body is thrown")
    func bodyThrows() async {
        await #expect(throws: Mishap()) { try await Simulation(seed: 1).run { _ in throw Mishap() } }
    }

    @Test("Sleepers and started tasks are cancelled at the end of the body, and end")
    func windingUp() async throws {
        let notes = Collector<String>()
        let simulation = Simulation(seed: 1)
        try await simulation.run { simulation in
            simulation.start("sleeper") {
                do { try await simulation.clock.sleep(for: .seconds(10)) } catch { notes.append("\(type(of: error))") }
            }
            simulation.start("listener") {
                for await _ in AsyncStream<Void>.makeStream().stream {}
                notes.append("listened")
            }
            // They have begun.
            try await simulation.clock.sleep(for: .seconds(1))
        }
        #expect(notes.elements.sorted() == ["CancellationError", "listened"])
        #expect(simulation.clock.now.offset == .seconds(1))
    }

    @Test("A task that ignores its cancellation is an error that names it")
    func leftBehind() async {
        await #expect(throws: SimulationError.leftBehind(["stubborn"])) {
            try await Simulation(seed: 1).run { simulation in
                simulation.start("stubborn") { await forever() }
            }
        }
    }

    @Test("Tasks that keep each other busy without end are stopped")
    func tooManyJobs() async {
        await #expect(throws: SimulationError.tooManyJobs(1_000)) {
            try await Simulation(seed: 1, options: .init(maximumJobs: 1_000)).run { simulation in
                while true { await simulation.interleave() }
            }
        }
    }

    @Test("A job outside the simulation is an error, because the run cannot be repeated")
    func foreignJobs() async {
        let error = await #expect(throws: SimulationError.self) {
            try await Simulation(seed: 1).run { simulation in
                let isAwaited = LockedValue(false)
                let outside = Task.detached {
                    await until { isAwaited.withLock({ $0 }) }
                    return 1
                }
                while true {
                    // The simulation must not end before the outsider does.
                    if await withTaskGroup(
                        of: Int.self,
                        returning: Bool.self,
                        body: { group in
                            group.addTask { await outside.value }
                            group.addTask {
                                for _ in 0..<100 { await simulation.interleave() }
                                isAwaited.withLock { $0 = true }
                                return 0
                            }
                            for await number in group where number == 1 { return true }
                            return false
                        }
                    ) {
                        return
                    }
                }
            }
        }
        switch error {
        case .foreignJobs, .deadlock: break
        default: Issue.record("It was \(String(describing: error)).")
        }
    }

    @Test("A simulation can be run once")
    func runsOnce() async throws {
        let simulation = Simulation(seed: 1)
        try await simulation.run { _ in }
        await #expect(throws: SimulationError.alreadyRun) { try await simulation.run { _ in } }
    }

    @Test("Cancelling the task that runs a simulation cancels its body")
    func cancellation() async throws {
        let task = Task {
            try await Simulation(seed: 1, options: .init(maximumJobs: .max)).run { simulation in
                while !Task.isCancelled { await simulation.interleave() }
                return 7
            }
        }
        task.cancel()
        #expect(try await task.value == 7)
    }

    @Test("Jobs that outlive a simulation continue on other executors")
    func afterlife() async throws {
        let pair = AsyncStream<Int>.makeStream()
        let listener = try await Simulation(seed: 1).run { simulation in
            Task(executorPreference: simulation.executor) {
                var sum = 0
                for await number in pair.stream { sum += number }
                return sum
            }
        }
        for number in 1...100 { pair.continuation.yield(number) }
        pair.continuation.finish()
        #expect(await listener.value == 5_050)
    }
}

/// Never returns.
private func forever() async {
    await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
}
