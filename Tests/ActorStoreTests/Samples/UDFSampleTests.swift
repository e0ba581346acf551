import ActorStore
import ActorStoreCommands
import ActorStoreComposition
import Testing

@testable import TestFixtures

/// The samples of UDF's page about its store, in their order. `SampleLengthTests` counts what is marked.
@Suite("Samples: UDF", .timeLimit(.minutes(10)))
struct UDFSampleTests {
    struct User: Equatable { var id = "1", name = "Ann" }

    struct LoadUserAction: Dispatchable { let userId: String }
    struct UserLoadedAction: Dispatchable { let user: User }
    struct UserLoadErrorAction: Dispatchable { let message: String }
    struct RenameUserAction: Dispatchable { let name: String }

    // sample: UDF, Example
    struct AppState {
        var user: User?
        var isLoading = false
        var error: String?
    }
    // end

    private let lines = Collector<String>()

    /// Stands for the standard library's, so that a test can read what a sample prints.
    private var print: @Sendable (String) -> Void { { [lines] in lines.append($0) } }

    private let store = OpenStore<AppState>(initialState: AppState()) { state, action in
        switch action {
        case let action as UserLoadedAction: state.user = action.user
        case let action as UserLoadErrorAction: state.error = action.message
        default: break
        }
    }

    @Test("The example: a reducer that switches over types, an observer of each state, and actions")
    func example() {
        let print = print
        var disposer = ObservationBag()

        // sample: UDF, Example
        let appReducer = Reduce<AppState, any Dispatchable> { state, action in
            switch action {
            case is LoadUserAction:
                state.isLoading = true
                state.error = nil
            case let action as UserLoadedAction:
                state.user = action.user
                state.isLoading = false
            case let action as UserLoadErrorAction:
                state.error = action.message
                state.isLoading = false
            default:
                break
            }
        }

        let store = OpenStore(initialState: AppState(), reducer: appReducer)

        store.observe(.everyAction) { state in
            print("State updated: \(state)")
        }.store(in: &disposer)

        store.send(LoadUserAction(userId: "123"))
        // end

        #expect(store.snapshot.isLoading)
        store.send(UserLoadedAction(user: User(id: "123")))
        #expect(store.snapshot.user?.id == "123" && !store.snapshot.isLoading)
        store.send(UserLoadErrorAction(message: "offline"))
        #expect(store.snapshot.error == "offline")
        disposer.cancelAll()
        store.send(LoadUserAction(userId: "7"))
        #expect(lines.elements.count == 4 && lines.elements.allSatisfy { $0.hasPrefix("State updated: AppState(") })
    }

    @Test("State observation: on the main actor, and in the background")
    func observation() async {
        let (shown, processed) = (Collector<AppState>(), Collector<AppState>())
        var disposer = ObservationBag()

        // The first of the two updates a user interface, which the main actor stands for.
        // sample: UDF, State Observation
        store.observe(.everyAction, isolatedTo: MainActor.shared) { _, state in shown.append(state) }.store(
            in: &disposer
        )

        store.values(of: .everyAction).observe(on: globalConcurrentExecutor) { state in processed.append(state) }.store(
            in: &disposer
        )
        // end

        store.send(UserLoadedAction(user: User(name: "Bea")))
        await until { shown.elements.last?.user?.name == "Bea" && processed.elements.last?.user?.name == "Bea" }
    }

    @Test("Action observation: each action, with the state after it")
    func actionObservation() async {
        let print = print
        var disposer = ObservationBag()

        // sample: UDF, Action Observation
        store.actions.observe { action, state in
            print("Action dispatched: \(action)")
            print("New state: \(state)")
        }.store(in: &disposer)
        // end

        store.send(UserLoadErrorAction(message: "offline"))
        await until { lines.elements.count == 2 }
        #expect(lines.elements[0].contains("UserLoadErrorAction(message: \"offline\")"))
        #expect(lines.elements[1].contains("error: Optional(\"offline\")"))
    }

    @Test("Scoped stores: observers are notified of different users only")
    func scope() {
        let names = Collector<String>()
        var disposer = ObservationBag()

        // sample: UDF, Scoped Stores
        let userStore = store.scope(\.user, removeDuplicates: { oldUser, newUser in oldUser?.id == newUser?.id })

        userStore.observe(.everyAction) { user in
            names.append(user?.name ?? "none")
        }.store(in: &disposer)
        // end

        userStore.send(UserLoadedAction(user: User()))
        store.send(UserLoadedAction(user: User(name: "Anne")))
        store.send(UserLoadErrorAction(message: "offline"))
        #expect(names.elements == ["none", "Ann"])
        store.send(UserLoadedAction(user: User(id: "2", name: "Bea")))
        #expect(names.elements == ["none", "Ann", "Bea"])
        #expect(userStore.snapshot?.name == "Bea")
    }

    @Test("Dynamic reducers: reducers of the whole state and of a part come and go")
    func dynamicReducers() {
        let appReducer = On<AppState, any Dispatchable, RenameUserAction> { state, _ in state.error = "renamed" }
        let userReducer = On<User?, any Dispatchable, RenameUserAction> { user, action in user?.name = action.name }
        store.send(UserLoadedAction(user: User()))

        // sample: UDF, Dynamic Reducers
        store.attach(reducer: appReducer, forKey: "user")
        // end
        store.send(RenameUserAction(name: "Anne"))
        #expect(store.snapshot.error == "renamed" && store.snapshot.user?.name == "Ann")

        // sample: UDF, Dynamic Reducers
        store.attach(reducer: userReducer, state: \.user, forKey: "user")
        // end
        store.send(UserLoadErrorAction(message: "offline"))
        store.send(RenameUserAction(name: "Anne"))
        // It has taken the place of the first, whose key it has.
        #expect(store.snapshot.error == "offline" && store.snapshot.user?.name == "Anne")

        // sample: UDF, Dynamic Reducers
        store.detach(reducerForKey: "user")
        // end
        store.send(RenameUserAction(name: "Bea"))
        #expect(store.snapshot.user?.name == "Anne")
    }
}
