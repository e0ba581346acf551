import ActorStoreSimulation
import Testing

@testable import TestFixtures

/// Stores with one defect each, and a workload that the correct store passes.
@Suite("Histories of defective stores", .timeLimit(.minutes(10)))
struct DefectTests {
    private static let seeds = SimulationSeeds.exactly(0..<500)

    private func check(_ defect: FragileStore.Defect?) async throws -> SimulationReport {
        try await Simulation.check(seeds: Self.seeds) { generator in
            SimulatedWorkload(senders: 3, count: 12, using: &generator) { generator, _ in
                generator.element(of: TallyOperation.allCases)
            }
        } run: { simulation, workload in
            let store = FragileStore(defect, on: simulation.executor)
            let history = StoreHistory(of: store.access)
            let told = Collector<Tally>()
            let observer = simulation.start("the observer") { await store.observe(told) }
            let senders = workload.senders.map { ($0, (history.sender($0), Tally.Numbers())) }
            let table = Dictionary(uniqueKeysWithValues: senders)
            try await simulation.perform(workload) { number, operation in
                guard let (sender, numbers) = table[number] else { return }
                try await operation.perform(by: sender, numbers)
            }
            // Otherwise lost last sends could not be detected.
            for (_, (sender, _)) in senders { await sender.state() }
            store.finish()
            try await observer.value
            try history.check(initialState: Tally(), reduce: Tally.reduce)
            let entries = store.read().entries
            try ObservedPath(of: entries, from: Tally(), part: { $0 }, reduce: Tally.reduce).check(told.elements)
        }
    }

    @Test("A store without a defect passes")
    func withoutDefect() async throws {
        let report = try await check(nil)
        #expect(report.seeds == 500)
        #expect(report.interleavings > 490)
    }

    @Test(
        "Every defect is detected within 500 seeds, shown by a few steps, and replayed by its seed",
        arguments: FragileStore.Defect.allCases
    )
    func everyDefectIsCaught(_ defect: FragileStore.Defect) async throws {
        let failure = try await #require(throws: SimulationFailure<TallyOperation>.self) { try await check(defect) }
        switch defect {
        case .losesAnAction, .readsStale, .reordersSends:
            let violation =
                failure.error as? LinearizabilityViolation<StoreOperation<Tally.Entry>, StoreResponse<Tally>>
            #expect(violation != nil, "\(failure)")
        case .notifiesTwice:
            guard case .duplicate = failure.error as? ObserverViolation<Tally> else { throw failure }
        case .missesTheLastValue:
            guard case .missedLast = failure.error as? ObserverViolation<Tally> else { throw failure }
        }
        #expect(failure.originalSteps == 12)
        #expect(failure.workload.steps.count <= 3, "\(failure)")
        let again = try await #require(throws: SimulationFailure<TallyOperation>.self) { try await check(defect) }
        #expect(again.description == failure.description)
    }
}
