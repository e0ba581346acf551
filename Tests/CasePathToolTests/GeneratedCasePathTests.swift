import ActorStore
import ActorStoreTesting
import Foundation
import Testing

@Suite("Generated case paths", .timeLimit(.minutes(10)))
struct GeneratedCasePathTests {
    typealias Action = Tour.Action

    /// Whether a path makes an action, extracts its value again, and extracts nothing from another action.
    private func leads<Value>(_ path: CasePath<Action, Value>, from value: Value, to action: Action) -> Bool {
        path.embed(value) == action && path.extract(from: action).map(path.embed) == action
            && path.extract(from: .guide(.pause(.zero))) == nil
    }

    @Test("A generated path creates an action with its case, and extracts the value of that case only")
    func bothWays() {
        let now = Date(timeIntervalSince1970: 7)
        #expect(leads(.reset, from: (), to: .reset))
        #expect(leads(.renamed, from: "a", to: .renamed(to: "a")))
        #expect(leads(.moved, from: (1, 2), to: .moved(x: 1, y: 2)))
        #expect(leads(.stop, from: (1, .left), to: .stop(id: 1, action: .left)))
        #expect(leads(.pair, from: (1, nil), to: .pair(1, nil)))
        #expect(leads(.default, from: now, to: .default(now)))
        #expect(leads(.`init`, from: 1, to: .`init`(1)))
        #expect(leads(.maybe, from: nil, to: .maybe(nil)))
        #expect(leads(.limit, from: (1, unit: "a"), to: .limit(1, unit: "a")))
        #expect(leads(.nested, from: .reset, to: .nested(.reset)))
    }

    @Test("A generated path can have a function as its value")
    func functions() {
        let path: CasePath<ErrandAction, @Sendable (Int) -> Int> = .run
        #expect(path.extract(from: path.embed { $0 + 1 })?(1) == 2)
    }

    struct State: Equatable, Sendable { var guide = 0, stops = [0: 0, 1: 0], name = "" }

    struct TourReducer: Reducer {
        var body: some Reducer<State, Action> {
            Scope(state: \.guide, action: .guide) {
                Reduce<Int, Tour.GuideAction> { words, action in
                    if action == .speak { words += 1 }
                }
            }
            Reduce { state, action in
                switch action {
                case .reset: return .send(.renamed(to: "new"))
                case .renamed(let name): state.name = name
                case .moved: return .send(.reset)
                default: break
                }
                return .none
            }
            .forEach(\.stops, action: .stop) {
                Reduce<Int, StopAction> { visits, action in
                    if action == .arrived { visits += 1 }
                }
            }
        }
    }

    @Test("A generated path reads like a case in composed reducers, and keeps the case as a function for scopes")
    func composition() async throws {
        let store = Store(initialState: State(), reducer: TourReducer())
        try await store.scope(state: \.guide, action: Tour.Action.guide).dispatch(.speak)
        let stops = store.scopes(forEach: \.stops, action: Tour.Action.stop)
        try await stops[1]?.dispatch(.arrived)
        #expect(store.snapshot == State(guide: 1, stops: [0: 0, 1: 1]))
    }

    @Test("A generated path of a case without values does not make that action ambiguous")
    func casesWithoutValues() async {
        let store = TestStore(initialState: State(), reducer: TourReducer())
        await store.dispatch(.moved(x: 1, y: 2))
        await store.receive(.reset)
        await store.receive(.renamed, "new") { $0.name = "new" }
        await store.finish()
    }
}
