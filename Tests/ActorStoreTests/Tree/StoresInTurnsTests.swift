import ActorStore
import Testing
import TreeCollections

@testable import TestFixtures

/// Stores below a store come and go in its turns, and with the state after these.
@Suite("Stores of parts during turns of their store", .timeLimit(.minutes(10)))
struct StoresInTurnsTests {
    struct State: Equatable, Sendable {
        var rooms: TreeDictionary<Int, String> = [1: "one"]
        var guest: String? = "Ada"
        var visits = 0
    }

    typealias Step = @Sendable (inout State) -> Void

    private let store = Store(initialState: State()) { (state: inout State, step: Step) in step(&state) }

    /// All kinds of stores of parts that come and go.
    private struct Parts: Sendable {
        let children: StoreChildren<Int, ParentAndChild<String, Int>, Step>
        let scopes: StoreChildren<Int, String, Step>
        let guest: OptionalScope<String, Step>

        init(of store: Store<State, Step>) {
            let reducer = Reduce<Int, Step> { count, _ in count += 1 }
            children = store.children(forEach: \.rooms, initialState: { _, _ in 0 }, reducer: reducer) { $1 }
            scopes = store.scopes(forEach: \.rooms) { _, step in step }
            guest = store.scopeIfLet(state: \.guest, action: { $0 })
        }

        /// The parts with stores.
        var present: [String] {
            children.keys.map { "child \($0)" } + scopes.keys.map { "scope \($0)" }
                + (guest.store.map { ["guest \($0.snapshot)"] } ?? [])
        }
    }

    @Test("Stores created while their store is busy exist after its turn, for which `state` waits")
    func madeWhileBusy() async {
        let (store, hold) = (store, Hold())
        onThread {
            store.send { state in
                hold.enter()
                state.rooms[1] = nil
                state.rooms[2] = "two"
                state.guest = "Grace"
            }
        }
        await hold.waitUntilEntered()
        let parts = Parts(of: store)
        #expect(parts.present == [])
        hold.release()
        _ = await store.state
        #expect(parts.present == ["child 2", "scope 2", "guest Grace"])
    }

    @Test("Stores created by an observer in a turn exist after that turn, for which `state` waits")
    func madeInATurn() async {
        let (made, present) = (Collector<Parts>(), Collector<[String]>())
        let observation = store.observe(.part(\.visits).replay(.none)) { [store] _ in
            let parts = Parts(of: store)
            made.append(parts)
            present.append(parts.present)
            store.send { $0.guest = "Grace" }
        }
        store.send { $0.visits += 1 }
        _ = await store.state
        #expect(present.elements == [[]])
        #expect(made.elements.map(\.present) == [["child 1", "scope 1", "guest Grace"]])
        observation.cancel()
    }

    @Test("A scope continues if its part is nil only within an action, or between two actions of a batch")
    func nilMeanwhile() throws {
        let (guest, seen) = (store.scopeIfLet(state: \.guest, action: { $0 }), Collector<String>())
        let observation = guest.observe(onSome: { seen.append($0.snapshot) }, onNil: { seen.append("nil") })
        let scope = try #require(guest.store)
        let names = Collector<String>()
        let observer = scope.observe(\.self) { names.append($0) }
        store.send { state in
            state.guest = nil
            state.guest = "Grace"
        }
        store.send(contentsOf: [{ $0.guest = nil }, { $0.guest = "Emmy" }])
        #expect(guest.store === scope && scope.snapshot == "Emmy")
        #expect(seen.elements == ["Ada"] && names.elements == ["Ada", "Grace", "Emmy"])
        // In two turns it goes, and another one comes.
        for name in [nil, "Mary"] { store.send { $0.guest = name } }
        #expect(guest.store !== scope && seen.elements == ["Ada", "nil", "Mary"])
        withExtendedLifetime((observation, observer)) {}
    }

    @Test("Children of a deduplicated scope see only the final entries of a batch")
    func batchAtADeduplicatedScope() throws {
        let parts = [Parts(of: store), Parts(of: store.scope(\.self, removeDuplicates: ==))]
        let before = try parts.map { try #require($0.children[1]) }
        store.send(contentsOf: [{ $0.rooms[1] = nil }, { $0.rooms[1] = "new" }])
        // For the store itself it is another entry, with another child.
        #expect(zip(parts, before).map { $0.children[1] === $1 } == [false, true])
        #expect(parts.map { $0.children[1]?.snapshot.parent } == ["new", "new"])
        for name in [nil, "newer"] { store.send { $0.rooms[1] = name } }
        #expect(zip(parts, before).map { $0.children[1] === $1 } == [false, false])
    }
}
