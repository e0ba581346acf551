import ActorStore
import Testing
import TreeCollections

@testable import TestFixtures

/// Computed tables, whose entries can leave them by their own reducer.
@Suite("forEach: computed tables", .timeLimit(.minutes(10)))
struct ComputedTableTests {
    private struct Entry: Equatable, Sendable {
        var isHidden = false
        var count = 0
    }

    private struct Rows: Reducer {
        struct State: Equatable, Sendable {
            var all: TreeDictionary<Int, Entry> = [1: Entry()]
            /// The visible ones.
            var visible: TreeDictionary<Int, Entry> {
                get { all.filter { !$0.value.isHidden } }
                set { all = newValue.filter { !$0.value.isHidden } }
            }
        }

        enum Action: Sendable {
            case row(id: Int, action: RowAction)
            case add(Int)
        }

        enum RowAction: Sendable { case start, hide, count }

        let mayCount: Latch

        var body: some Reducer<State, Action> {
            Reduce<State, Action> { state, action in
                if case .add(let id) = action { state.all[id] = Entry() }
                return .none
            }
            .forEach(\.visible, action: CasePath(Action.row)) {
                Reduce<Entry, RowAction> { [mayCount] entry, action in
                    switch action {
                    case .start:
                        return .run { send in
                            await mayCount.wait()
                            send(.count)
                        }
                    case .hide: entry.isHidden = true
                    case .count: entry.count += 1
                    }
                    return .none
                }
            }
        }
    }

    @Test("An effect ends with an entry that its own reducer removes, and never reaches a successor")
    func ownRemoval() async throws {
        let mayCount = Latch()
        let store = Store(initialState: Rows.State(), reducer: Rows(mayCount: mayCount))
        let work = try await store.dispatch(.row(id: 1, action: .start))
        try await store.dispatch(.row(id: 1, action: .hide))
        try await store.dispatch(.add(1))
        mayCount.open()
        try? await work.finish()
        #expect(await store.state.all[1] == Entry())
    }
}
