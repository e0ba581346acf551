import ActorStore
import ActorStoreViews
import Testing

@testable import TestFixtures

@Suite("Consumers of actions", .timeLimit(.minutes(10)))
struct ActionConsumerTests {
    private actor Audit: ActionConsumer {
        private(set) var entries: [String] = []

        func receive(_ action: Profile.Action, state: Profile.State) {
            assertIsolated()
            entries.append("\(action) \(state.visits)")
        }
    }

    @MainActor
    private final class AgeAudit: ActionConsumer {
        private(set) var ages: [Int] = []

        func receive(_ action: Profile.Action, state: Profile.Person) {
            MainActor.assertIsolated()
            ages.append(state.age)
        }
    }

    private let store = Profile.store()

    @Test("A consumer of actions gets each one after its connection, in order, with the state right after it")
    func everyAction() async {
        let audit = Audit()
        store.send(.visited)
        store.connect(actionsTo: audit)
        for _ in 0..<3 { store.send(.visited) }
        store.send(.person(.age))
        store.send(contentsOf: [.visited, .visited])
        await until { await audit.entries.count == 6 }
        #expect(
            await audit.entries == [
                "visited 2", "visited 3", "visited 4", "person(ActorStoreViewsTests.Profile.PersonAction.age) 4",
                "visited 5",
                "visited 6",
            ]
        )
    }

    @Test("A consumer of actions can get a part of the state only, on the main actor if it is isolated to it")
    func parts() async {
        let audit = AgeAudit()
        store.connect(actionsTo: audit, state: \.person)
        store.send(.person(.age))
        store.send(.visited)
        await until { await audit.ages == [37, 37] }
    }

    @Test("A closure makes props of actions, which are not compared, or of some of them")
    func props() async {
        let display = NumberDisplay()
        store.connect(actionsTo: display) { action, state, send in
            guard action == .visited else { return nil }
            if state.visits == 2 { send(.person(.age)) }
            return state.visits / 2
        }
        for _ in 0..<4 { store.send(.visited) }
        await until { await display.shown == [0, 1, 1, 2] }
        await until { store.snapshot.person.age == 37 }
    }

    @Test("A connection retains neither consumer nor store, and can be started later or cancelled")
    func lifetimes() async {
        var store: Store<Profile.State, Profile.Action>? = Profile.store()
        weak let observed = store
        let (late, cancelled) = (Audit(), Audit())
        var gone: Audit? = Audit()
        weak let observedAudit = gone
        let connection = store!.connect(actionsTo: late, start: .manual)
        store!.connect(actionsTo: cancelled).cancel()
        store!.connect(actionsTo: gone!)
        gone = nil
        #expect(observedAudit == nil)
        store!.send(.visited)
        await until { store!.statistics.observers == 0 }
        connection.start()
        store!.send(.visited)
        await until { await late.entries == ["visited 2"] }
        #expect(await cancelled.entries == [])
        store = nil
        #expect(observed == nil)
    }

    @Test("A slow consumer of actions keeps no more than its buffer's capacity")
    func bounded() async {
        actor Slow: ActionConsumer {
            let entered = Signal()
            let exit = Signal()
            private(set) var visits: [Int] = []

            func receive(_ action: Profile.Action, state: Profile.State) async {
                visits.append(state.visits)
                guard state.visits == 1 else { return }
                entered.fire()
                await exit.wait()
            }
        }
        let slow = Slow()
        store.connect(actionsTo: slow, buffering: .bounded(2))
        store.send(.visited)
        await slow.entered.wait()
        for _ in 0..<5 { store.send(.visited) }
        slow.exit.fire()
        await until { await slow.visits == [1, 5, 6] }
    }
}
