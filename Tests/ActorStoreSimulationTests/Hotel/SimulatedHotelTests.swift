import ActorStore
import ActorStoreSimulation
import Testing

/// The guarantees of a group while its stores load, fail to, are evicted, ended, observed and shut down concurrently.
@Suite("A simulated hotel", .timeLimit(.minutes(60)))
struct SimulatedHotelTests {
    @Sendable
    static func workload(_ generator: inout SimulationGenerator) -> SimulatedWorkload<HotelOperation> {
        let mix = HotelOperation.Mix(using: &generator)
        return SimulatedWorkload(senders: 4, count: 24, using: &generator) { generator, _ in
            .random(mix, using: &generator)
        }
    }

    @Sendable
    static func run(_ simulation: Simulation, _ workload: SimulatedWorkload<HotelOperation>) async throws {
        let system = HotelSystem(simulation)
        let reporter = StoreIssueReporter { issue in
            system.log.require(issue.message.contains("had not ended at the deadline"), issue.message)
        }
        try await StoreIssueReporter.$scoped.withValue(reporter) { try await run(system, workload) }
    }

    private static func run(_ system: HotelSystem, _ workload: SimulatedWorkload<HotelOperation>) async throws {
        let simulation = system.simulation
        weak let group = system.group
        defer { system.releaseGroup() }
        let observers = HotelObservers(of: system)
        let guests = workload.senders.map { HotelGuest($0, of: system) }
        let table = Dictionary(uniqueKeysWithValues: guests.map { ($0.number, $0) })
        try await simulation.perform(workload) { try await table[$0]?.perform($1) }
        await simulation.quiet()
        await simulation.outermost()
        observers.checkNewest(of: system)
        let last = await end(system)
        try await observers.finish()
        // Effects left behind by a deadline end as well.
        try await simulation.clock.sleep(for: .seconds(1))
        await simulation.quiet()
        system.log.require(group == nil, "Something keeps the group.")
        try HotelAudit(system: system, observers: observers, guests: guests, last: last).check()
    }

    /// - Returns: The states of the remaining stores after a shutdown.
    private static func end(_ system: HotelSystem) async -> [Hotel.Room: Hotel.State]? {
        let ending = HotelEnding.all[system.simulation.number(below: HotelEnding.all.count)]
        var last: [Hotel.Room: Hotel.State]?
        if ending == .release && !system.log.isClosed {
            system.log.close(.release, isByEffect: false)
        } else {
            await system.shutDown(ending == .release ? .finishingEffects : ending)
            await system.simulation.outermost()
            last = [:]
            for room in system.group?.ids ?? [] { last?[room] = system.group?.existing(room)?.snapshot }
        }
        system.releaseGroup()
        return last
    }

    @Test("A group of stores loses, repeats and reorders nothing under 600 seeds, each a different interleaving")
    func promises() async throws {
        let report = try await Simulation.check(seeds: .first(600), workload: Self.workload, run: Self.run)
        #expect(report.interleavings > report.seeds * 99 / 100)
    }
}
