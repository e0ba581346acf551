import ActorStore
import ActorStoreSimulation
import Foundation
import Testing

@testable import TestFixtures

@Suite("Preemption", .timeLimit(.minutes(10)))
struct PreemptionTests {
    @Test("Code that runs within a store's turn finds the store busy, as if on another thread")
    func contention() async throws {
        var waited = 0
        for seed in 0..<100 as Range<UInt64> {
            let mostWaiting = try await Simulation(seed: seed).run { simulation in
                let configuration = StoreConfiguration(executor: simulation.executor)
                let store = Store(initialState: 0, configuration: configuration) { (sum: inout Int, step: Int) in
                    sum += step
                    simulation.preempt()
                    sum += step
                }
                let waiting = Collector<Int>()
                let senders = (1...3).map { step in
                    simulation.start("sender \(step)") {
                        store.send(step)
                        waiting.append(store.statistics.waitingActions)
                        try await store.dispatch(step)
                    }
                }
                for sender in senders { try await sender.value }
                await simulation.outermost()
                #expect(store.snapshot == 24)
                #expect(store.revision == 6)
                return waiting.elements.max() ?? 0
            }
            waited += mostWaiting > 0 ? 1 : 0
        }
        #expect(waited > 20)
    }

    @Test("A simulation is reproducible however long the calls of its observers take")
    func slowObservers() async throws {
        var traces: Set<SimulationTrace> = []
        for delay in [0, 2_000] as [UInt32] {
            let simulation = Simulation(seed: 1)
            try await simulation.run { simulation in
                let configuration = StoreConfiguration(executor: simulation.executor)
                let store = Store(initialState: 0, configuration: configuration) { (sum: inout Int, step: Int) in
                    sum += step
                }
                let seen = Collector<Int>()
                // More than a millisecond, after which an observer yields its executor.
                let token = store.values(of: \.self, buffering: .unbounded).observe(on: simulation.executor) { sum in
                    usleep(delay)
                    seen.append(sum)
                }
                for _ in 0..<10 { store.send(1) }
                while seen.elements.count < 11 { await simulation.interleave() }
                token.cancel()
            }
            traces.insert(simulation.trace)
        }
        #expect(traces.count == 1)
    }

    @Test("Jobs are nested up to the depth in the options, and not at all outside the simulation")
    func depth() async throws {
        let deepest = Collector<Int>()
        for depth in 0...3 {
            try await Simulation(seed: 5, options: .init(preemptionDepth: depth, preemptionChance: 1)).run {
                simulation in
                let current = Collector<Int>()
                simulation.preempt()
                for number in 0..<10 {
                    simulation.start("\(number)") {
                        current.append(1)
                        deepest.append(current.elements.reduce(0, +))
                        simulation.preempt()
                        current.append(-1)
                    }
                }
            }
            #expect(deepest.elements.max() == depth + 1)
        }
        Simulation(seed: 1).preempt()
    }

    @Test("Jobs of one serial executor, or of one actor, are never nested in each other")
    func serialExecutors() async throws {
        for seed in 0..<50 as Range<UInt64> {
            let simulation = Simulation(seed: seed, options: .init(preemptionDepth: 4, preemptionChance: 0.9))
            try await simulation.run { simulation in
                let printer = Printer(simulation)
                let counter = Counter()
                for number in 0..<6 {
                    simulation.start("\(number)") {
                        await printer.print { simulation.preempt() }
                        await counter.count { simulation.preempt() }
                        await printer.print { simulation.preempt() }
                    }
                }
            }
            #expect(simulation.trace.preemptions > 0)
        }
    }

    private actor Printer {
        private let executor: SimulationSerialExecutor
        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
        private var isPrinting = false

        init(_ simulation: Simulation) { executor = SimulationSerialExecutor(of: simulation) }

        func print(_ page: @Sendable () -> Void) {
            preconditionIsolated()
            #expect(!isPrinting)
            isPrinting = true
            page()
            isPrinting = false
        }
    }

    private actor Counter {
        private var isCounting = false

        func count(_ body: @Sendable () -> Void) {
            #expect(!isCounting)
            isCounting = true
            body()
            isCounting = false
        }
    }

    @Test("The interrupted task is the current one again afterwards")
    func currentTask() async throws {
        enum Name { @TaskLocal static var current = "none" }
        try await Simulation(seed: 3, options: .init(preemptionChance: 1)).run { simulation in
            for number in 0..<4 {
                Name.$current.withValue("\(number)") {
                    _ = simulation.start("\(number)") {
                        await simulation.interleave()
                        simulation.preempt()
                        #expect(Name.current == "\(number)")
                        await simulation.interleave()
                        #expect(Name.current == "\(number)")
                    }
                }
            }
        }
    }
}
