import ActorStoreSimulation

@testable import ActorStore
@testable import TestFixtures

/// One run of the simulation: the requests to a bureau, its shutdown, and the comparison with the model.
enum PolicyRun {
    /// The number without a setting in the environment.
    static let seeds = 1_000
    static let options = SimulationOptions(preemptionDepth: 3, preemptionChance: 0.8, maximumJobs: 20_000)

    static func workload(_ generator: inout SimulationGenerator) -> SimulatedWorkload<PolicyOperation> {
        let senders = 1 + generator.number(below: 3)
        return SimulatedWorkload(senders: senders, count: 12, using: &generator) { generator, _ in
            .random(using: &generator)
        }
    }

    @Sendable
    static func run(_ simulation: Simulation, _ workload: SimulatedWorkload<PolicyOperation>) async throws {
        let outcome = try await perform(workload, in: simulation)
        try PolicyAudit.check(outcome.log, lateActions: outcome.lateActions, failures: outcome.failures)
        try Depot.require(outcome.left.isEmpty, outcome.left)
        await simulation.quiet()
        try Depot.require(outcome.log.token == nil, "Something keeps what the effects have held.")
    }

    /// The facts after the release of the store.
    private struct Outcome {
        let log: BureauLog
        let lateActions: Int
        let failures: Int
        /// The remains of ended effects, in words; empty without any.
        let left: String
    }

    private static func perform(
        _ workload: SimulatedWorkload<PolicyOperation>,
        in simulation: Simulation
    ) async throws -> Outcome {
        let bureau = Bureau(simulation)
        let failures = Collector<StoreFailure>()
        let errors = bureau.store.errors
        let observer = simulation.start("errors") { for await failure in errors { failures.append(failure) } }
        let senders = Dictionary(uniqueKeysWithValues: workload.senders.map { ($0, PolicySender(bureau)) })
        try await simulation.perform(workload) { try await senders[$0]?.perform($1) }
        let drain: ShutdownDrain = simulation.number(below: 3) == 0 ? .cancelEffects : .finishEffects
        bureau.logNext(.shutDown(drain))
        await bureau.store.shutdown(drain: drain)
        bureau.log.append(.hasShutDown)
        try await observer.value
        await simulation.quiet()
        return Outcome(
            log: bureau.log,
            lateActions: bureau.store.statistics.lateActions,
            failures: failures.elements.count,
            left: await leftOver(in: bureau.store)
        )
    }

    private static func leftOver(in store: Store<Bureau.State, Bureau.Action>) async -> String {
        guard let runtime = (store.root as? any StoreNode)?.effectRuntime else { return "" }
        return await store.root.perform {
            let registry = runtime.machine.registry
            if registry.count > 0 { return "\(registry.count) entries are left." }
            if registry.numberOfIdentities > 0 { return "\(registry.numberOfIdentities) identities are left." }
            // A throttle keeps the place of its child, and that of the table, until its interval is forgotten.
            if registry.numberOfPlaces > 1 + registry.numberOfThrottles * 2 { return "Places are left." }
            if registry.numberOfQueues > 0 { return "\(registry.numberOfQueues) queues are left." }
            if store.statistics.runningEffects > 0 { return "\(store.statistics.runningEffects) tasks are left." }
            return ""
        }
    }
}
