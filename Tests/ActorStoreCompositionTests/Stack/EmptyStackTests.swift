import ActorStoreComposition
import Testing

@testable import ActorStore
@testable import TestFixtures

@Suite("Children missing from an empty stack", .timeLimit(.minutes(10)))
struct EmptyStackTests {
    private enum Action: Sendable {
        case stack(StackAction<Int, Bool>)
        case row(Int, Bool)
    }

    private struct State: Sendable {
        var stack = StackState<Int>()
        var rows: [Int: Int]
        var replies = 0
    }

    private func store(rows: Int) -> Store<State, Action> {
        let row = CasePath<Action, (id: Int, action: Bool)>(embed: { .row($0.id, $0.action) }) {
            if case .row(let id, let action) = $0 { (id, action) } else { nil }
        }
        let stack = CasePath<Action, StackAction<Int, Bool>>(embed: { .stack($0) }) {
            if case .stack(let action) = $0 { action } else { nil }
        }
        let child = Reduce<Int, Bool> { _, isAnswer in isAnswer ? .none : .send(true) }
        let reducer = Reduce<State, Action> { state, action in if case .row(_, true) = action { state.replies += 1 } }
            .forEach(\.stack, action: stack, whenMissing: .ignore) { child }
            .forEach(\.rows, action: row, whenMissing: .ignore) { child }
        let rows = Dictionary(uniqueKeysWithValues: (0..<rows).map { ($0, 0) })
        return Store(initialState: State(rows: rows), reducer: reducer)
    }

    @Test("Actions for children of an empty stack take linear time, also while actions of others wait")
    func actionsForNobody() async throws {
        try await expectLinear { count in
            let store = store(rows: count / 4)
            let missing = Action.stack(.element(id: StackElementID(number: 1), action: false))
            let actions = (0..<count / 4).map { Action.row($0, false) } + (0..<count / 4).map { _ in missing }
            return {
                store.send(contentsOf: actions)
                #expect(await store.state.replies == count / 4)
            }
        }
    }
}
