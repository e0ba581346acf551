import ActorStore
import Benchmarking

private typealias Level<Parent> = ParentAndChild<Parent, Int>
private typealias Two = Level<Level<Int>>
private typealias Four = Level<Level<Two>>
private typealias Eight = Level<Level<Level<Level<Four>>>>

/// A root and eight nested stores, each of which adds.
private struct DeepTree: Sendable {
    let root = Store(initialState: 0) { (sum: inout Int, step: Int) in sum &+= step }
    let two: Store<Two, Int>
    let four: Store<Four, Int>
    let eight: Store<Eight, Int>

    init() {
        two = Self.below(Self.below(root))
        four = Self.below(Self.below(two))
        eight = Self.below(Self.below(Self.below(Self.below(four))))
    }

    static func below<State: Sendable>(_ store: Store<State, Int>) -> Store<Level<State>, Int> {
        store.child(initialState: 0, reducer: Reduce { (sum: inout Int, step: Int) in sum &+= step })
    }
}

/// A state with nested parts.
private struct Nested: Equatable, Sendable {
    struct Inner: Equatable, Sendable {
        struct Core: Equatable, Sendable { var sum = 0 }
        var core = Core()
    }
    var inner = Inner()
}

/// A store with a scope and a scope of it.
private struct ScopedStore: Sendable {
    let root = Store(initialState: Nested()) { (state: inout Nested, step: Int) in state.inner.core.sum &+= step }
    let inner: Store<Nested.Inner, Int>
    let core: Store<Nested.Inner.Core, Int>

    init() {
        inner = root.scope(\.inner)
        core = inner.scope(\.core)
    }
}

/// A store with a thousand children, which receive actions one after the other.
private struct WideTree: Sendable {
    let root = Store(initialState: 0) { (sum: inout Int, step: Int) in sum &+= step }
    let children: [Store<Level<Int>, Int>]
    let observations: [StoreObservation]

    init(isObserved: Bool) {
        let root = root
        children = (0..<1_000).map { _ in DeepTree.below(root) }
        observations = isObserved ? children.map { $0.observe(\.local) { _ in } } : []
    }
}

private func repeatedly(_ count: Int, _ send: () -> Void) {
    for _ in 0..<count {
        send()
        barrier()
    }
}

/// The cost of a level of a tree, and of a scope.
let storeTreeSuite = Suite(
    "store tree",
    [
        Benchmark("send at depth", parameters: ["depth": 0]) {
            DeepTree()
        } measure: { tree, count in
            repeatedly(count) { tree.root.send(1) }
        },
        Benchmark("send at depth", parameters: ["depth": 2]) {
            DeepTree()
        } measure: { tree, count in
            repeatedly(count) { tree.two.send(1) }
        },
        Benchmark("send at depth", parameters: ["depth": 4]) {
            DeepTree()
        } measure: { tree, count in
            repeatedly(count) { tree.four.send(1) }
        },
        Benchmark("send at depth", parameters: ["depth": 8]) {
            DeepTree()
        } measure: { tree, count in
            repeatedly(count) { tree.eight.send(1) }
        },
        Benchmark("dispatch at depth", parameters: ["depth": 8]) {
            DeepTree()
        } measure: { tree, count in
            for _ in 0..<count {
                _ = try? await tree.eight.dispatch(1)
                barrier()
            }
        },
        Benchmark("snapshot at depth", parameters: ["depth": 8]) {
            DeepTree()
        } measure: { tree, count in
            repeatedly(count) { blackHole(tree.eight.snapshot.local) }
        },
        Benchmark("send to a scope", parameters: ["depth": 1]) {
            ScopedStore()
        } measure: { store, count in
            repeatedly(count) { store.inner.send(1) }
        },
        Benchmark("send to a scope", parameters: ["depth": 2]) {
            ScopedStore()
        } measure: { store, count in
            repeatedly(count) { store.core.send(1) }
        },
        Benchmark("send to each of 1,000 children") {
            Keyed(WideTree(isObserved: false), KeyOrder(scattered: 1_000))
        } measure: { tree, count in
            tree.step(count) { tree, key in tree.children[key].send(1) }
        },
        Benchmark("send to each of 1,000 observed children") {
            Keyed(WideTree(isObserved: true), KeyOrder(scattered: 1_000))
        } measure: { tree, count in
            tree.step(count) { tree, key in tree.children[key].send(1) }
        },
    ]
)
