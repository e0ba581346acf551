import ActorStore
import Benchmarking

/// A state of eleven parts, ten of which are observed.
private struct Parts: Reducer {
    struct State: Equatable, Sendable {
        var unobserved = 0
        var a = 0
        var b = 0
        var c = 0
        var d = 0
        var e = 0
        var f = 0
        var g = 0
        var h = 0
        var name = "ten"
        var list = [1, 2, 3]
    }

    enum Action: Sendable { case unobserved, observed }

    func reduce(into state: inout State, action: Action) -> Effect<Action> {
        switch action {
        case .unobserved: state.unobserved &+= 1
        case .observed: state.a &+= 1
        }
        return .none
    }
}

private struct ObservedParts: Sendable {
    let store = Store(initialState: Parts.State(), reducer: Parts())
    let observations: [StoreObservation]

    init() {
        observations = [
            store.observe(\.a) { _ in }, store.observe(\.b) { _ in }, store.observe(\.c) { _ in },
            store.observe(\.d) { _ in }, store.observe(\.e) { _ in }, store.observe(\.f) { _ in },
            store.observe(\.g) { _ in }, store.observe(\.h) { _ in }, store.observe(\.name) { _ in },
            store.observe(\.list) { _ in },
        ]
    }
}

/// The cost of ten observed key paths for an action.
let groupSuite = Suite(
    "groups",
    [
        Benchmark("an action that changes nothing observed", comparedWith: ["without observers"]) {
            ObservedParts()
        } measure: { observed, count in
            for _ in 0..<count {
                observed.store.send(.unobserved)
                barrier()
            }
        },
        Benchmark("an action that changes one part", comparedWith: ["without observers"]) {
            ObservedParts()
        } measure: { observed, count in
            for _ in 0..<count {
                observed.store.send(.observed)
                barrier()
            }
        },
        Benchmark("without observers") {
            Store(initialState: Parts.State(), reducer: Parts())
        } measure: { store, count in
            for _ in 0..<count {
                store.send(.unobserved)
                barrier()
            }
        },
    ]
)
