import ActorStore
import ActorStoreSimulation
import ActorStoreTesting
import Foundation
import Synchronization
import Testing

@testable import TestFixtures

@Suite("Observation of unusual states", .timeLimit(.minutes(10)))
struct UnusualStateTests {
    private struct NoBytes: Equatable, Sendable {}

    @Test("A state without bytes is observed like any other")
    func withoutBytes() async throws {
        let store = Store(initialState: NoBytes()) { (_: inout NoBytes, _: Int) in }
        let seen = Collector<NoBytes>()
        let observation = store.observe(\.self) { seen.append($0) }
        var values = store.values(of: \.self).makeAsyncIterator()
        #expect(seen.elements == [NoBytes()])
        #expect(await values.next() == NoBytes())
        #expect(store.scope(\.self).snapshot == NoBytes())
        try await store.dispatch(1)
        #expect(seen.elements == [NoBytes()])
        withExtendedLifetime(observation) {}
    }

    /// Equal to another one with the same identity, whatever its text is.
    private struct Row: Equatable, Sendable {
        var id = 1
        var text: String

        static func == (left: Row, right: Row) -> Bool { left.id == right.id }
    }

    private struct Page: Sendable {
        var row = Row(text: "old")
        var rows = [1: Row(text: "old")]
        var shownRow: Row { row }
        var shownRows: [Int: Row] { rows }
    }

    @Test("A later observer begins with the current state, also if it equals the values delivered to others")
    func equalButDifferent() async throws {
        let store = Store(initialState: Page()) { (page: inout Page, text: String) in
            page.row.text = text
            page.rows[1]?.text = text
        }
        let first = Collector<String>()
        let observations = [
            store.observe(\.row) { first.append($0.text) },
            store.observe(.entry(of: \.rows, key: 1)) { first.append($0?.text ?? "") },
            store.observe(\.shownRow) { first.append($0.text) },
            store.observe(.entry(of: \.shownRows, key: 1)) { first.append($0?.text ?? "") },
        ]
        try await store.dispatch("new")
        #expect(first.elements == ["old", "old", "old", "old"])

        let later = Collector<String>()
        let second = store.observe(\.row) { later.append($0.text) }
        var values = store.values(of: \.row).makeAsyncIterator()
        let third = [
            store.observe(.entry(of: \.rows, key: 1)) { later.append($0?.text ?? "") },
            store.observe(\.shownRow) { later.append($0.text) },
            store.observe(.entry(of: \.shownRows, key: 1)) { later.append($0?.text ?? "") },
        ]
        #expect(later.elements == ["new", "new", "new", "new"])
        #expect(await values.next()?.text == "new")
        try await store.condition(\.row) { $0.text == "new" }
        try await store.condition(\.shownRow) { $0.text == "new" }
        // And the others are not notified of that.
        #expect(first.elements == ["old", "old", "old", "old"])
        withExtendedLifetime((observations, second, third)) {}
    }

    /// A value that calls a closure when it is compared.
    private struct Hooked: Equatable, Sendable {
        static let hook = Mutex<(@Sendable () -> Void)?>(nil)
        var number: Int

        static func == (left: Hooked, right: Hooked) -> Bool {
            let hook = hook.withLock { stored in
                defer { stored = nil }
                return stored
            }
            hook?()
            return left.number == right.number
        }
    }

    private actor Screen {
        let numbers = Collector<Int>()

        func show(_ number: Int) { numbers.append(number) }

        /// Blocks the actor until it is released.
        func hold(_ entered: Signal, until exit: DispatchSemaphore) {
            entered.fire()
            exit.wait()
        }

        func settle() {}
    }

    @Test("No call begins after the observation was cancelled by the comparison of the value")
    func cancelledByComparison() async {
        let store = Store(initialState: Hooked(number: 0)) { (state: inout Hooked, number: Int) in state.number = number
        }
        let screen = Screen()
        let observation = store.observe(\.self, isolatedTo: screen) { $0.show($1.number) }
        await until { screen.numbers.elements == [0] }
        let (entered, exit) = (Signal(), DispatchSemaphore(value: 0))
        let holding = Task.detached { await screen.hold(entered, until: exit) }
        await entered.wait()
        // Two changes, so that the observer has to compare the offered value with the previous one.
        store.send(1)
        store.send(2)
        Hooked.hook.withLock { $0 = { observation.cancel() } }
        exit.signal()
        await holding.value
        // Once the flush has compared.
        await until { Hooked.hook.withLock { $0 == nil } }
        await screen.settle()
        #expect(screen.numbers.elements == [0])
    }

    @Test("Actor-isolated observers are called on the executor of the store")
    func executorOfTheStore() {
        let executor = ManualExecutor()
        var configuration = StoreConfiguration()
        configuration.executor = executor
        let store = Store(initialState: 0, configuration: configuration) { (count: inout Int, step: Int) in
            count += step
        }
        let screen = Screen()
        let observation = store.observe(\.self, isolatedTo: screen) { $0.show($1) }
        executor.runUntilIdle()
        #expect(screen.numbers.elements == [0])
        store.send(2)
        executor.runUntilIdle()
        #expect(screen.numbers.elements == [0, 2])
        withExtendedLifetime(observation) {}
    }

    @Test("MainActor-isolated observers do not wait for the executor of the store")
    func mainActor() async {
        // Its jobs are never run.
        let executor = ManualExecutor()
        let store = Store(initialState: 0, configuration: StoreConfiguration(executor: executor)) {
            (count: inout Int, step: Int) in count += step
        }
        let seen = Collector<Int>()
        let observation = store.observe(\.self, isolatedTo: MainActor.shared) { _, count in seen.append(count) }
        await until { seen.elements == [0] }
        store.send(1)
        await until { seen.elements == [0, 1] }
        #expect(executor.waitingJobs == 0)
        withExtendedLifetime(observation) {}
    }

    @Test("Observers isolated to a store of a simulation run in the simulation", arguments: 0..<20 as Range<UInt64>)
    func storeOfASimulation(seed: UInt64) async throws {
        try await Simulation(seed: seed).run { simulation in
            let configuration = StoreConfiguration(executor: simulation.executor)
            let source = Store(initialState: 0, configuration: configuration) { (count: inout Int, step: Int) in
                count += step
            }
            let log = Store(initialState: [Int](), configuration: configuration) { (log: inout [Int], count: Int) in
                log.append(count)
            }
            let observation = source.observe(\.self, isolatedTo: log, buffering: .unbounded) { log, count in
                log.send(count)
            }
            for _ in 1...3 {
                try await source.dispatch(1)
                try await simulation.clock.sleep(for: .seconds(1))
            }
            #expect(log.snapshot == [0, 1, 2, 3])
            withExtendedLifetime(observation) {}
        }
    }

    @Test("Observers isolated to an actor of a simulation run in the simulation", arguments: 0..<20 as Range<UInt64>)
    func actorOfASimulation(seed: UInt64) async throws {
        try await Simulation(seed: seed).run { simulation in
            actor Printer {
                private let executor: SimulationSerialExecutor
                nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
                var printed: [Int] = []

                init(_ simulation: Simulation) { executor = SimulationSerialExecutor(of: simulation) }
            }
            let printer = Printer(simulation)
            let store = Store(initialState: 0, configuration: StoreConfiguration(executor: simulation.executor)) {
                (count: inout Int, step: Int) in count += step
            }
            let observation = store.observe(\.self, isolatedTo: printer, buffering: .unbounded) { printer, count in
                printer.printed.append(count)
            }
            for _ in 1...5 {
                try await store.dispatch(1)
                try await simulation.clock.sleep(for: .seconds(1))
            }
            #expect(await printer.printed == [0, 1, 2, 3, 4, 5])
            withExtendedLifetime(observation) {}
        }
    }
}
