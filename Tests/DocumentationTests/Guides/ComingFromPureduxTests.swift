import ActorStore
import ActorStoreCommands
import Testing

@testable import TestFixtures

/// The example of Puredux's article about trees, as `ComingFromPuredux.md` has it.
@Suite("Coming from Puredux", .timeLimit(.minutes(10)))
struct ComingFromPureduxTests {
    enum Action: Sendable { case refresh, loaded([String]), open(String) }

    struct AppState: Equatable, Sendable {
        var items: [String] = []
        var isLoading = false

        mutating func reduce(_ action: Action) {
            switch action {
            case .refresh: isLoading = true
            case .loaded(let items): (self.items, isLoading) = (items, false)
            case .open: break
            }
        }
    }

    struct FeatureOne: Equatable, Sendable {
        var refreshes = 0

        mutating func reduce(_ action: Action) {
            if case .refresh = action { refreshes += 1 }
        }
    }

    struct FeatureTwo: Equatable, Sendable {
        var history: [String] = []

        mutating func reduce(_ action: Action) {
            if case .open(let item) = action { history.append(item) }
        }
    }

    struct ScreenOne: Equatable, Sendable {
        var title: String?

        mutating func reduce(_ action: Action) {
            if case .open(let item) = action { title = item }
        }
    }

    @Test("In the article's tree actions go up, states come down, and an effect runs while the state requests it")
    func tree() async throws {
        let load: @Sendable () async throws -> [String] = { ["one", "two"] }
        let lines = Collector<String>()
        let show: @Sendable (String) -> Void = { lines.append($0) }

        let reducer = Reduce<AppState, Action> { state, action in state.reduce(action) }
            .effect(onChange: \.isLoading) { _, isLoading in
                isLoading ? .run(id: "load") { send in send(.loaded(try await load())) } : .cancel(id: "load")
            }
        let root = Store(initialState: AppState(), reducer: reducer)

        let featureOne = root.child(
            initialState: FeatureOne(),
            reducer: Reduce { state, action in state.reduce(action) }
        )
        let featureTwo = root.child(
            initialState: FeatureTwo(),
            reducer: Reduce { state, action in state.reduce(action) }
        )
        let screenOne = featureTwo.child(
            initialState: ScreenOne(),
            reducer: Reduce { state, action in state.reduce(action) }
        )

        let observation = screenOne.observe(\.self) { state in
            show("\(state.local.title ?? "nothing") of \(state.parent.parent.items.count)")
        }

        try await featureOne.dispatch(.refresh).finish()
        try await screenOne.dispatch(.open("one"))

        observation.cancel()
        #expect(root.snapshot == AppState(items: ["one", "two"]))
        #expect(featureOne.snapshot.local == FeatureOne(refreshes: 1))
        #expect(featureTwo.snapshot.local == FeatureTwo(history: ["one"]))
        #expect(lines.elements.first == "nothing of 0" && lines.elements.last == "one of 2")
        #expect(lines.elements.contains("nothing of 2"))
    }

    @Test("The article's root has a state-driven effect where the store is created")
    func drivenEffect() async throws {
        let load: @Sendable () async throws -> [String] = { ["one", "two"] }

        let root = Store<AppState, Action>(initialState: AppState()) { state, action in state.reduce(action) }
            .withEffects { store in
                store.effect(toggle: \.isLoading) { _, context in context.send(.loaded(try await load())) }
            }

        try await root.dispatch(.refresh)
        await until { root.snapshot == AppState(items: ["one", "two"]) }
    }

    @Test("A view needs the state of a store and a function")
    func dispatchFunction() async throws {
        let store = Store(initialState: FeatureTwo()) { (state: inout FeatureTwo, action: Action) in
            state.reduce(action)
        }

        let dispatch: @Sendable (Action) -> Void = { [weak store] action in store?.send(action) }
        dispatch(.open("one"))

        #expect(store.snapshot.history == ["one"])
    }

    @Test("Entries of a table have children that come and go with them")
    func screens() async throws {
        struct Browser: Equatable, Sendable { var tabs: [String: String] = [:] }
        enum BrowserAction: Sendable { case set(String, String?), tab(String, Action) }
        let browser = Store(initialState: Browser()) { (state: inout Browser, action: BrowserAction) in
            if case .set(let name, let page) = action { state.tabs[name] = page }
        }

        let tabs = browser.children(
            forEach: \.tabs,
            initialState: { _, _ in ScreenOne() },
            reducer: Reduce<ScreenOne, Action> { state, action in state.reduce(action) },
            action: { name, action in BrowserAction.tab(name, action) }
        )

        try await browser.dispatch(.set("first", "news"))
        try await tabs["first"]?.dispatch(.open("one"))
        #expect(tabs["first"]?.snapshot == ParentAndChild(parent: "news", local: ScreenOne(title: "one")))
        try await browser.dispatch(.set("first", nil))
        #expect(tabs["first"] == nil)
    }
}
