import ActorStore
import ActorStoreCommands
import ActorStoreComposition
import Testing

@testable import TestFixtures

/// The example of UDF's page about its store, as `ComingFromUDF.md` has it.
@Suite("Coming from UDF", .timeLimit(.minutes(10)))
struct ComingFromUDFTests {
    struct User: Equatable, Sendable {
        let id: String
        var name: String
    }

    struct AppState: Equatable, Sendable {
        var user: User?
        var isLoading = false
        var error: String?
    }

    struct LoadUserAction: Dispatchable { let userID: String }
    struct UserLoadedAction: Dispatchable { let user: User }
    struct UserLoadErrorAction: Dispatchable { let message: String }
    struct RenameUserAction: Dispatchable { let name: String }

    struct AppReducer: Reducer {
        let loadUser: @Sendable (_ id: String) async throws -> User

        var body: some Reducer<AppState, any Dispatchable> {
            On(LoadUserAction.self) { state, action -> Effect<any Dispatchable> in
                state.isLoading = true
                state.error = nil
                return .run(id: "load user", policy: .cancelInFlight) { send in
                    send(UserLoadedAction(user: try await loadUser(action.userID)))
                } catch: { error in
                    UserLoadErrorAction(message: "\(error)")
                }
            }
            On(UserLoadedAction.self) { state, action in
                (state.user, state.isLoading) = (action.user, false)
            }
            On(UserLoadErrorAction.self) { state, action in
                (state.error, state.isLoading) = (action.message, false)
            }
        }
    }

    struct NoSuchUser: Error, CustomStringConvertible { let description = "there is no such user" }

    private let lines = Collector<String>()

    private func makeStore() -> OpenStore<AppState> {
        OpenStore(
            initialState: AppState(),
            reducer: AppReducer { id in
                if id != "123" { throw NoSuchUser() }
                return User(id: id, name: "Ann")
            }
        )
    }

    @Test("The user is loaded by an effect, and observers receive each state")
    func loading() async throws {
        let loadUser: @Sendable (String) async throws -> User = { User(id: $0, name: "Ann") }
        let show: @Sendable (String) -> Void = { [lines] in lines.append($0) }

        let store = OpenStore(initialState: AppState(), reducer: AppReducer(loadUser: loadUser))

        let observation = store.observe(\.self) { state in
            show("loading: \(state.isLoading), user: \(state.user?.name ?? "none")")
        }

        try await store.dispatch(LoadUserAction(userID: "123")).finish()
        observation.cancel()

        #expect(
            lines.elements == [
                "loading: false, user: none", "loading: true, user: none", "loading: false, user: Ann",
            ]
        )
    }

    @Test("A failure becomes an action")
    func failure() async throws {
        let store = makeStore()
        try await store.dispatch(LoadUserAction(userID: "7")).finish()
        #expect(store.snapshot == AppState(error: "there is no such user"))
    }

    @Test("Actions are observed with the state after each")
    func actions() async throws {
        let store = makeStore()
        let show: @Sendable (String) -> Void = { [lines] in lines.append($0) }

        let listener = store.actions.observe { action, state in
            show("\(type(of: action)), then loading: \(state.isLoading)")
        }

        try await store.dispatch(LoadUserAction(userID: "123")).finish()
        await until { lines.elements.count == 2 }
        listener.cancel()
        #expect(
            lines.elements == ["LoadUserAction, then loading: true", "UserLoadedAction, then loading: false"]
        )
    }

    @Test("Observers of a scope are notified only of different users")
    func scope() async throws {
        let store = makeStore()
        let show: @Sendable (String) -> Void = { [lines] in lines.append($0) }

        let userStore = store.scope(\.user, removeDuplicates: { old, new in old?.id == new?.id })
        let observation = userStore.observe(\.self) { user in show(user?.name ?? "none") }

        store.send(UserLoadedAction(user: User(id: "1", name: "Ann")))
        store.send(UserLoadedAction(user: User(id: "1", name: "Anne")))
        userStore.send(UserLoadedAction(user: User(id: "2", name: "Bea")))
        #expect(lines.elements == ["none", "Ann", "Bea"])
        observation.cancel()
    }

    @Test("A reducer of a part of the state is added and removed at run time")
    func dynamicReducer() async throws {
        let store = makeStore()
        store.send(UserLoadedAction(user: User(id: "1", name: "Ann")))

        let renaming = On<User?, any Dispatchable, RenameUserAction> { user, action in
            user = user.map { User(id: $0.id, name: action.name) }
        }
        store.attach(reducer: renaming, state: \.user, forKey: "user")
        store.send(RenameUserAction(name: "Anne"))
        store.detach(reducerForKey: "user")

        store.send(RenameUserAction(name: "Bea"))
        #expect(await store.state.user?.name == "Anne")
    }
}
