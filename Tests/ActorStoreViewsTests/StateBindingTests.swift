import ActorStore
import ActorStoreViews
import Testing

@testable import TestFixtures

@Suite("Bindings", .timeLimit(.minutes(10)))
struct StateBindingTests {
    @Test("A binding reads a part of the state, and sets it by sending or dispatching an action")
    func readAndSet() async throws {
        let store = Profile.store()
        let name = store.binding(\.person.name) { Profile.Action.person(.rename($0)) }
        #expect(name.value == "Ada")
        #expect(name.send("Grace") == .accepted)
        #expect(name.value == "Grace")
        try await name.dispatch("Emmy")
        #expect(store.snapshot.person.name == "Emmy")
        name.value = "Mary"
        #expect(store.snapshot.person.name == "Mary")
    }

    @Test("A member of a binding is a binding of that part, which keeps the rest of the value")
    func members() async throws {
        let store = Profile.store()
        let person = store.binding(\.person, send: Profile.Action.replaced)
        store.send(.person(.age))
        try await person.address.town.dispatch("Ockham")
        #expect(store.snapshot.person.address == Profile.Address(street: "St James's Square", town: "Ockham"))
        #expect(store.snapshot.person.age == 37)
        #expect(person.address.town.value == "Ockham")
        #expect(person.name.send("Grace") == .accepted)
        #expect(person.value.name == "Grace")
    }

    @Test("A binding can send a constant action, read a closure's result, or belong to a view")
    func otherKinds() async throws {
        let store = Profile.store()
        let visits = store.binding(\.visits, send: .visited)
        try await visits.dispatch(100)
        #expect(visits.value == 1)
        let initial = store.binding(get: { String($0.person.name.prefix(1)) }, send: { .person(.rename($0)) })
        try await initial.dispatch("Zoe")
        #expect(initial.value == "Z")
        let view = store.view(state: \.person, action: Profile.Action.person)
        let name = view.binding(\.name, send: Profile.PersonAction.rename)
        try await name.dispatch("Grace")
        #expect(name.value == "Grace")
    }

    @Test("A value that the reducer rejects is not set")
    func reducerDecides() async throws {
        let store = Store(initialState: 0) { (level: inout Int, new: Int) in level = min(new, 10) }
        let level = store.binding(\.self) { $0 }
        try await level.dispatch(50)
        #expect(level.value == 10)
    }

    @Test("A binding does not keep the store alive: it then reads the last value, and its changes are refused")
    func lifetime() async throws {
        var store: Store<Profile.State, Profile.Action>? = Profile.store()
        weak let observed = store
        let name = store!.binding(\.person.name) { .person(.rename($0)) }
        store = nil
        #expect(observed == nil)
        #expect(name.value == "Ada")
        #expect(name.send("Grace") == .refused(.shutDown))
        await #expect(throws: StoreError.shutDown) { try await name.dispatch("Grace") }
    }

    @Test("A binding of a child retains the child, and so does a member of it")
    func childLifetime() async throws {
        let root = Profile.store()
        weak var child: Token?
        func binding() -> StateBinding<Profile.Address> {
            let token = Token()
            child = token
            let store = root.child(
                initialState: Profile.Address(),
                reducer: Reduce {
                    (address: inout Profile.Address, _: Profile.Action) in
                    withExtendedLifetime(token) { address.town = "Ockham" }
                }
            )
            return store.binding(\.local, send: .visited)
        }
        var address: StateBinding? = binding()
        var town = address?.town
        for binding in [address?.town, town] { try await binding?.dispatch("any") }
        #expect(address?.value.town == "Ockham" && root.snapshot.visits == 2)
        address = nil
        #expect(child != nil && town?.value == "Ockham")
        town = nil
        await until { child == nil }
    }
}
