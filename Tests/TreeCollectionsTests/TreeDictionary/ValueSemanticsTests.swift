import ActorStoreSimulation
import Testing

@testable import TreeCollections

@Suite("Copies of a tree dictionary", .timeLimit(.minutes(10)))
struct ValueSemanticsTests {
    /// The nodes of a tree, from the root down.
    private func nodes<Key, Value>(of tree: TreeDictionary<Key, Value>) -> [ObjectIdentifier] {
        func collect(_ node: Node<Key, Value>) -> [ObjectIdentifier] {
            let view = NodeView(node)
            let children = (0..<view.childCount).compactMap { view.child(at: $0).pointee }
            return [ObjectIdentifier(node)] + children.flatMap(collect)
        }
        return tree.root.map(collect) ?? []
    }

    @Test("An unshared dictionary is changed in place")
    func inPlace() {
        var tree = TreeDictionary(uniqueKeysWithValues: (0..<10_000).map { ($0, $0) })
        let before = nodes(of: tree)
        for number in 0..<10_000 {
            tree[number] = -number
            tree[number]? += 1
            tree[number, default: 0] += 1
        }
        #expect(nodes(of: tree) == before)
    }

    @Test("A change of a shared dictionary copies the path to the entry, and nothing else")
    func pathCopying() {
        var tree = TreeDictionary(uniqueKeysWithValues: (0..<10_000).map { ($0, $0) })
        let version = tree
        #expect(tree.isIdentical(to: version))
        tree[5_000] = 1
        #expect(!tree.isIdentical(to: version))
        let shared = Set(nodes(of: version))
        let copied = nodes(of: tree).filter { !shared.contains($0) }
        #expect((2...5).contains(copied.count))
        #expect(version[5_000] == 5_000)
        #expect(tree[5_000] == 1)
    }

    @Test("Removing a missing key copies nothing")
    func removingNothing() {
        var tree = TreeDictionary(uniqueKeysWithValues: (0..<1_000).map { ($0, $0) })
        let version = tree
        #expect(tree.removeValue(forKey: -1) == nil)
        tree[-2] = nil
        tree[-3]? += 1
        #expect(tree.isIdentical(to: version))
    }

    @Test("A value changed in place is not copied")
    func valuesInPlace() {
        var tree: TreeDictionary = ["a": Array(0..<100)]
        let address = tree["a"]?.withUnsafeBufferPointer { $0.baseAddress }
        tree["a"]?[0] = 1
        tree["a", default: []][1] = 2
        #expect(tree["a"]?.withUnsafeBufferPointer { $0.baseAddress } == address)
        let version = tree
        tree["a"]?[0] = 3
        #expect(version["a"]?[0] == 1)
        #expect(tree["a"]?[0] == 3)
    }

    @Test("An error during an in-place change leaves the value of that moment")
    func errorInPlace() {
        struct Failure: Error {}
        func fail(_ value: inout [Int]?, removing: Bool) throws {
            value = removing ? nil : [7]
            throw Failure()
        }
        var tree: TreeDictionary = [1: [1], 2: [2]]
        #expect(throws: Failure.self) { try fail(&tree[1], removing: false) }
        #expect(throws: Failure.self) { try fail(&tree[2], removing: true) }
        #expect(tree == [1: [7]])
        tree.checkInvariants()
    }

    @Test("Keys and values are released exactly once", arguments: [1, 2, 3])
    func releases(seed: UInt64) {
        let counter = InstanceCounter()
        var generator = SimulationGenerator(seed: seed)
        do {
            var tree = TreeDictionary<Instance, Instance>()
            var versions: [TreeDictionary<Instance, Instance>] = []
            for _ in 0..<20_000 {
                let key = Instance(Int.random(in: 0..<500, using: &generator), counter)
                switch Int.random(in: 0..<8, using: &generator) {
                case 0..<3: tree[key] = Instance(1, counter)
                case 3: tree[key] = nil
                case 4: if tree[key] != nil { tree[key]? = Instance(2, counter) }
                case 5: ({ (value: inout Instance?) in value = nil })(&tree[key])
                case 6: tree[key, default: Instance(3, counter)] = Instance(4, counter)
                default:
                    if Int.random(in: 0..<20, using: &generator) == 0 { versions.append(tree) }
                    if versions.count > 5 { tree = versions.removeFirst() }
                }
            }
            tree.checkInvariants()
            let living = ([tree] + versions).map(\.count)
            #expect(living.allSatisfy { $0 > 0 } && counter.count > 0)
        }
        #expect(counter.count == 0)
    }

    @Test("Copies can be changed by many tasks concurrently")
    func tasks() async {
        let counter = InstanceCounter()
        var tree = TreeDictionary(uniqueKeysWithValues: (0..<500).map { (Instance($0, counter), 0) })
        let sums = await withTaskGroup(of: Int.self) { group in
            for task in 1...8 {
                group.addTask { [tree] in
                    var copy = tree
                    for number in 0..<500 { copy[Instance(number, counter), default: 0] += task }
                    for number in 0..<250 { copy[Instance(number, counter)] = nil }
                    copy.checkInvariants()
                    return copy.values.reduce(0, +)
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(sums.sorted() == (1...8).map { 250 * $0 })
        #expect(tree.count == 500 && tree.values.allSatisfy { $0 == 0 })
        tree.removeAll()
        #expect(counter.count == 0)
    }

    @Test("An error in mapValues releases the values made so far")
    func errorInMapping() {
        struct Failure: Error {}
        let counter = InstanceCounter()
        let tree = TreeDictionary(uniqueKeysWithValues: (0..<2_000).map { ($0, $0) })
        #expect(throws: Failure.self) {
            try tree.mapValues { value in
                if value == 1_234 { throw Failure() }
                return Instance(value, counter)
            }
        }
        #expect(counter.count == 0)
    }
}
