import ActorStore
import Synchronization
import Testing
import TreeCollections

@testable import TestFixtures

@Suite("Observation of tables", .timeLimit(.minutes(10)))
struct TableObservationTests {
    private struct State: Sendable {
        var tree: TreeDictionary<Int, String> = [:]
        var dictionary: [Int: String] = [:]
        var array: [String] = []
        var unrelated = 0
        var computed: [Int: String] { dictionary }
    }

    private typealias Step = @Sendable (inout State) -> Void

    private func makeStore() -> Store<State, Step> {
        Store(initialState: State()) { (state: inout State, step: Step) in step(&state) }
    }

    @Test("An observer of an entry gets its value, nil while it is missing, and nothing for other entries")
    func entries() async throws {
        let store = makeStore()
        let tree = store.values(of: \.tree, key: 7, buffering: .unbounded)
        let dictionary = store.values(of: \.dictionary, key: 7, buffering: .unbounded)
        let array = store.values(of: \.array, key: 1, buffering: .unbounded)
        let computed = store.values(of: \.computed, key: 7, buffering: .unbounded)
        store.send { state in
            for key in 0..<100 where key != 7 {
                state.tree[key] = "\(key)"
                state.dictionary[key] = "\(key)"
            }
            state.array = ["a"]
        }
        for value in ["x", "y", nil, "z"] {
            store.send { state in
                state.tree[7] = value
                state.dictionary[7] = value
                state.array = value.map { ["a", $0] } ?? []
            }
            store.send { $0.unrelated += 1 }
            store.send { $0.tree[8] = value }
        }
        await store.shutdown(drain: .finishEffects)
        let expected: [String?] = [nil, "x", "y", nil, "z"]
        #expect(try await tree.all() == expected)
        #expect(try await dictionary.all() == expected)
        #expect(try await array.all() == expected)
        #expect(try await computed.all() == expected)
    }

    /// A value that counts its comparisons.
    private struct Compared: Equatable, Sendable {
        var value: Int
        let comparisons: Collector<Int>

        static func == (left: Compared, right: Compared) -> Bool {
            left.comparisons.append(left.value)
            return left.value == right.value
        }
    }

    @Test("The difference between a table and its copy is computed without visiting its entries")
    func copies() {
        let comparisons = Collector<Int>()
        let dictionary = [1: Compared(value: 1, comparisons: comparisons)]
        let array = Array(dictionary.values)
        let (dictionaryCopy, arrayCopy) = (dictionary, array)
        dictionary.visitDifference(from: dictionaryCopy) { key, _, _ in Issue.record("\(key) has changed.") }
        array.visitDifference(from: arrayCopy) { index, _, _ in Issue.record("\(index) has changed.") }
        #expect(comparisons.elements.isEmpty)
        dictionary.visitDifference(from: [1: Compared(value: 2, comparisons: comparisons)]) { _, old, new in
            #expect(old?.value == 2 && new?.value == 1)
        }
        #expect(comparisons.elements.count == 1)
    }

    @Test("A batch compares the entries of a table of stores only if an action has changed the table")
    func comparisonsInABatch() {
        struct State: Sendable {
            var dictionary: [Int: Compared]
            var unrelated = 0
            var computed: [Int: Compared] { dictionary }
        }
        enum Action: Sendable { case change, remove(Int) }
        let comparisons = Collector<Int>()
        let entries = (0..<10).map { ($0, Compared(value: $0, comparisons: comparisons)) }
        let store = Store(initialState: State(dictionary: Dictionary(uniqueKeysWithValues: entries))) {
            (state: inout State, action: Action) in
            switch action {
            case .change: state.unrelated += 1
            case .remove(let key): state.dictionary[key] = nil
            }
        }
        let stored = store.scopes(forEach: \.dictionary) { (key: Int, _: Void) in Action.remove(key) }
        let computed = store.scopes(forEach: \.computed) { (key: Int, _: Void) in Action.remove(key) }
        #expect(stored.count == 10 && computed.count == 10)
        let before = comparisons.elements.count
        store.send(contentsOf: [.change, .change, .change])
        #expect(comparisons.elements.count == before && store.snapshot.unrelated == 3)
        store.send(contentsOf: [.change, .remove(3), .change])
        #expect(stored.count == 9 && stored[3] == nil && computed.count == 9 && computed[3] == nil)
    }

    @Test("Only observers of changed entries are notified, out of a thousand", arguments: [1, 3, 1_000])
    func onlyChanged(observed: Int) {
        let store = makeStore()
        store.send { state in for key in 0..<1_000 { state.tree[key] = "old" } }
        let calls = Collector<Int>()
        let tokens = (0..<observed).map { key in store.observe(.entry(of: \.tree, key: key)) { _ in calls.append(key) }
        }
        #expect(calls.elements == Array(0..<observed))
        store.send { state in
            state.tree[0] = "new"
            state.tree[999] = "new"
        }
        #expect(Set(calls.elements.dropFirst(observed)) == (observed == 1_000 ? [0, 999] : [0]))
        #expect(calls.elements.count == observed + (observed == 1_000 ? 2 : 1))
        withExtendedLifetime(tokens) {}
    }

    @Test("Observers of an entry share one comparison, and the table is no longer compared after the last has ended")
    func sharing() {
        let comparisons = Comparisons()
        struct CountingState: Sendable { var table: TreeDictionary<Int, Counted> = [:] }
        let store = Store(initialState: CountingState()) { (state: inout CountingState, step: (Int, Counted)) in
            state.table[step.0] = step.1
        }
        for key in 0..<10_000 { store.send((key, Counted(value: 0, comparisons: comparisons))) }
        var tokens = (0..<100).map { number in store.observe(.entry(of: \.table, key: number % 10)) { _ in } }
        comparisons.reset()
        store.send((3, Counted(value: 1, comparisons: comparisons)))
        // The changed one and a few in the same node, not all 10,000.
        #expect((1...40).contains(comparisons.count))
        #expect(store.statistics.observers == 100)
        tokens = []
        #expect(tokens.isEmpty && store.statistics.observers == 0)
        comparisons.reset()
        store.send((4, Counted(value: 1, comparisons: comparisons)))
        #expect(comparisons.count == 0)
    }

    @Test("Changes of a table begin with all its entries, then are differences without reverted changes")
    func changes() async throws {
        let store = makeStore()
        store.send { $0.tree = [1: "a", 2: "b"] }
        let changes = store.changes(of: \.tree)
        var iterator = changes.makeAsyncIterator()
        let first = try #require(await iterator.next())
        #expect(Set(first.inserted.map(\.key)) == [1, 2] && first.removed.isEmpty && first.updated.isEmpty)
        store.send { $0.tree[1] = "A" }
        store.send { $0.tree[3] = "c" }
        store.send { $0.tree[2] = nil }
        store.send { $0.tree[4] = "d" }
        store.send { $0.tree[4] = nil }
        let second = try #require(await iterator.next())
        #expect(second.inserted.map(\.key) == [3] && second.inserted.map(\.value) == ["c"])
        #expect(second.removed.map(\.key) == [2] && second.removed.map(\.value) == ["b"])
        #expect(second.updated.map(\.oldValue) == ["a"] && second.updated.map(\.newValue) == ["A"])
        await store.shutdown(drain: .finishEffects)
        #expect(await iterator.next() == nil)
    }

    @Test("Changes of dictionaries and arrays have the form of a table's changes")
    func changesOfOtherTables() async throws {
        let store = makeStore()
        var dictionary = store.changes(of: \.dictionary).makeAsyncIterator()
        var array = store.changes(of: \.array).makeAsyncIterator()
        #expect(await dictionary.next()?.isEmpty == true)
        #expect(await array.next()?.isEmpty == true)
        store.send { state in
            state.dictionary = [1: "a"]
            state.array = ["a", "b"]
        }
        #expect(await dictionary.next()?.inserted.map(\.key) == [1])
        #expect(await array.next()?.inserted.map(\.key) == [0, 1])
        store.send { state in
            state.dictionary = [:]
            state.array = ["a"]
        }
        #expect(await dictionary.next()?.removed.map(\.key) == [1])
        #expect(await array.next()?.removed.map(\.key) == [1])
    }

    @Test("Moved elements of a keyed array are no change; the change of an empty one is the first")
    func moves() async throws {
        struct Element: Identifiable, Equatable, Sendable {
            let id: Int
            var note = ""
        }
        typealias Step = @Sendable (inout KeyedArray<Element>) -> Void
        let store = Store(initialState: KeyedArray<Element>()) { (array: inout KeyedArray<Element>, step: Step) in
            step(&array)
        }
        var changes = store.changes(of: \.self).makeAsyncIterator()
        #expect(await changes.next()?.isEmpty == true)
        try await store.dispatch { $0 = [Element(id: 1), Element(id: 2)] }
        #expect(await changes.next()?.inserted.count == 2)
        try await store.dispatch { $0 = [Element(id: 2), Element(id: 1)] }
        let last = Task { [changes] in
            var changes = changes
            return await changes.next()
        }
        await letOtherTasksRun(yields: 1_000)
        try await store.dispatch { $0[id: 1]?.note = "new" }
        #expect(await last.value?.updated.map(\.key) == [1])
    }

    @Test("Observers of entries end with the store")
    func end() async throws {
        var store: Store<State, Step>? = makeStore()
        let values = try #require(store).values(of: \.tree, key: 1, buffering: .unbounded)
        store?.send { $0.tree[1] = "a" }
        store = nil
        #expect(try await values.all() == [nil, "a"])
    }

    private struct Counted: Equatable, Sendable {
        let value: Int
        let comparisons: Comparisons
        static func == (left: Counted, right: Counted) -> Bool {
            left.comparisons.add()
            return left.value == right.value
        }
    }

    private final class Comparisons: Sendable {
        private let storage = Atomic<Int>(0)
        var count: Int { storage.load(ordering: .relaxed) }
        func add() { storage.add(1, ordering: .relaxed) }
        func reset() { storage.store(0, ordering: .relaxed) }
    }
}
