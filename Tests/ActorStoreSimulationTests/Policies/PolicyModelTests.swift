import ActorStoreSimulation
import Foundation
import Testing

/// The policies, timings, operators, combinations and cancellations of effects, in a store with many concurrent
/// requests. Each seed is another interleaving of other requests.
///
/// A log contains the events and their times: actions, beginnings and ends of effects, and the steps of their code.
/// `PolicyAudit` reads it event by event beside `PolicyModel`, a reference that decides from the documentation alone
/// what each event causes. The documentation promises no order of simultaneous events; the model takes that from the
/// log, and nothing else. Time passes in the simulation only when nothing else can happen. So due events must have
/// happened by then, at their exact times: nothing is lost, and nothing is late.
@Suite("Simulated policies of effects against a model", .timeLimit(.minutes(60)))
struct PolicyModelTests {
    @Test("Effects begin, wait, send, end and are cancelled like the model's, and leave nothing behind")
    func policies() async throws {
        let report = try await Simulation.check(
            seeds: SimulationSeeds.first(PolicyRun.seeds),
            options: PolicyRun.options,
            workload: PolicyRun.workload,
            run: PolicyRun.run
        )
        if ProcessInfo.processInfo.environment["SIMULATION_SEEDS"] != nil {
            print("Policies: \(report.seeds) seeds, \(report.jobs) jobs, \(report.preemptions) nested.")
        }
        // Otherwise little of it would be tested.
        #expect(report.preemptions > report.seeds)
    }
}
