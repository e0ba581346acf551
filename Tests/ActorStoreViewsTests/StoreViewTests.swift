import ActorStore
import ActorStoreViews
import Testing

@testable import TestFixtures

@Suite("Store views", .timeLimit(.minutes(10)))
struct StoreViewTests {
    @Test("A member of a view is that part of the store's snapshot, stored or computed, also by key path")
    func members() {
        let store = Profile.store()
        let view = store.view
        #expect(view.person.name == "Ada")
        #expect(view[\.person.address.town] == "London")
        #expect(view.greeting == "Hello Ada")
        store.send(.person(.rename("Grace")))
        #expect(view.person.name == "Grace")
        #expect(view[\.greeting] == "Hello Grace")
        #expect(view.snapshot == store.snapshot)
    }

    @Test("A view sends and dispatches like the store")
    func actions() async throws {
        let store = Profile.store()
        #expect(store.view.send(.visited) == .accepted)
        #expect(store.view.send(contentsOf: [.visited, .visited]) == .accepted)
        try await store.view.dispatch(.visited)
        #expect(store.snapshot.visits == 4)
        #expect(store.revision == 4)
    }

    @Test("A view of a part shows that part only, and accepts only its actions, in any number of steps")
    func narrowing() async throws {
        let store = Profile.store()
        let person: StoreView<Profile.Person, Profile.PersonAction> = store.view(
            state: \.person,
            action: Profile.Action.person
        )
        person.send(.age)
        try await person.dispatch(.rename("Grace"))
        #expect(store.snapshot.person == person.snapshot)
        #expect(person.name == "Grace" && person.age == 37)
        let names: StoreView<String, String> = person.view(state: \.name).view(action: Profile.PersonAction.rename)
        names.send(contentsOf: ["Mary", "Emmy"])
        #expect(names.snapshot == "Emmy" && names.count == 4)
        let computed = store.scope { $0.person.age + 1 }.view(state: \.self, action: Profile.Action.person)
        computed.send(.age)
        #expect(computed.snapshot == 39)
    }

    @Test("A view or a scope with fewer actions shows the whole state, and can send no others")
    func restrictedActions() async throws {
        let store = Profile.store()
        let view: StoreView<Profile.State, Profile.PersonAction> = store.view(action: Profile.Action.person)
        let scope: Store<Profile.State, Profile.PersonAction> = store.scope(
            state: \.self,
            action: Profile.Action.person
        )
        view.send(.age)
        try await scope.dispatch(.age)
        #expect(view.person.age == 38)
        #expect(scope.snapshot == store.snapshot)
    }

    @Test("A child, its halves, and a scope of it are read through views like a root")
    func children() async throws {
        let root = Profile.store()
        let child = root.child(initialState: 5, reducer: Reduce { (count: inout Int, _: Profile.Action) in count += 1 })
        let half = child.scope(\.parent.person)
        try await child.view.dispatch(.person(.age))
        #expect(child.view.local == 6)
        #expect(child.view.parent.person.age == 37)
        #expect(half.view.age == 37)
        #expect(half.view.snapshot == root.snapshot.person)
        #expect(half.snapshot == root.snapshot.person)
        #expect(child.view(state: \.local).snapshot == 6)
    }

    @Test("A view is observed part by part, like the store")
    func observing() async throws {
        let store = Profile.store()
        let person = store.view(state: \.person, action: Profile.Action.person)
        let names = Collector<String>()
        let token = person.observe(\.name) { names.append($0) }
        let ages = person.values(of: \.age, buffering: .unbounded)
        let visits = store.view.values(of: \.visits, buffering: .unbounded)
        store.send(.visited)
        person.send(.age)
        person.send(.rename("Grace"))
        #expect(names.elements == ["Ada", "Grace"])
        #expect(try await ages.first(2) == [36, 37])
        #expect(try await visits.first(2) == [0, 1])
        token.cancel()
    }

    @Test("A view does not keep the root alive: it then shows the last state, and its actions are refused")
    func rootLifetime() async throws {
        var store: Store<Profile.State, Profile.Action>? = Profile.store()
        weak let observed = store
        let view = store!.view
        let person = store!.view(state: \.person, action: Profile.Action.person)
        view.send(.visited)
        store = nil
        #expect(observed == nil)
        #expect(view.visits == 1 && person.name == "Ada")
        #expect(view.send(.visited) == .refused(.shutDown))
        await #expect(throws: StoreError.shutDown) { try await person.dispatch(.age) }
    }

    @Test("A view of a child keeps the child in the tree")
    func childLifetime() async throws {
        let root = Profile.store()
        let view = root.child(initialState: 0, reducer: Reduce { (count: inout Int, _: Profile.Action) in count += 1 })
            .view
        try await view.dispatch(.visited)
        #expect(view.local == 1)
        #expect(root.snapshot.visits == 1)
    }

    @Test("Reads through a view are never torn under concurrent writes")
    func notTorn() async {
        struct Pair: Equatable, Sendable {
            var left: [Int] = [0]
            var right: [Int] = [0]
        }
        let store = Store(initialState: (pair: Pair(), other: 0)) {
            (state: inout (pair: Pair, other: Int), step: Int) in
            state.pair.left = [state.pair.left[0] + step]
            state.pair.right = [state.pair.right[0] + step]
        }
        let view = store.view(state: \.pair)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask { for _ in 0..<5_000 { store.send(1) } }
                group.addTask {
                    for _ in 0..<5_000 {
                        let pair = store.view[\.pair]
                        #expect(pair.left == pair.right)
                        let other = view.snapshot
                        #expect(other.left == other.right)
                    }
                }
            }
        }
        #expect(view.left == [20_000])
    }

    @Test("A member of the state with the name of a view's member is found by its key path")
    func membersOfTheSameName() {
        struct Camera: Equatable, Sendable { var snapshot = "sea" }
        let store = Store(initialState: Camera()) { (camera: inout Camera, view: String) in camera.snapshot = view }
        store.send("hills")
        #expect(store.view[\.snapshot] == "hills")
        #expect(store.view.snapshot == Camera(snapshot: "hills"))
    }
}
