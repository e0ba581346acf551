import ActorStore
import ActorStoreViews
import Observation
import Testing

@testable import TestFixtures

/// The samples of the notes about the early Composable Architecture, in their order. `SampleLengthTests` counts what is
/// marked.
@Suite("Samples: The Composable Architecture", .timeLimit(.minutes(10)))
struct ComposableArchitectureSampleTests {
    // sample: TCA, State
    struct CounterState: Equatable {
        var count = 0
    }
    // end

    // sample: TCA, Action
    enum CounterAction: Equatable {
        case decrementButtonTapped
        case incrementButtonTapped
    }
    // end

    // A reducer takes what it needs as arguments or as properties, and the counter needs nothing.
    // sample: TCA, Environment
    struct CounterEnvironment {}
    // end

    // sample: TCA, Reducer
    static let counterReducer = Reduce<CounterState, CounterAction> { state, action in
        switch action {
        case .decrementButtonTapped:
            state.count -= 1
        case .incrementButtonTapped:
            state.count += 1
        }
    }
    // end

    // sample: TCA, pullback
    struct AppState { var settings = SettingsState(), isHelpShown = false }

    enum AppAction { case settings(SettingsAction), helpTapped }

    struct AppEnvironment { var settings: SettingsEnvironment }

    static func settingsReducer(_ environment: SettingsEnvironment) -> Reduce<SettingsState, SettingsAction> {
        Reduce { $0.reduce($1, environment) }
    }

    static func appReducer(_ environment: AppEnvironment) -> some Reducer<AppState, AppAction> {
        Combine {
            Scope(state: \.settings, action: .settings) { settingsReducer(environment.settings) }
            otherReducer
        }
    }
    // end

    static let otherReducer = Reduce<AppState, AppAction> { state, action in
        if case .helpTapped = action { state.isHelpShown = true }
    }

    struct SettingsEnvironment { var save: @Sendable (String) async throws -> Void }

    enum SettingsAction: Equatable { case textChange(String), save, saved }

    /// What the sample leaves out of the reducer of the settings.
    struct SettingsState: Equatable {
        var text = "", isSaved = false

        mutating func reduce(_ action: SettingsAction, _ environment: SettingsEnvironment) -> Effect<SettingsAction> {
            switch action {
            case .textChange(let text):
                self.text = text
                isSaved = false
            case .save:
                return .run { [text] send in
                    try await environment.save(text)
                    send(.saved)
                }
            case .saved:
                isSaved = true
            }
            return .none
        }
    }

    @Test("A counter: its state, actions, reducer and store")
    func counter() async throws {
        typealias State = CounterState
        typealias Action = CounterAction

        // sample: TCA, Store
        let store: Store<State, Action>
        // end
        store = Store(initialState: CounterState(), reducer: Self.counterReducer)

        try await store.dispatch(.incrementButtonTapped)
        try await store.dispatch(.incrementButtonTapped)
        try await store.dispatch(.decrementButtonTapped)
        #expect(store.snapshot == CounterState(count: 1))
    }

    @Test("pullback: the settings reducer, with its part of the environment, in the application's")
    func pullback() async throws {
        let saved = Collector<String>()
        let environment = AppEnvironment(settings: SettingsEnvironment { saved.append($0) })
        let store = Store(initialState: AppState(), reducer: Self.appReducer(environment))

        try await store.dispatch(.settings(.textChange("dark")))
        try await store.dispatch(.settings(.save), tracksFeedback: true).finish()
        try await store.dispatch(.helpTapped)

        #expect(saved.elements == ["dark"])
        #expect(store.snapshot.settings == SettingsState(text: "dark", isSaved: true) && store.snapshot.isHelpShown)
    }

    /// Stands for the SwiftUI view: what it shows, and what its buttons do.
    @MainActor
    struct CounterView {
        let store: ObservableStore<CounterState, CounterAction>

        // sample: TCA, WithViewStore
        var body: [(label: String, action: (@MainActor () -> Void)?)] {
            [
                ("-", { store.send(.decrementButtonTapped) }),
                ("\(store.count)", nil),
                ("+", { store.send(.incrementButtonTapped) }),
            ]
        }
        // end
    }

    @Test("WithViewStore: the values read by a body are observed, and its buttons send")
    @MainActor
    func withViewStore() async {
        let store = Store(initialState: CounterState(), reducer: Self.counterReducer)
        let view = CounterView(store: ObservableStore(store))
        let changes = Collector<Void>()

        let body = withObservationTracking {
            view.body
        } onChange: {
            changes.append(())
        }
        #expect(body.map(\.label) == ["-", "0", "+"])
        body[2].action?()

        await until { !changes.elements.isEmpty }
        await until { view.body[1].label == "1" }
    }

    @Test("ViewStore: named parts of the state, send, and bindings")
    func viewStore() async throws {
        typealias BindingBasicsAction = SettingsAction
        let store = Store(initialState: SettingsState(), reducer: Self.settingsReducer(SettingsEnvironment { _ in }))

        // sample: TCA, ViewStore
        let viewStore = store.view
        // end

        viewStore.send(.textChange("light"))
        #expect(viewStore.text == "light")

        // sample: TCA, binding
        let binding = store.binding(get: { $0.text }, send: BindingBasicsAction.textChange)
        // end

        binding.value = "dark"
        #expect(binding.value == "dark" && store.snapshot.text == "dark")
    }

    /// A program of its own.
    enum Login {
        struct LoginState: Equatable { var name = "" }
        enum LoginAction { case nameChanged(String) }

        // sample: TCA, scope
        struct AppState { var login = LoginState(), isOpen = true }

        enum AppAction { case login(LoginAction), close }
        // end

        static let appReducer = Combine<AppState, AppAction> {
            Scope(state: \.login, action: .login) {
                Reduce { login, action in if case .nameChanged(let name) = action { login.name = name } }
            }
            Reduce { state, action in if case .close = action { state.isOpen = false } }
        }

        /// Stands for the SwiftUI view, which does not depend on the application.
        struct LoginView { let store: Store<LoginState, LoginAction> }

        static func run() async throws {
            // sample: TCA, scope
            let store = Store(initialState: AppState(), reducer: appReducer)

            let view = LoginView(store: store.scope(state: \.login, action: AppAction.login))
            // end

            try await view.store.dispatch(.nameChanged("Ann"))
            try await store.dispatch(.close)
            #expect(store.snapshot.login.name == "Ann" && view.store.snapshot.name == "Ann")
        }
    }

    @Test("scope: a store of a part for a view of that part")
    func scope() async throws { try await Login.run() }

    @Test("IfLetStore: a store of an optional part while it is present")
    func ifLetStore() async throws {
        // The notes have a sentence about it, and no code.
        struct State { var counter: CounterState? }
        enum Action { case counter(CounterAction), toggle }
        let counterPath = CasePath<Action, CounterAction>(embed: Action.counter) {
            if case .counter(let action) = $0 { action } else { nil }
        }
        let reducer = Reduce<State, Action> { state, action in
            if case .toggle = action { state.counter = state.counter == nil ? CounterState() : nil }
        }
        .ifLet(\.counter, action: counterPath) { Self.counterReducer }
        let store = Store(initialState: State(), reducer: reducer)

        let shown = Collector<String>()
        let counter = store.scopeIfLet(state: \.counter, action: Action.counter)
        let observation = counter.observe(onSome: { _ in shown.append("counter") }, onNil: { shown.append("nothing") })

        try await store.dispatch(.toggle)
        try await counter.store?.dispatch(.incrementButtonTapped)
        #expect(store.snapshot.counter?.count == 1)
        try await store.dispatch(.toggle)
        #expect(counter.store == nil && shown.elements == ["nothing", "counter", "nothing"])
        observation.cancel()
    }
}

// What `swift package generate-case-paths` writes for the two enums of which a case is named above.

extension CasePath
where
    Root == ComposableArchitectureSampleTests.AppAction,
    Value == ComposableArchitectureSampleTests.SettingsAction
{
    static var settings: Self {
        Self(
            embed: { .settings($0) },
            extract: { if case .settings(let value) = $0 { value } else { nil } }
        )
    }
}

extension CasePath
where
    Root == ComposableArchitectureSampleTests.Login.AppAction,
    Value == ComposableArchitectureSampleTests.Login.LoginAction
{
    static var login: Self {
        Self(
            embed: { .login($0) },
            extract: { if case .login(let value) = $0 { value } else { nil } }
        )
    }
}
