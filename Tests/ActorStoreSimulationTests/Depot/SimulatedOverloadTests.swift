import ActorStore
import ActorStoreSimulation
import Testing

@testable import TestFixtures

/// Guarantee 10: overload is visible, with any order of senders.
@Suite("Simulated overload", .timeLimit(.minutes(60)))
struct SimulatedOverloadTests {
    /// The outcomes that one sender received for its entries.
    private final class Account: @unchecked Sendable {
        // Sound: used by one task, and after its end.
        let numbers = Tally.Numbers()
        var accepted: [Tally.Entry] = []
        var refused: [Tally.Entry] = []
        var reduced: [Tally.Entry] = []

        func enter(_ entry: Tally.Entry, into store: Store<Tally, Tally.Entry>, awaits: Bool) async throws {
            if !awaits {
                if store.send(entry).isAccepted { accepted.append(entry) } else { refused.append(entry) }
                return
            }
            do throws(StoreError) {
                try await store.dispatch(entry)
                reduced.append(entry)
            } catch {
                try Depot.require(error == .overloaded, "The dispatch threw \(error).")
                refused.append(entry)
            }
        }
    }

    @Test(
        "Every action is reduced, refused, or counted as dropped, and its sender gets the outcome",
        arguments: [MailboxCapacity.OverflowPolicy.suspend, .reject, .dropNewest, .dropOldest]
    )
    func everyActionIsAccountedFor(policy: MailboxCapacity.OverflowPolicy) async throws {
        let overloads = Collector<Int>()
        let options = SimulationOptions(preemptionDepth: 3, preemptionChance: 0.8)
        try await Simulation.check(seeds: .first(200), options: options) { generator in
            SimulatedWorkload(senders: 4, count: 24, using: &generator) { generator, _ in generator.chance(0.5) }
        } run: { simulation, workload in
            overloads.append(try await Self.run(simulation, workload, policy))
        }
        // Otherwise the test would prove nothing.
        #expect(overloads.elements.count { $0 > 0 } > 20)
    }

    /// - Returns: The number of actions that were not reduced.
    private static func run(
        _ simulation: Simulation,
        _ workload: SimulatedWorkload<Bool>,
        _ policy: MailboxCapacity.OverflowPolicy
    ) async throws -> Int {
        let configuration = StoreConfiguration(mailbox: .bounded(1, whenFull: policy), executor: simulation.executor)
        let store = Store(initialState: Tally(), configuration: configuration) {
            (tally: inout Tally, entry: Tally.Entry) in
            simulation.preempt()
            Tally.reduce(&tally, entry)
        }
        let accounts = Dictionary(uniqueKeysWithValues: workload.senders.map { ($0, Account()) })
        try await simulation.perform(workload) { sender, awaits in
            guard let account = accounts[sender] else { return }
            try await account.enter(account.numbers.entry(of: sender), into: store, awaits: awaits)
        }
        await simulation.quiet()
        let entries = store.snapshot.entries
        for account in accounts.values {
            try Depot.require(account.reduced.allSatisfy(entries.contains), "A dispatch that returned has no entry.")
            try Depot.require(!account.refused.contains(where: entries.contains), "A refused action was reduced.")
        }
        for sender in workload.senders {
            let numbers = entries.filter { $0.sender == sender }.map(\.number)
            try Depot.require(numbers == numbers.sorted(), "Sender \(sender)'s entries changed their order.")
        }
        let missing = accounts.values.reduce(0) { $0 + $1.accepted.count { !entries.contains($0) } }
        let refused = accounts.values.reduce(0) { $0 + $1.refused.count }
        let statistics = store.statistics
        try Depot.require(missing == 0 || policy == .dropOldest, "\(missing) accepted actions are missing.")
        if policy == .dropOldest || policy == .dropNewest {
            let dropped = statistics.droppedActions
            try Depot.require(dropped == missing + refused, "\(dropped) dropped, not \(missing) + \(refused).")
        }
        try Depot.require(statistics.waitingActions == 0 && statistics.suspendedDispatches == 0, "\(statistics)")
        return missing + refused
    }
}
