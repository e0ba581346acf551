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

/// A store with one observer for each of many entries; the observers are released after the store.
private struct ObservedRows: Sendable {
    let store: Store<Rows.State, Rows.Action>
    let observations: [StoreObservation]

    init(entries: Int, observers: Int) {
        let store = Rows.store(entries: entries)
        self.store = store
        observations = (0..<observers).map { key in store.observe(.entry(of: \.tree, key: key)) { _ in } }
    }
}

/// A state with large unobserved collections, and a small observed part.
private struct Warehouse: Reducer {
    struct State: Sendable {
        var array = [Int](repeating: 0, count: 1_000_000)
        var dictionary = Dictionary(uniqueKeysWithValues: (0..<1_000_000).map { ($0, 0) })
        var bookings = 0
    }

    func reduce(into state: inout State, action: Int) -> Effect<Int> {
        state.array[action] &+= 1
        state.dictionary[action, default: 0] &+= 1
        state.bookings &+= 1
        return .none
    }
}

/// A warehouse whose bookings are observed by a closure and by a sequence.
private struct ObservedWarehouse: Sendable {
    let store = Store(initialState: Warehouse.State(), reducer: Warehouse())
    let observation: StoreObservation
    let values: StoreSequence<Int>

    init() {
        observation = store.observe(\.bookings) { _ in }
        values = store.values(of: \.bookings)
    }
}

/// The cost of changing one entry of a table with observed entries, or with snapshots.
let tableSuite = Suite(
    "tables",
    [
        Benchmark("an entry of an Array and one of a Dictionary of 1,000,000 without observers") {
            Keyed(ObservedWarehouse(), KeyOrder(scattered: 1_000_000))
        } measure: { warehouse, count in
            warehouse.step(count) { warehouse, key in warehouse.store.send(key) }
        }
    ]
        + [(1_000, 1_000), (100_000, 1_000), (100_000, 100_000), (1_000_000, 1_000), (1_000_000, 100_000)].map {
            entries,
            observers in
            Benchmark(
                "one entry of a TreeDictionary, one observer for each of many",
                parameters: ["entries": .integer(entries), "observers": .integer(observers)]
            ) {
                Keyed(ObservedRows(entries: entries, observers: observers), KeyOrder(scattered: observers))
            } measure: { rows, count in
                rows.step(count) { rows, key in rows.store.send(.tree(key: key)) }
            }
        }
        + [1_000, 100_000, 1_000_000].flatMap { entries in
            [
                Benchmark(
                    "one entry of a TreeDictionary, a snapshot after each action",
                    parameters: ["entries": .integer(entries)],
                    comparedWith: ["one entry of a Dictionary, a snapshot after each action"]
                ) {
                    Keyed(Rows.store(entries: entries), KeyOrder(scattered: entries))
                } measure: { store, count in
                    var snapshot = store.subject.snapshot
                    store.step(count) { store, key in
                        store.send(.tree(key: key))
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
                    Keyed(Rows.store(entries: entries), KeyOrder(scattered: entries))
                } measure: { store, count in
                    var snapshot = store.subject.snapshot
                    store.step(count) { store, key in
                        store.send(.dictionary(key: key))
                        snapshot = store.snapshot
                    }
                    blackHole(snapshot)
                },
            ]
        }
)
