import ActorStore
import ActorStoreCommands
import ActorStoreComposition
import ActorStoreTesting
import Testing

// The code of the article "Testing features", word for word.

struct Search: Reducer {
    struct State: Equatable, Sendable {
        var query = ""
        var isSearching = false
        var results: [String] = []
    }

    enum Action: Equatable, Sendable { case typed(String), search, found([String]) }

    let clock: any Clock<Duration>
    let find: @Sendable (_ query: String) async throws -> [String]

    func reduce(into state: inout State, action: Action) -> Effect<Action> {
        switch action {
        case .typed(let query):
            state.query = query
            return .send(.search).delay(for: .milliseconds(300), clock: clock)
                .cancellable(id: "search", policy: .cancelInFlight)
        case .search:
            state.isSearching = true
            return .run { [find, query = state.query] send in send(.found(try await find(query))) }
        case .found(let results):
            state.isSearching = false
            state.results = results
            return .none
        }
    }
}

struct FindNow: SideEffect {
    let query: String

    func run(_ context: SideEffectContext<Search.State, Search.Action>) async throws -> [String] {
        try await context.dispatch(.typed(query))
        try await context.dispatch(.search).finish()
        return await context.state.results
    }
}

/// A report with a title that a dependency makes.
struct Report: Reducer {
    struct State: Equatable, Sendable { var title = "" }
    enum Action: Sendable { case open }
    @Dependency(\.title) var title

    func reduce(into state: inout State, action: Action) -> Effect<Action> {
        state.title = title()
        return .none
    }
}

enum TitleKey: DependencyKey {
    static let liveValue: @Sendable () -> String = { "" }
    static let testValue: @Sendable () -> String = unimplemented("title", placeholder: "")
}

extension DependencyValues {
    var title: @Sendable () -> String {
        get { self[TitleKey.self] }
        set { self[TitleKey.self] = newValue }
    }
}

@Suite("Testing features", .timeLimit(.minutes(10)))
struct TestingFeaturesTests {
    @Test("A search that waits for a pause in typing is tested step by step")
    func search() async {
        let clock = TestClock()
        let store = TestStore(
            initialState: Search.State(),
            reducer: Search(clock: clock) { query in [query.uppercased()] }
        )
        await store.dispatch(.typed("s")) { $0.query = "s" }
        await clock.advance(by: .milliseconds(200))
        await store.dispatch(.typed("st")) { $0.query = "st" }
        await clock.advance(by: .milliseconds(299))  // Nothing yet.
        await clock.advance(by: .milliseconds(1))
        await store.receive(.search) { $0.isSearching = true }
        await store.receive(.found(["ST"])) {
            $0.isSearching = false
            $0.results = ["ST"]
        }
        await store.finish()
        await store.withExhaustivity(.off) {
            await store.dispatch(.typed("swift"))
            await clock.run()
            await store.receive(.found(["SWIFT"])) { $0.results = ["SWIFT"] }
        }
    }

    @Test("A side effect and a shutdown are awaited while the effects that they wait for run")
    func operations() async throws {
        let clock = TestClock()
        let store = TestStore(initialState: Search.State(), reducer: Search(clock: clock) { [$0.uppercased()] })
        let results = try await store.running { store in try await store.dispatch(FindNow(query: "s")) }
        #expect(results == ["S"])
        await store.receive(.typed("s")) { $0.query = "s" }
        await store.receive(.search) { $0.isSearching = true }
        await store.receive(.found(["S"])) {
            $0.isSearching = false
            $0.results = ["S"]
        }
        await store.running { store in
            await store.shutdown(drain: .finishEffects)
        } meanwhile: {
            await clock.advance(by: .milliseconds(300))
            await store.receive(.search) { $0.isSearching = true }
            await store.receive(.found(["S"])) { $0.isSearching = false }
        }
        await store.finish()
    }

    @Test("The values of observers can be recorded")
    func recorder() async {
        let store = TestStore(initialState: Search.State(), reducer: Search(clock: TestClock()) { _ in [] })
        let queries = Recorder(store.store.values(of: \.query, buffering: .unbounded), running: store.executor)
        await store.dispatch(.typed("s")) { $0.query = "s" }
        await queries.expect(["", "s"])
        await store.skipInFlightEffects()
    }

    @Test("Dependencies are set for a test, and between its steps")
    func dependencies() async {
        let store = TestStore(initialState: Report.State(), reducer: Report()) {
            $0.title = { "Sales" }
        }
        await store.dispatch(.open) { $0.title = "Sales" }
        store.dependencies.title = { "Costs" }
        await store.dispatch(.open) { $0.title = "Costs" }
    }
}
