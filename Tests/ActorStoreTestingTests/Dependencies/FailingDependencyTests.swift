import ActorStore
import ActorStoreComposition
import ActorStoreTesting
import Testing

/// The rates of currencies, as in a service.
struct Rates: Sendable {
    var load: @Sendable () async throws -> Int
    var name: @Sendable () -> String
}

enum RatesKey: DependencyKey {
    static let liveValue = Rates(load: { 1 }, name: { "live" })
    static let testValue = Rates(
        load: unimplemented("Rates.load"),
        name: unimplemented("Rates.name", placeholder: "none")
    )
}

extension DependencyValues {
    var rates: Rates {
        get { self[RatesKey.self] }
        set { self[RatesKey.self] = newValue }
    }
}

/// An exchange that requests its rates.
struct Exchange: Reducer {
    struct State: Equatable, Sendable {
        var rate = 0
        var name = ""
    }

    enum Action: Equatable, Sendable { case name, load, loadTwice, loaded(Int) }

    @Dependency(\.rates) var rates

    func reduce(into state: inout State, action: Action) -> Effect<Action> {
        switch action {
        case .name:
            state.name = rates.name()
            return .none
        case .load:
            return .run { send in send(.loaded((try? await rates.load()) ?? -1)) }
        case .loadTwice:
            return .send(.load)
        case .loaded(let rate):
            state.rate = rate
            return .none
        }
    }
}

@Suite("Dependencies in tests", .timeLimit(.minutes(10)))
struct FailingDependencyTests {
    @Test(
        "An unimplemented dependency fails the test at the step, in a reducer, an effect, or an effect of a later action"
    )
    func unimplementedDependencies() async {
        let store = TestStore(initialState: Exchange.State(), reducer: Exchange())
        let line: UInt = #line + 1
        let inReducer = await failures { await store.dispatch(.name) { $0.name = "none" } }
        #expect(inReducer.map(\.location.line) == [line])
        #expect(inReducer.first?.message.contains("Rates.name was called, and is not implemented.") == true)
        let inEffect = await failures { await store.dispatch(.load) }
        #expect(inEffect.count == 1)
        #expect(inEffect.first?.message.contains("Rates.load was called") == true)
        await store.receive(.loaded(-1)) { $0.rate = -1 }
        let later = await failures { await store.dispatch(.loadTwice) }
        #expect(later.count == 1)
        await store.receive(.load)
        await store.receive(.loaded(-1))
    }

    @Test("A test's dependency is used by the reducer and its effects, also if it is set between two steps")
    func overrides() async {
        let store = TestStore(initialState: Exchange.State(), reducer: Exchange()) {
            $0.rates = Rates(load: { 7 }, name: { "seven" })
        }
        await store.dispatch(.name) { $0.name = "seven" }
        await store.dispatch(.loadTwice)
        await store.receive(.load)
        await store.receive(.loaded(7)) { $0.rate = 7 }
        store.dependencies.rates.load = { 8 }
        await store.dispatch(.load)
        await store.receive(.loaded(8)) { $0.rate = 8 }
        #expect(store.dependencies.context == .test)
    }

    @Test("An unimplemented dependency is an issue of the running test in Swift Testing, also in an effect's own task")
    func swiftTesting() async {
        let store = TestStore(initialState: Exchange.State(), reducer: Exchange())
        let line = #line + 2
        await withKnownIssue("Caused on purpose: an unimplemented dependency is an issue of Swift Testing") {
            await store.dispatch(.loadTwice)
        } matching: { issue in
            issue.sourceLocation?.line == line
                && issue.comments.contains { $0.rawValue.contains("Rates.load was called") }
        }
        await store.skipReceivedActions()
    }
}
