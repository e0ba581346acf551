import ActorStoreComposition
import Testing
import TreeCollections

@testable import ActorStore

@Suite("Access to children", .timeLimit(.minutes(10)))
struct ReadingChildrenTests {
    struct Row: Identifiable, Equatable, Sendable {
        let id: Int
        var count = 0
    }

    struct Screen: Equatable, Sendable { var count = 0 }

    /// Counts the writes of each part, by observers and by setters of computed parts.
    struct State: Equatable, Sendable {
        var details: Screen? = Screen() { didSet { writes += 1 } }
        var row: Row? = Row(id: 1) { didSet { writes += 1 } }
        var rows = [Row(id: 1), Row(id: 2)] { didSet { writes += 1 } }
        var table: [Int: Row] = [1: Row(id: 1)] { didSet { writes += 1 } }
        var presented = Presented<Screen>(wrappedValue: Screen()) { didSet { writes += 1 } }
        var path = StackState<Screen>([Screen()]) { didSet { writes += 1 } }
        private var storage: [Int: Row] = [1: Row(id: 1)]
        var computed: [Row] {
            get { storage.values.sorted { $0.id < $1.id } }
            set {
                writes += 1
                storage = Dictionary(uniqueKeysWithValues: newValue.map { ($0.id, $0) })
            }
        }
        var writes = 0
        var other = 0
    }

    enum Action: Sendable {
        case other
        case details(Int)
        case row(Int)
        case rows(id: Int, action: Int)
        case table(id: Int, action: Int)
        case computed(id: Int, action: Int)
        case presented(PresentationAction<Int>)
        case path(StackAction<Screen, Int>)
    }

    static let counting = Reduce<Screen, Int> { screen, step in screen.count += step }
    static let countingRow = Reduce<Row, Int> { row, step in row.count += step }

    static var reducer: some Reducer<State, Action> {
        Reduce<State, Action> { state, action in if case .other = action { state.other += 1 } }
            .ifLet(\.details, action: CasePath(Action.details)) { counting }
            .ifLet(\.row, action: CasePath(Action.row)) { countingRow }
            .forEach(\.rows, action: CasePath(Action.rows)) { countingRow }
            .forEach(\.table, action: CasePath(Action.table)) { countingRow }
            .forEach(\.computed, action: CasePath(Action.computed)) { countingRow }
            .ifPresented(\.presented, action: CasePath(Action.presented)) { counting }
            .forEach(\.path, action: CasePath(Action.path)) { counting }
    }

    @Test("An action for no child writes no child, whether its part is observed or computed")
    func unrelated() async throws {
        let store = Store(initialState: State(), reducer: Self.reducer)
        for _ in 1...3 { try await store.dispatch(.other) }
        #expect(store.snapshot.other == 3)
        #expect(store.snapshot.writes == 0)
    }

    @Test("An action of a child writes it once, and no other child")
    func ofOneChild() async throws {
        let store = Store(initialState: State(), reducer: Self.reducer)
        let top = try #require(store.snapshot.path.ids.last)
        let actions: [Action] = [
            .details(1), .row(1), .rows(id: 2, action: 1), .table(id: 1, action: 1), .computed(id: 1, action: 1),
            .presented(.presented(1)), .path(.element(id: top, action: 1)),
        ]
        for (index, action) in actions.enumerated() {
            try await store.dispatch(action)
            #expect(store.snapshot.writes == index + 1, "\(action)")
        }
        let state = store.snapshot
        #expect(state.details?.count == 1 && state.row?.count == 1 && state.rows[1].count == 1)
        #expect(state.table[1]?.count == 1 && state.computed[0].count == 1 && state.presented.wrappedValue?.count == 1)
        #expect(state.path.last?.count == 1)
    }
}
