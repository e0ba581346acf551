import ActorStore
import ActorStoreSimulation
import Foundation
import Testing

/// All guarantees of a store, in a system of stores, effects, observers and clocks; each seed is another interleaving
/// of another workload. `make simulate` runs more seeds.
@Suite("A simulated depot", .timeLimit(.minutes(60)))
struct DepotTests {
    private static let options = SimulationOptions(hasteOfTheClock: 0.02)

    /// Actions that effects sent after their cancellation, in all seeds: that has to be tried as well.
    private static let lateActions = LockedValue(0)

    private static func workload(_ generator: inout SimulationGenerator) -> SimulatedWorkload<DepotOperation> {
        SimulatedWorkload(senders: 4, count: 16, using: &generator) { generator, _ in .random(using: &generator) }
    }

    @Sendable
    private static func run(_ simulation: Simulation, _ workload: SimulatedWorkload<DepotOperation>) async throws {
        var system: DepotSystem? = DepotSystem(simulation)
        guard let depot = system else { return }
        let observers = DepotObservers(of: depot)
        let senders = workload.senders.map { DepotSender($0, of: depot) }
        let table = Dictionary(uniqueKeysWithValues: senders.map { ($0.number, $0) })
        try await simulation.perform(workload) { try await table[$0]?.perform($1) }
        for sender in senders { await sender.settle() }

        await depot.root.shutdown(drain: .finishEffects)
        let error = await #expect(throws: StoreError.self) {
            try await depot.root.dispatch(.cancel(item: 0, shelf: nil))
        }
        try Depot.require(error == .shutDown, "A store that was shut down threw \(error as Any).")
        try await observers.finish()
        // Those on an executor are notified by their own task.
        await simulation.quiet()
        let audit = DepotAudit(
            system: depot,
            observers: observers,
            senders: senders,
            final: depot.root.snapshot,
            revision: depot.root.revision
        )
        try audit.check()
        Self.lateActions.withLock { $0 += depot.root.statistics.lateActions }
        system = nil
    }

    @Test("All guarantees hold under 2,000 seeds, each a different interleaving")
    func guarantees() async throws {
        let seeds = SimulationSeeds.first(2_000)
        let report = try await Simulation.check(
            seeds: seeds,
            options: Self.options,
            workload: Self.workload,
            run: Self.run
        )
        if ProcessInfo.processInfo.environment["SIMULATION_SEEDS"] != nil {
            let (seeds, jobs) = (report.seeds, report.jobs)
            print(
                "The depot: \(seeds) seeds, \(report.interleavings) interleavings, \(jobs) jobs, \(report.preemptions) nested."
            )
        }
        #expect(report.interleavings > report.seeds * 99 / 100)
        #expect(report.preemptions > report.seeds)
        #expect(Self.lateActions.withLock { $0 } > report.seeds / 100)
    }

    @Test("A simulation with one seed is reproduced to the last decision")
    func replay() async throws {
        for seed in 0..<100 as Range<UInt64> {
            var traces: Set<SimulationTrace> = []
            for _ in 0..<2 {
                var generator = SimulationGenerator(seed: seed)
                let workload = Self.workload(&generator)
                let simulation = Simulation(seed: seed, options: Self.options)
                try await simulation.run { try await Self.run($0, workload) }
                traces.insert(simulation.trace)
            }
            #expect(traces.count == 1, "\(traces)")
        }
    }
}
