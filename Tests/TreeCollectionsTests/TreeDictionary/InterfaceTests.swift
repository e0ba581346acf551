import Testing

@testable import TreeCollections

@Suite("The interface of a tree dictionary", .timeLimit(.minutes(10)))
struct InterfaceTests {
    @Test("A tree dictionary is created from pairs, a literal, groups and a dictionary")
    func initializers() {
        #expect(TreeDictionary<Int, Int>().isEmpty)
        #expect(TreeDictionary(uniqueKeysWithValues: [(1, "a"), (2, "b")]) == [1: "a", 2: "b"])
        #expect(TreeDictionary([("a", 1), ("b", 2), ("a", 3)], uniquingKeysWith: +) == ["a": 4, "b": 2])
        #expect(TreeDictionary(grouping: 1...5) { $0 % 2 } == [0: [2, 4], 1: [1, 3, 5]])
        #expect(TreeDictionary([1: 2, 3: 4]) == [1: 2, 3: 4])
    }

    @Test("Indices go through all entries, in the order of iteration", arguments: [0, 1, 50, 3_000])
    func indices(count: Int) {
        func check<Kind: HashKind>(_ kind: Kind.Type) {
            let tree = TreeDictionary(uniqueKeysWithValues: (0..<count).map { (HashedKey<Kind>($0), $0) })
            let indices = Array(tree.indices)
            #expect(indices.map { tree[$0].value } == tree.map(\.value))
            #expect(zip(indices, indices.dropFirst()).allSatisfy { $0 < $1 && !($1 < $0) && $0 != $1 })
            #expect(indices.allSatisfy { $0 < tree.endIndex })
            #expect(indices.allSatisfy { tree.index(forKey: tree[$0].key) == $0 })
            #expect(tree.distance(from: tree.startIndex, to: tree.endIndex) == count)
            #expect(tree.index(forKey: HashedKey(count)) == nil)
        }
        check(SpreadHash.self)
        check(TopBitsHash.self)
        if count < 100 { check(EqualHash.self) }
    }

    @Test("Keys and values are collections in the same order")
    func views() {
        let tree = TreeDictionary(uniqueKeysWithValues: (0..<100).map { ($0, "\($0)") })
        #expect(tree.keys.map { "\($0)" } == Array(tree.values))
        #expect(tree.keys.count == 100 && tree.values.count == 100)
        #expect(tree.keys.contains(7) && !tree.keys.contains(100))
        #expect(tree.keys.firstIndex(of: 7).map { tree[$0].value } == "7")
        #expect(Set(tree.keys) == Set(0..<100))
        #expect(tree.keys.indices.map { tree.keys[$0] } == Array(tree.keys))
        #expect(tree.values.indices.map { tree.values[$0] } == Array(tree.values))
        #expect(tree.containsKey(3) && !tree.containsKey(-3))
    }

    @Test("Removing removes one entry, or all")
    func removal() {
        var tree: TreeDictionary = [1: "a", 2: "b", 3: "c"]
        #expect(tree.removeValue(forKey: 2) == "b")
        #expect(tree.removeValue(forKey: 2) == nil)
        let first = tree.first
        #expect(tree.popFirst()?.key == first?.key)
        #expect(tree.count == 1)
        tree.removeAll()
        #expect(tree.isEmpty && tree.first == nil && tree.popFirst() == nil && tree.randomElement() == nil)
        tree[4] = "d"
        #expect(tree == [4: "d"])
    }

    @Test("The present key is kept when its value is updated")
    func keysStay() {
        let counter = InstanceCounter()
        let (first, second) = (Instance(1, counter), Instance(1, counter))
        var tree: TreeDictionary = [first: 1]
        tree.updateValue(2, forKey: second)
        #expect(tree.first?.key === first && tree[first] == 2)
    }

    @Test("A present value is changed in place, and the result of the change is returned")
    func modifying() {
        var dictionary = TreeDictionary(uniqueKeysWithValues: (0..<3_000).map { ($0, [$0]) })
        let older = dictionary
        #expect(
            dictionary.modifyValue(forKey: 7) {
                $0.append(8); return $0.count
            } == 2
        )
        #expect(
            dictionary.modifyValue(forKey: 3_000) {
                $0.append(8); return $0.count
            } == nil
        )
        #expect(dictionary[7] == [7, 8] && older[7] == [7] && dictionary.count == 3_000)
        let addresses = (0..<2).map { number in
            dictionary.modifyValue(forKey: 8) { value in
                value[0] = number
                return value.withUnsafeBytes { Int(bitPattern: $0.baseAddress) }
            }
        }
        #expect(addresses[0] != nil && addresses[0] == addresses[1])
    }

    @Test("Merging combines the values of common keys, its own first")
    func merging() {
        let tree: TreeDictionary = ["a": 1, "b": 2]
        let other: TreeDictionary = ["b": 5, "c": 6]
        #expect(tree.merging(other) { 10 * $0 + $1 } == ["a": 1, "b": 25, "c": 6])
        #expect(tree.merging([("b", 3), ("d", 4), ("d", 5)]) { 10 * $0 + $1 } == ["a": 1, "b": 23, "d": 45])
        #expect(TreeDictionary().merging(other) { $1 }.isIdentical(to: other))
        #expect(tree == ["a": 1, "b": 2])
    }

    @Test("Filtering and mapping keep the matching entries and transform the values", arguments: [0, 10, 5_000])
    func transformations(count: Int) {
        let tree = TreeDictionary(uniqueKeysWithValues: (0..<count).map { (HashedKey<TopBitsHash>($0), $0) })
        let even = tree.filter { $0.value % 2 == 0 }
        even.checkInvariants()
        #expect(Set(even.values) == Set(stride(from: 0, to: count, by: 2)))
        #expect(tree.filter { _ in true }.isIdentical(to: tree))
        let texts = tree.mapValues { "\($0)" }
        texts.checkInvariants()
        #expect(texts.count == count && texts.allSatisfy { $0.value == "\($0.key)" })
        let odd = tree.compactMapValues { $0 % 2 == 1 ? "\($0)" : nil }
        odd.checkInvariants()
        #expect(odd.count == count / 2 && odd.allSatisfy { $0.value == "\($0.key)" })
    }

    @Test("A tree dictionary is described like a dictionary")
    func descriptions() {
        #expect("\(TreeDictionary<Int, Int>())" == "[:]")
        #expect("\(["a": "b"] as TreeDictionary)" == "\(["a": "b"])")
        #expect(String(reflecting: [1: 2] as TreeDictionary) == "[1: 2]")
        let mirror = Mirror(reflecting: [1: 2] as TreeDictionary)
        #expect(mirror.displayStyle == .dictionary && mirror.children.count == 1)
        #expect("\(([1: 2] as TreeDictionary).keys)" == "[1]" && "\(([1: 2] as TreeDictionary).values)" == "[2]")
    }
}
