import ActorStore
import ActorStoreSimulation
import Testing

@testable import TestFixtures

/// Guarantee 9: lifetimes, with any order of releases.
@Suite("Simulated lifetimes", .timeLimit(.minutes(60)))
struct SimulatedLifetimeTests {
    private enum Action: Sendable {
        case enter(Tally.Entry)
        case work
    }

    @Test("After the last sender all its actions are reduced, effects cancelled, observers ended, and the store freed")
    func lastReference() async throws {
        try await Simulation.check(seeds: .first(300)) { simulation in
            let cancelled = Collector<Bool>()
            let reducer = Reduce<Tally, Action> { tally, action in
                simulation.preempt()
                switch action {
                case .enter(let entry):
                    Tally.reduce(&tally, entry)
                    return .none
                case .work:
                    return .run { _ in
                        defer { cancelled.append(Task.isCancelled) }
                        try await simulation.clock.sleep(for: .seconds(3_600))
                    }
                }
            }
            let told = Collector<Tally>()
            let (store, observer) = Self.begin(simulation, reducer, told)
            try await observer.value
            await simulation.quiet()
            try Depot.require(store.value == nil, "Something keeps the store alive.")
            // An effect that had not begun does not begin.
            try Depot.require(cancelled.elements.allSatisfy { $0 }, "Effects: \(cancelled.elements)")
            let entries = told.elements.last?.entries ?? []
            try Depot.require(entries.count == 12, "The observer's last value has \(entries.count) entries.")
            try ObservedPath(of: entries, from: Tally(), part: { $0 }, reduce: Tally.reduce)
                .check(told.elements, isGapless: true)
            try Depot.require(simulation.clock.now.offset < .seconds(3_600), "The effects were not cancelled.")
        }
    }

    /// A store referenced only by three senders and, weakly, an observer.
    private static func begin(
        _ simulation: Simulation,
        _ reducer: Reduce<Tally, Action>,
        _ told: Collector<Tally>
    ) -> (store: WeakReference<Store<Tally, Action>>, observer: Task<Void, any Error>) {
        let store = Store(
            initialState: Tally(),
            reducer: reducer,
            configuration: StoreConfiguration(executor: simulation.executor)
        )
        let values = store.values(of: \.entries, buffering: .unbounded)
        let observer = simulation.start("the observer") {
            for await entries in values { told.append(Tally(entries: entries)) }
        }
        for sender in 0..<3 {
            simulation.start("sender \(sender)") {
                try await store.dispatch(.work)
                for number in 1...4 {
                    await simulation.interleave()
                    store.send(.enter(Tally.Entry(sender: sender, number: number)))
                }
            }
        }
        return (WeakReference(store), observer)
    }
}

private final class WeakReference<Object: AnyObject & Sendable>: Sendable {
    weak let value: Object?

    init(_ value: Object) { self.value = value }
}
