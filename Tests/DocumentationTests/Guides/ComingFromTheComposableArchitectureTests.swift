import ActorStore
import ActorStoreComposition
import ActorStoreViews
import Testing

@testable import TestFixtures

/// The examples of the notes about The Composable Architecture, as `ComingFromTheComposableArchitecture.md` has them.
struct CounterFeature: Reducer {
    struct State: Equatable, Sendable { var count = 0 }
    enum Action: Equatable, Sendable { case increment, decrement }

    func reduce(into state: inout State, action: Action) -> Effect<Action> {
        switch action {
        case .increment: state.count += 1
        case .decrement: state.count -= 1
        }
        return .none
    }
}

struct SettingsFeature: Reducer {
    struct State: Equatable, Sendable { var text = "", isSaved = true }
    enum Action: Equatable, Sendable { case textChanged(String), save, saved, saveFailed(String) }

    let environment: SettingsEnvironment

    func reduce(into state: inout State, action: Action) -> Effect<Action> {
        switch action {
        case .textChanged(let text):
            (state.text, state.isSaved) = (text, false)
        case .save:
            return .run(id: "save", policy: .cancelInFlight) { [text = state.text] send in
                try await environment.save(text)
                send(.saved)
            } catch: { error in
                .saveFailed("\(error)")
            }
        case .saved:
            state.isSaved = true
        case .saveFailed:
            break
        }
        return .none
    }
}

struct SettingsEnvironment: Sendable { var save: @Sendable (String) async throws -> Void }

struct AppFeature: Reducer {
    struct State: Equatable, Sendable {
        var settings = SettingsFeature.State()
        var counter: CounterFeature.State?
    }

    enum Action: Sendable {
        case settings(SettingsFeature.Action)
        case counter(CounterFeature.Action)
        case showCounter(Bool)
    }

    let settings: SettingsEnvironment

    var body: some Reducer<State, Action> {
        Scope(state: \.settings, action: .settings) { SettingsFeature(environment: settings) }
        Reduce { state, action in
            if case .showCounter(let isShown) = action { state.counter = isShown ? CounterFeature.State() : nil }
            return .none
        }
        .ifLet(\.counter, action: .counter) { CounterFeature() }
    }
}

extension CasePath where Root == AppFeature.Action, Value == SettingsFeature.Action {
    static let settings = CasePath(embed: Root.settings) { if case .settings(let action) = $0 { action } else { nil } }
}

extension CasePath where Root == AppFeature.Action, Value == CounterFeature.Action {
    static let counter = CasePath(embed: Root.counter) { if case .counter(let action) = $0 { action } else { nil } }
}

struct CounterSheet: Reducer {
    enum Action: Sendable { case counter(CounterFeature.Action), done }

    var body: some Reducer<CounterFeature.State, Action> {
        Scope(action: CasePath(Action.counter)) { CounterFeature() }
        Reduce { _, action in
            if case .done = action { .dismiss() } else { .none }
        }
    }
}

struct FormFeature: Reducer {
    struct State: Equatable, Sendable {
        @Presented var counter: CounterFeature.State?
        var name = "", isValid = false
    }

    enum Action: BindableAction {
        case binding(BindingAction<State>)
        case count
        case counter(PresentationAction<CounterSheet.Action>)
    }

    var body: some Reducer<State, Action> {
        BindingReducer()
        Reduce { state, action in
            switch action {
            case .binding(\.name): state.isValid = !state.name.isEmpty
            case .count: state.counter = CounterFeature.State()
            case .binding, .counter: break
            }
        }
        .ifPresented(\.$counter, action: CasePath(Action.counter)) { CounterSheet() }
    }
}

@Suite("Coming from The Composable Architecture", .timeLimit(.minutes(10)))
struct ComingFromTheComposableArchitectureTests {
    struct Offline: Error, CustomStringConvertible { let description = "offline" }

    @Test("A counter store receives actions, and is observed")
    func counter() async throws {
        let counts = Collector<Int>()
        let show: @Sendable (Int) -> Void = { counts.append($0) }

        let store = Store(initialState: CounterFeature.State(), reducer: CounterFeature())
        let observation = store.observe(\.count) { count in show(count) }
        try await store.dispatch(.increment)
        try await store.dispatch(.decrement)

        #expect(counts.elements == [0, 1, 0])
        observation.cancel()
    }

    @Test("Reducers are composed, and stores scoped, to the settings and to a counter that comes and goes")
    func composition() async throws {
        let saved = Collector<String>()
        let environment = SettingsEnvironment { saved.append($0) }

        let store = Store(initialState: AppFeature.State(), reducer: AppFeature(settings: environment))

        let settings = store.scope(state: \.settings, action: AppFeature.Action.settings)
        settings.send(.textChanged("dark"))
        try await settings.dispatch(.save).finish()

        let counter = store.scopeIfLet(state: \.counter, action: AppFeature.Action.counter)
        try await store.dispatch(.showCounter(true))
        try await counter.store?.dispatch(.increment)

        #expect(saved.elements == ["dark"])
        #expect(store.snapshot.settings == SettingsFeature.State(text: "dark", isSaved: true))
        #expect(store.snapshot.counter?.count == 1)
        try await store.dispatch(.showCounter(false))
        #expect(counter.store == nil)
    }

    @Test("A form is bound to a store, and presents a counter that dismisses itself")
    func formAndPresentation() async throws {
        let form = Store(initialState: FormFeature.State(), reducer: FormFeature())
        let name = form.binding(\.name)
        try await name.dispatch("Ada")

        try await form.dispatch(.count)
        try await form.dispatch(.counter(.presented(.counter(.increment))))
        try await form.dispatch(.counter(.presented(.done))).finish()

        let state = await form.state
        #expect(state.counter == nil && state.isValid && state.name == "Ada")
    }

    @Test("A test has its own environment, and calls the reducer or awaits the store's work")
    func testing() async throws {
        var state = CounterFeature.State()
        _ = CounterFeature().reduce(into: &state, action: .increment)
        #expect(state == CounterFeature.State(count: 1))

        let failing = SettingsEnvironment { _ in throw Offline() }
        let store = Store(initialState: SettingsFeature.State(), reducer: SettingsFeature(environment: failing))
        let actions = store.actions
        store.send(.textChanged("dark"))
        try await store.dispatch(.save).finish()
        #expect(store.snapshot == SettingsFeature.State(text: "dark", isSaved: false))

        await store.shutdown(drain: .finishEffects)
        #expect(try await actions.all().map(\.action) == [.textChanged("dark"), .save, .saveFailed("offline")])
    }
}
