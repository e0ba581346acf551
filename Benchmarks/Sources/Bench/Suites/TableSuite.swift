import ActorStore
import Benchmarking
import TreeCollections

/// A table in a state.
private struct Rows: Reducer {
    struct State: Sendable {
        var tree: TreeDictionary<Int, Int> = [:]
        var dictionary: [Int: Int] = [:]
    }

    enum Action: Sendable {
        case tree(key: Int)
        case dictionary(key: Int)
    }

    func reduce(into state: inout State, action: Action) -> Effect<Action> {
        switch action {
        case .tree(let key): state.tree[key, default: 0] &+= 1
        case .dictionary(let key): state.dictionary[key, default: 0] &+= 1
        }
        return .none
    }

    static func store(entries: Int) -> Store<State, Action> {
        var state = State()
        for key in 0..<entries {
            state.tree[key] = 0
            state.dictionary[key] = 0
        }
        return Store(initialState: state, reducer: Rows())
    }
}

/// A store with one observer for each of many entries; the observers go after the store.
private struct ObservedRows: Sendable {
    let store: Store<Rows.State, Rows.Action>
    let observations: [Observation]

    init(entries: Int, observers: Int) {
        let store = Rows.store(entries: entries)
        self.store = store
        observations = (0..<observers).map { key in store.observe(\.tree, key: key) { _ in } }
    }
}

/// What it costs to change one entry of a table of which entries are observed, or snapshots are taken.
let tableSuite = Suite(
    "tables",
    [(1_000, 1_000), (100_000, 1_000), (100_000, 100_000), (1_000_000, 1_000), (1_000_000, 100_000)].map {
        entries,
        observers in
        Benchmark(
            "one entry of a TreeDictionary, one observer for each of many",
            parameters: ["entries": .integer(entries), "observers": .integer(observers)]
        ) {
            ObservedRows(entries: entries, observers: observers)
        } measure: { rows, count in
            for number in 0..<count {
                rows.store.send(.tree(key: number % observers))
                barrier()
            }
        }
    }
        + [1_000, 100_000, 1_000_000].flatMap { entries in
            [
                Benchmark(
                    "one entry of a TreeDictionary, a snapshot after each action",
                    parameters: ["entries": .integer(entries)],
                    comparedWith: ["one entry of a Dictionary, a snapshot after each action"]
                ) {
                    Rows.store(entries: entries)
                } measure: { store, count in
                    var snapshot = store.snapshot
                    for number in 0..<count {
                        store.send(.tree(key: number % entries))
                        snapshot = store.snapshot
                    }
                    blackHole(snapshot)
                },
                Benchmark(
                    "one entry of a Dictionary, a snapshot after each action",
                    parameters: ["entries": .integer(entries)],
                    configuration: Configuration(
                        operationsPerSample: entries > 100_000 ? 2 : nil,
                        minimumSamples: 3,
                        maximumSamples: entries > 100_000 ? 5 : 2_000,
                        warmUpSamples: 1
                    )
                ) {
                    Rows.store(entries: entries)
                } measure: { store, count in
                    var snapshot = store.snapshot
                    for number in 0..<count {
                        store.send(.dictionary(key: number % entries))
                        snapshot = store.snapshot
                    }
                    blackHole(snapshot)
                },
            ]
        }
)
