import ActorStore
import Testing

@testable import TestFixtures

/// The tree of the article "Stores Tree Architecture": an application, two features, and two screens of the second one.
@Suite("The example tree of Puredux", .timeLimit(.minutes(10)))
struct PureduxTreeTests {
    struct Part: Equatable, Sendable {
        var opened = 0
        var loaded: [String] = []
    }

    enum Action: Sendable, Equatable {
        case open
        case loaded(String)
    }

    /// Counts, and loads data when it is opened.
    struct PartReducer: Reducer {
        let name: String

        func reduce(into state: inout Part, action: Action) -> Effect<Action> {
            switch action {
            case .open:
                state.opened += 1
                return .run { [name] send in send(.loaded(name)) }
            case .loaded(let name):
                state.loaded.append(name)
                return .none
            }
        }
    }

    typealias App = Store<Part, Action>
    typealias Feature = Store<ParentAndChild<Part, Part>, Action>
    typealias Screen = Store<ParentAndChild<ParentAndChild<Part, Part>, Part>, Action>

    let root: App
    let featureOne: Feature
    let featureTwo: Feature
    let screenOne: Screen
    let screenTwo: Screen

    init() {
        root = Store(initialState: Part(), reducer: PartReducer(name: "app"))
        featureOne = root.child(initialState: Part(), reducer: PartReducer(name: "feature one"))
        featureTwo = root.child(initialState: Part(), reducer: PartReducer(name: "feature two"))
        screenOne = featureTwo.child(initialState: Part(), reducer: PartReducer(name: "screen one"))
        screenTwo = featureTwo.child(initialState: Part(), reducer: PartReducer(name: "screen two"))
    }

    @Test("An action of a screen goes up through its feature to the root, and each runs its effect")
    func upstream() async throws {
        try await screenOne.dispatch(.open).finish()
        let state = await screenOne.state
        #expect(state.local == Part(opened: 1, loaded: ["screen one"]))
        // The action of an effect goes up from the effect's store.
        #expect(state.parent.local.opened == 1)
        #expect(state.parent.local.loaded.sorted() == ["feature two", "screen one"])
        #expect(state.parent.parent.loaded.sorted() == ["app", "feature two", "screen one"])
        #expect(screenTwo.snapshot.local == Part())
        #expect(featureOne.snapshot.local == Part())
        #expect(root.revision == 4)
    }

    @Test("The state of the root reaches every screen, each of which is notified once")
    func downstream() async throws {
        let told = Collector<String>()
        let tokens = [
            featureOne.observe(\.parent.opened) { told.append("one \($0)") },
            screenOne.observe(\.parent.parent.opened) { told.append("screen one \($0)") },
            screenTwo.observe(\.parent.parent.opened) { told.append("screen two \($0)") },
        ]
        #expect(told.elements == ["one 0", "screen one 0", "screen two 0"])
        try await root.dispatch(.open).finish()
        #expect(told.elements.suffix(3) == ["one 1", "screen one 1", "screen two 1"])
        #expect(told.elements.count == 6)
        #expect(featureTwo.snapshot.local == Part())
        withExtendedLifetime(tokens) {}
    }

    @Test("A feature is not notified of its screens' siblings, nor of the other feature")
    func isolation() async throws {
        try await featureOne.dispatch(.open).finish()
        #expect(featureOne.snapshot.local.loaded == ["feature one"])
        #expect(featureTwo.snapshot.local == Part())
        #expect(screenOne.snapshot.parent.parent.loaded.sorted() == ["app", "feature one"])
        #expect(screenOne.snapshot.local == Part())
    }
}
