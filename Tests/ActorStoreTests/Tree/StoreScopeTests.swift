import ActorStore
import ActorStoreComposition
import Testing

@testable import TestFixtures

@Suite("Scopes of stores", .timeLimit(.minutes(10)))
struct StoreScopeTests {
    struct User: Equatable, Sendable {
        var name = "Ann"
        var age = 30
        var initials: String { String(name.prefix(1)) }
    }

    struct App: Equatable, Sendable {
        var visits = 0
        var user = User()
        var guest: User?
    }

    enum AppAction: Sendable, Equatable {
        case visit
        case user(UserAction)
        case guest(User?)
    }

    enum UserAction: Sendable, Equatable {
        case rename(String)
        case grow
    }

    private let store = Store(initialState: App()) { (state: inout App, action: AppAction) in
        switch action {
        case .visit: state.visits += 1
        case .user(.rename(let name)): state.user.name = name
        case .user(.grow): state.user.age += 1
        case .guest(let user): state.guest = user
        }
    }

    @Test("A scope by key path shows a part, and the store reduces its mapped actions")
    func keyPath() async throws {
        let user = store.scope(state: \.user, action: AppAction.user)
        #expect(user.snapshot.name == "Ann")
        try await user.dispatch(.rename("Bea"))
        #expect(user.send(.grow) == .accepted)
        #expect(user.send(contentsOf: [.grow, .grow]) == .accepted)
        #expect(store.snapshot.user == User(name: "Bea", age: 33))
        #expect(await user.state == store.snapshot.user)
        #expect(await user.read(\.age) == 33)
        #expect(user.revision == 4)
    }

    @Test("A scope without a mapping dispatches the store's own actions")
    func sameActions() async throws {
        let user = store.scope(\.user)
        try await user.dispatch(.visit)
        #expect(store.snapshot.visits == 1)
    }

    @Test("A scope by closure shows the closure's result")
    func closure() async throws {
        let summary = store.scope { "\($0.user.name) \($0.visits)" }
        let values = summary.values(of: \.self, buffering: .unbounded)
        try await summary.dispatch(.visit)
        try await summary.dispatch(.guest(nil))
        try await summary.dispatch(.visit)
        #expect(summary.snapshot == "Ann 2")
        #expect(await summary.state == "Ann 2")
        #expect(try await values.first(3) == ["Ann 0", "Ann 1", "Ann 2"])
    }

    @Test("A scope by closure can map its actions")
    func closureAndActions() async throws {
        let age = store.scope { $0.user.age }.scope(state: \.self, action: AppAction.user)
        try await age.dispatch(.grow)
        #expect(age.snapshot == 31)
    }

    @Test("Observers of a scope are notified of changes of their part only, and share the store's group")
    func observers() async throws {
        let user = store.scope(state: \.user, action: AppAction.user)
        let ages = Collector<Int>()
        let tokens = [
            user.observe(\.age) { ages.append($0) },
            store.observe(\.user.age) { ages.append($0) },
        ]
        store.send(.visit)
        user.send(.rename("Cid"))
        user.send(.grow)
        #expect(ages.elements == [30, 30, 31, 31])
        let observers = await store.observerRecords
        #expect(observers.count == 2)
        #expect(Set(observers.map(\.subject)).count == 1)
        withExtendedLifetime(tokens) {}
    }

    @Test("A computed part of a scope can be observed")
    func computedPart() async throws {
        let user = store.scope(\.user)
        let values = user.values(of: \.initials, buffering: .unbounded)
        store.send(.user(.rename("Ada")))
        store.send(.user(.rename("Bob")))
        #expect(try await values.first(2) == ["A", "B"])
    }

    @Test("Nested scopes use the memory of the store, and work like one scope")
    func nested() async throws {
        let name = store.scope(\.user).scope(\.name)
        let values = name.values(of: \.count, buffering: .unbounded)
        try await name.dispatch(.user(.rename("Eleonore")))
        #expect(name.snapshot == "Eleonore")
        #expect(try await values.first(2) == [3, 8])
    }

    @Test("A scope of an optional part shows nil while it is missing, and its coming and going is observed")
    func optional() async throws {
        let guest = store.scope(\.guest)
        let names = guest.values(of: \.?.name, buffering: .unbounded)
        store.send(.guest(User(name: "Gil")))
        store.send(.visit)
        store.send(.guest(nil))
        #expect(try await names.first(3) == [nil, "Gil", nil])
    }

    @Test("A scope with a predicate notifies of states that differ by it, called with the old and the new one")
    func predicate() async throws {
        let user = store.scope(\.user) { old, new in new.age < old.age + 2 }
        let ages = user.values(of: \.age, buffering: .unbounded)
        for _ in 0..<5 { store.send(.user(.grow)) }
        #expect(user.snapshot.age == 35)
        #expect(try await ages.first(3) == [30, 32, 34])
    }

    @Test("The actions of a scope without a mapping are all of the store's, with the part's state after each")
    func actions() async throws {
        let user = store.scope(\.user)
        let actions = user.actions
        store.send(.visit)
        user.send(.user(.grow))
        await store.shutdown(drain: .finishEffects)
        let seen = try await actions.all()
        #expect(seen.map(\.action) == [.visit, .user(.grow)])
        #expect(seen.map(\.state.age) == [30, 31])
    }

    @Test("The actions of a scope with a mapping are those of the part, whatever their sender")
    func mappedActions() async throws {
        let byFunction = store.scope(state: \.user, action: AppAction.user).actions
        let path = CasePath(embed: AppAction.user) { if case .user(let action) = $0 { action } else { nil } }
        let byPath = store.scope(state: \.user, action: path.embed, extract: path.extract).actions
        store.send(.visit)
        store.send(.user(.grow))
        store.send(.user(.rename("Eve")))
        await store.shutdown(drain: .finishEffects)
        let (first, second) = (try await byFunction.all(), try await byPath.all())
        #expect(first.map(\.action) == [.grow, .rename("Eve")])
        #expect(first.map(\.state.age) == [31, 31])
        #expect(second.map(\.action) == [.grow, .rename("Eve")])
    }

    @Test("The actions of a scope with a custom mapping are the mapped ones, and attached reducers see them")
    func deeplyMappedActions() async throws {
        let name = store.scope(state: \.user.name) { AppAction.user(.rename($0)) }
        let actions = name.actions
        name.attach(reducer: Reduce<String, String> { name, action in name += " \(action.count)" }, forKey: "length")
        store.send(.visit)
        store.send(.user(.grow))
        store.send(.user(.rename("Eve")))
        name.send("Kim")
        await store.shutdown(drain: .finishEffects)
        let seen = try await actions.all()
        #expect(seen.map(\.action) == ["Eve", "Kim"] && seen.map(\.state) == ["Eve 3", "Kim 3"])
    }

    @Test("Scopes of children and children of scopes work")
    func mixed() async throws {
        let user = store.scope(state: \.user, action: AppAction.user)
        let editor = user.child(
            initialState: [String](),
            reducer: Reduce { drafts, action in
                if case .rename(let name) = action { drafts.append(name) }
            }
        )
        let drafts = editor.scope(\.local)
        let values = drafts.values(of: \.count, buffering: .unbounded)
        let ages = editor.scope(\.parent).values(of: \.age, buffering: .unbounded)
        try await drafts.dispatch(.rename("Dot"))
        try await editor.dispatch(.grow)
        #expect(editor.snapshot == ParentAndChild(parent: User(name: "Dot", age: 31), local: ["Dot"]))
        #expect(try await values.first(2) == [0, 1])
        #expect(try await ages.first(2) == [30, 31])
    }
}
