import ActorStore

@testable import TestFixtures

/// All observers of a depot, of all kinds.
final class DepotObservers: Sendable {
    struct Sequence: Sendable {
        let name: String
        let isGapless: Bool
        let told: Collector<[Depot.Entry]>
        let task: Task<Void, any Error>
    }

    let sequences: [Sequence]
    let closures: [(name: String, told: Collector<[Depot.Entry]>)]
    let untouched = Collector<Int>()
    let pairs = Collector<ParentAndChild<Depot.State, Depot.State>>()
    let transitions = Collector<StateTransition<Depot.State, Depot.Action>>()
    let failures = Collector<String>()
    private let tasks: [Task<Void, any Error>]
    private let tokens: [StoreObservation]

    init(of system: DepotSystem) {
        let (simulation, root, log) = (system.simulation, system.root, system.log)
        let policies: [(String, BufferingPolicy, Bool)] = [
            ("latest", .latest, false), ("unbounded", .unbounded, true),
            ("dropOldest", .bounded(2, onOverflow: .dropOldest), false),
            ("dropNewest", .bounded(2, onOverflow: .dropNewest), false),
            ("suspendStore", .bounded(3, onOverflow: .suspendStore), true),
        ]
        sequences = policies.map { name, policy, isGapless in
            let told = Collector<[Depot.Entry]>()
            let values = root.values(of: \.entries, buffering: policy)
            let task = simulation.start(name) {
                for await entries in values {
                    told.append(entries)
                    await simulation.interleave()
                }
            }
            return Sequence(name: name, isGapless: isGapless, told: told, task: task)
        }

        let (inTurn, onExecutor, onShelf) = (
            Collector<[Depot.Entry]>(), Collector<[Depot.Entry]>(), Collector<[Depot.Entry]>()
        )
        closures = [("in the turn", inTurn), ("on the executor", onExecutor), ("of a shelf", onShelf)]
        let untouched = untouched
        tokens = [
            root.observe(\.entries) { entries in
                inTurn.append(entries)
                log.events.append(.told(entries.count))
                simulation.preempt()
            },
            root.values(of: \.entries, buffering: .unbounded).observe(on: simulation.executor) { entries in
                onExecutor.append(entries)
                simulation.preempt()
            },
            system.shelves[0].observe(\.parent.entries) { onShelf.append($0) },
            root.observe(\.untouched) { untouched.append($0) },
        ]

        let (allTransitions, pairs, failures) = (root.transitions(), pairs, failures)
        let (errors, both) = (root.errors, system.shelves.map { $0.values(of: \.self) })
        let transitions = transitions
        tasks =
            [
                simulation.start("transitions") { for await step in allTransitions { transitions.append(step) } },
                simulation.start("errors") { for await failure in errors { failures.append("\(failure)") } },
            ]
            + both.map { values in
                simulation.start("a shelf's observer") { for await pair in values { pairs.append(pair) } }
            }
    }

    /// Returns after all sequences have ended, as they do with the store.
    func finish() async throws {
        for sequence in sequences { try await sequence.task.value }
        for task in tasks { try await task.value }
        withExtendedLifetime(tokens) {}
    }
}
