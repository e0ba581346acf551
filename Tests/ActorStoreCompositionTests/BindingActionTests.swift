import ActorStore
import ActorStoreComposition
import ActorStoreViews
import Testing

@Suite("Binding actions", .timeLimit(.minutes(10)))
struct BindingActionTests {
    struct Form: Reducer {
        struct State: Equatable, Sendable {
            var name = ""
            var address = Address()
            var isValid = false
            var changes: [String] = []
        }

        struct Address: Equatable, Sendable {
            var street = ""
            var town = ""
        }

        enum Action: BindableAction, Equatable {
            case binding(BindingAction<State>)
            case submit(String)
            case clear
        }

        var body: some Reducer<State, Action> {
            Reduce { state, action in
                if case .binding = action { state.changes.append("before \(state.name)") }
            }
            BindingReducer()
            Reduce { state, action in
                switch action {
                case .binding(\.name):
                    state.isValid = !state.name.isEmpty
                    state.changes.append("name \(state.name)")
                case .binding(\.address.town):
                    state.changes.append("town \(state.address.town)")
                    return .send(.set(\.address.street, ""))
                case .binding:
                    state.changes.append("other")
                case .submit, .clear:
                    state.changes.append("none")
                }
                return .none
            }
        }
    }

    @Test("A binding action sets any part of a state, and a later reducer reads the part from its key path")
    func setting() async throws {
        let store = Store(initialState: Form.State(), reducer: Form())
        try await store.dispatch(.set(\.name, "Ada"))
        #expect(store.snapshot.name == "Ada" && store.snapshot.isValid)
        store.send(.binding(.set(\.address, Form.Address(street: "Main Street", town: ""))))
        #expect(store.snapshot.address.street == "Main Street")
        store.send(.set(\.address.town, "Ockham"))
        #expect(await store.state.address == Form.Address(street: "", town: "Ockham"))
        try await store.dispatch(.submit("now"))
        try await store.dispatch(.clear)
        let changes = [
            "before ", "name Ada", "before Ada", "other", "before Ada", "town Ockham", "before Ada", "other", "none",
            "none",
        ]
        #expect(store.snapshot.changes == changes)
    }

    @Test("Stores, views and scopes have bindings to any part by key path, which read it and set it")
    func bindings() async throws {
        let store = Store(initialState: Form.State(), reducer: Form())
        let name = store.binding(\.name)
        try await name.dispatch("Grace")
        #expect(name.value == "Grace" && store.snapshot.isValid)
        let town = store.view.binding(\.address.town)
        town.value = "London"
        #expect(store.snapshot.address.town == "London")
        let street = store.binding(\.address).street
        try await street.dispatch("Main Street")
        #expect(store.snapshot.address == Form.Address(street: "Main Street", town: "London"))
        let scoped = store.scope(state: \.self, action: { (action: Form.Action) in action }).binding(\.name)
        try await scoped.dispatch("Emmy")
        #expect(name.value == "Emmy")
    }

    @Test("Any case of any actions, given as a case path, can be the binding case, also in the actions of a child")
    func otherCases() async throws {
        enum Action: Sendable {
            case form(Form.Action)
            case changed(BindingAction<Page>)
        }
        struct Page: Equatable, Sendable {
            var form = Form.State()
            var title = ""
        }
        let changed = CasePath<Action, BindingAction<Page>>(embed: Action.changed) {
            if case .changed(let action) = $0 { action } else { nil }
        }
        let store = Store(
            initialState: Page(),
            reducer: Combine<Page, Action> {
                BindingReducer(action: changed)
                Scope(state: \.form, action: CasePath(Action.form)) { Form() }
            }
        )
        try await store.dispatch(.changed(.set(\.title, "Sign in")))
        try await store.dispatch(.form(.set(\.name, "Ada")))
        #expect(store.snapshot.title == "Sign in" && store.snapshot.form.isValid)
        try await store.dispatch(.changed(.set(\.form.name, "Eve")))
        #expect(store.snapshot.form.name == "Eve" && store.snapshot.form.changes.last == "name Ada")
    }

    @Test("Binding actions are equal if they set the same part to equal values; their description redacts secrets")
    func values() {
        struct Secret: Equatable, Sendable, Redactable { var text = "" }
        struct State: Equatable, Sendable {
            var name = "", nickname = "", secret = Secret()
            var age: Int?
        }
        typealias Binding = BindingAction<State>
        #expect(Binding.set(\.name, "Ada") == .set(\.name, "Ada"))
        #expect(Binding.set(\.name, "Ada") != .set(\.name, "Eve"))
        #expect(Binding.set(\.name, "Ada") != .set(\.nickname, "Ada"))
        #expect(Binding.set(\.age, nil) != .set(\.age, 3) && Binding.set(\.age, nil) == .set(\.age, nil))
        let action = Binding.set(\.age, 7)
        #expect(\.age ~= action && !(\.name ~= action))
        #expect(action.keyPath == \State.age && action.value as? Int == 7)
        var state = State()
        action(&state)
        #expect(state.age == 7)
        #expect("\(Binding.set(\.name, "Ada"))" == #"\State.name = "Ada""#)
        #expect(!"\(Binding.set(\.secret, Secret(text: "1234")))".contains("1234"))
    }
}
