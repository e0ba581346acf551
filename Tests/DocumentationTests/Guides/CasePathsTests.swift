import ActorStore
import Testing

private struct Row: Reducer {
    typealias State = Int
    enum Action: Sendable { case tapped }
    func reduce(into state: inout Int, action: Action) -> Effect<Action> { .none }
}

private struct Settings: Reducer {
    typealias State = Bool
    enum Action: Sendable { case toggled }

    func reduce(into state: inout Bool, action: Action) -> Effect<Action> {
        state.toggle()
        return .none
    }
}

private enum AppAction: Sendable {
    case settings(Settings.Action)
    case row(id: Int, action: Row.Action)
    case reset
}

extension CasePath where Root == AppAction, Value == Settings.Action {
    /// The case `settings` of `AppAction`.
    nonisolated static var settings: Self {
        Self(
            embed: { .settings($0) },
            extract: { if case .settings(let value) = $0 { value } else { nil } }
        )
    }
}

private struct App: Reducer {
    struct State: Sendable { var settings = false }
    typealias Action = AppAction

    var body: some Reducer<State, Action> {
        Scope(state: \.settings, action: .settings) { Settings() }
    }
}

/// The listings of the article "Case paths".
@Suite("The article about case paths", .timeLimit(.minutes(10)))
struct CasePathsTests {
    @Test("A case connects the reducer and the store of a part")
    func connection() async throws {
        let store = Store(initialState: App.State(), reducer: App())
        let settings = store.scope(state: \.settings, action: App.Action.settings)
        try await settings.dispatch(.toggled)
        #expect(store.snapshot.settings)
        store.send(.reset)
        store.send(.row(id: 1, action: .tapped))
    }
}
