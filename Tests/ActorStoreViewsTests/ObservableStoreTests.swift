import ActorStore
import ActorStoreViews
import Observation
import Testing

@testable import TestFixtures

@Suite("Observable stores on the main actor", .timeLimit(.minutes(10)))
@MainActor
struct ObservableStoreTests {
    /// The number of changes of read values.
    private final class Tally: Sendable {
        let changes = Collector<Void>()
        var count: Int { changes.elements.count }

        /// Reads a value that it depends on, once.
        @MainActor
        func track(_ read: () -> Void) {
            withObservationTracking(read) { [changes] in changes.append(()) }
        }
    }

    @Test("A mirror follows the store, and shows its parts by name and key path")
    func following() async throws {
        let store = Profile.store()
        let mirror = ObservableStore(store)
        #expect(mirror.person.name == "Ada" && mirror[\.person.age] == 36 && mirror.greeting == "Hello Ada")
        mirror.send(.visited)
        try await mirror.dispatch(.person(.rename("Grace")))
        await until { mirror.state == store.snapshot }
        #expect(mirror.visits == 1 && mirror.greeting == "Hello Grace")
    }

    @Test("Only readers of a changed part are notified, before it changes")
    func partsAreTracked() async {
        let store = Profile.store()
        let mirror = ObservableStore(store)
        let (visits, person, name, whole) = (Tally(), Tally(), Tally(), Tally())
        visits.track { _ = mirror.visits }
        person.track { _ = mirror.person.name }
        name.track { _ = mirror[\.person.name] }
        whole.track { _ = mirror.state }
        store.send(.person(.age))
        await until { mirror.state.person.age == 37 }
        #expect([visits.count, person.count, name.count, whole.count] == [0, 1, 0, 1])
        store.send(.person(.rename("Grace")))
        await until { mirror.state.person.name == "Grace" }
        #expect([visits.count, person.count, name.count, whole.count] == [0, 1, 1, 1])
        store.send(.visited)
        await until { mirror.state.visits == 1 }
        #expect([visits.count, person.count, name.count, whole.count] == [1, 1, 1, 1])
    }

    @Test("Readers of a part without comparison are notified of each state, in any order of reads")
    func readingWithoutComparison() async {
        func read<Value>(
            _ keyPath: KeyPath<Profile.State, Value>,
            of mirror: ObservableStore<Profile.State, Profile.Action>
        ) {
            _ = mirror[keyPath]
        }
        for readsBefore in [false, true] {
            let store = Profile.store()
            let (mirror, name) = (ObservableStore(store), Tally())
            if readsBefore { _ = mirror[\.person.name] }
            name.track { read(\.person.name, of: mirror) }
            store.send(.visited)
            await until { mirror.state.visits == 1 }
            #expect(name.count == 1)
        }
    }

    @Test("A reader that reads again after each notification gets each change, and the newest state in the end")
    func readingAgain() async {
        @MainActor
        final class Label: Sendable {
            let mirror: ObservableStore<Profile.State, Profile.Action>
            private(set) var shown: [Int] = []

            init(_ mirror: ObservableStore<Profile.State, Profile.Action>) {
                self.mirror = mirror
            }

            func show() {
                withObservationTracking {
                    shown.append(mirror.visits)
                } onChange: { [weak self] in
                    Task { @MainActor in self?.show() }
                }
            }
        }
        let store = Profile.store()
        let label = Label(ObservableStore(store))
        label.show()
        for _ in 0..<100 {
            store.send(.visited)
            store.send(.person(.age))
            await Task.yield()
        }
        await until { label.shown.last == 100 }
        #expect(label.shown == Array(Set(label.shown)).sorted())
    }

    @Test("A thousand actions in a row are one change of the mirror")
    func batches() async {
        let store = Profile.store()
        let mirror = ObservableStore(store)
        // The mirror cannot be visited while this runs on the main actor.
        for _ in 0..<1_000 { store.send(.visited) }
        #expect(mirror.visits == 0)
        let tally = Tally()
        tally.track { _ = mirror.visits }
        await until { tally.count == 1 }
        #expect(mirror.visits == 1_000)
    }

    @Test("A state that is not Equatable is mirrored, and its Equatable parts are tracked")
    func notEquatable() async {
        struct Opaque: Sendable { var number = 0 }
        struct State: Sendable {
            var opaque = Opaque()
            var count = 0
            var name = ""
        }
        let store = Store(initialState: State()) { (state: inout State, number: Int) in
            state.opaque.number = number
            state.count += 1
        }
        let mirror = ObservableStore(store)
        let (opaque, count, name) = (Tally(), Tally(), Tally())
        store.send(1)
        await until { mirror.count == 1 }
        opaque.track { _ = mirror.opaque }
        count.track { _ = mirror.count }
        name.track { _ = mirror.name }
        store.send(7)
        await until { mirror.opaque.number == 7 }
        #expect([opaque.count, count.count, name.count] == [1, 1, 0])
    }

    @Test("A mirror of a state that is not Equatable notifies of nothing before the first action")
    func notEquatableBeforeTheFirstAction() async {
        struct State: Sendable { var perform: @Sendable () -> Void = {} }
        let store = Store(initialState: State()) { (_: inout State, _: Int) in }
        let mirror = ObservableStore(store)
        let (whole, part) = (Tally(), Tally())
        whole.track { _ = mirror.state }
        part.track { _ = mirror.perform }
        // The mirror has taken all values of the store.
        await until { await store.observerRecords.allSatisfy { $0.pending == 0 } }
        #expect([whole.count, part.count] == [0, 0])
        store.send(1)
        await until { whole.count == 1 && part.count == 1 }
    }

    @Test("A mirror of a scope or a child follows it, and sends its actions")
    func scopesAndChildren() async throws {
        let store = Profile.store()
        let person = ObservableStore(store.scope(state: \.person, action: Profile.Action.person))
        let child = store.child(
            initialState: 0,
            reducer: Reduce { (count: inout Int, _: Profile.Action) in count += 1 }
        )
        let childMirror = ObservableStore(child)
        person.send(.rename("Grace"))
        childMirror.send(.visited)
        await until { person.name == "Grace" && childMirror.local == 1 && childMirror.parent.visits == 1 }
    }

    @Test("An unread part is forgotten after 1,000 states, of which its readers are notified once")
    func forgottenParts() async {
        struct Name: Equatable, Sendable {
            let comparisons = Collector<Void>()

            static func == (left: Name, right: Name) -> Bool {
                left.comparisons.append(())
                return true
            }
        }
        struct State: Equatable, Sendable {
            let name = Name()
            var visits = 0

            static func == (left: State, right: State) -> Bool { left.visits == right.visits }
        }
        let store = Store(initialState: State()) { (state: inout State, _: Void) in state.visits += 1 }
        let (mirror, tally, later) = (ObservableStore(store), Tally(), Tally())
        let comparisons = store.snapshot.name.comparisons
        func visit(until visits: Int) async {
            while mirror.state.visits < visits {
                let next = mirror.state.visits + 1
                store.send(())
                await until { mirror.state.visits == next }
            }
        }
        tally.track { _ = mirror.name }
        await visit(until: 999)
        #expect(tally.count == 0 && comparisons.elements.count == 999)
        await visit(until: 1_000)
        #expect(tally.count == 1 && comparisons.elements.count == 999)
        await visit(until: 1_001)
        #expect(comparisons.elements.count == 999)
        later.track { _ = mirror.name }
        await visit(until: 1_500)
        _ = mirror.name
        await visit(until: 2_499)
        #expect(later.count == 0 && comparisons.elements.count == 999 + 1_498)
    }

    @Test("A mirror does not keep the store alive: it keeps its last state, and its actions are refused")
    func storeLifetime() async {
        var store: Store<Profile.State, Profile.Action>? = Profile.store()
        weak let observed = store
        let mirror = ObservableStore(store!)
        store?.send(.visited)
        store = nil
        #expect(observed == nil)
        await until { mirror.visits == 1 }
        #expect(mirror.send(.visited) == .refused(.shutDown))
        await #expect(throws: StoreError.shutDown) { try await mirror.dispatch(.visited) }
    }

    @Test("The store does not retain a mirror, and a released mirror observes nothing")
    func mirrorLifetime() async {
        let store = Profile.store()
        var mirror: ObservableStore? = ObservableStore(store)
        weak let observed = mirror
        _ = mirror?.visits
        mirror = nil
        #expect(observed == nil)
        await until { store.statistics.observers == 0 }
    }

    @Test("Reads of a member's element are not repeated in later states without that element")
    func itemsThatGo() async {
        struct List: Equatable, Sendable {
            var items = [1, 2, 3]
            var selected: String? = "first"
        }
        let store = Store(initialState: List()) { (list: inout List, _: Void) in list = List(items: [], selected: nil) }
        let mirror = ObservableStore(store)
        let tally = Tally()
        tally.track { _ = (mirror.items[2], mirror.selected!, mirror[\.selected?.count]) }
        store.send(())
        await until { mirror.items.isEmpty && mirror[\.selected?.count] == nil }
        #expect(tally.count == 1)
    }

    @Test("The macro @Observable works in a file that imports the store")
    func macro() {
        let counter = ObservedCounter()
        let tally = Tally()
        tally.track { _ = counter.count }
        counter.count = 1
        #expect(tally.count == 1)
    }

    @Test("Readers of the whole state are not notified of an equal state")
    func equalStates() async {
        let store = Profile.store()
        let mirror = ObservableStore(store)
        store.send(.visited)
        await until { mirror.visits == 1 }
        let tally = Tally()
        tally.track { _ = mirror.state }
        store.send(.person(.rename("Ada")))
        // The mirror has taken all values of the store.
        await until { await store.observerRecords.allSatisfy { $0.pending == 0 } }
        #expect(tally.count == 0)
        for name in ["Grace", "Ada"] { store.send(.person(.rename(name))) }
        await until { await store.observerRecords.allSatisfy { $0.pending == 0 } }
        #expect(tally.count == 0)
        store.send(.visited)
        await until { mirror.visits == 2 }
        #expect(tally.count == 1)
    }
}

/// Its expansion names the module `Observation`, and no type of this package has that name.
@Observable
private final class ObservedCounter {
    var count = 0
}
