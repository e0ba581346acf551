import ActorStoreSimulation
import Testing

@testable import TreeCollections

@Suite("Versions of a tree dictionary", .timeLimit(.minutes(10)))
struct VersionTests {
    /// A key that counts its comparisons.
    private struct ComparedKey: Hashable {
        let number: Int
        let comparisons: InstanceCounter

        static func == (left: ComparedKey, right: ComparedKey) -> Bool {
            left.comparisons.add(1)
            return left.number == right.number
        }

        func hash(into hasher: inout Hasher) { hasher.combine(number) }
    }

    @Test("Dictionaries with equal keys have equal orders, whatever their history and values", arguments: 1...5)
    func order(seed: UInt64) {
        func check<Kind: HashKind>(_ kind: Kind.Type, count: Int) {
            var generator = SimulationGenerator(seed: seed)
            let keys = (0..<count).map { HashedKey<Kind>($0) }
            let first = TreeDictionary(uniqueKeysWithValues: keys.map { ($0, $0.number) })
            var second = TreeDictionary(uniqueKeysWithValues: keys.shuffled(using: &generator).map { ($0, 0) })
            let version = second
            for key in keys.shuffled(using: &generator).dropFirst(count / 4) { second[key] = nil }
            for number in count..<2 * count { second[HashedKey(number)] = 0 }
            for key in keys.shuffled(using: &generator) { second[key] = 1 }
            for number in (count..<2 * count).shuffled(using: &generator) { second[HashedKey(number)] = nil }
            #expect(Array(second.keys) == Array(first.keys))
            #expect(Array(version.keys) == Array(first.keys))
        }
        check(SpreadHash.self, count: 1_000)
        // Among twice as many numbers no two hashes are equal.
        check(TopBitsHash.self, count: 250)
    }

    @Test("An iterator visits the version it was made from, whatever happens to the dictionary", arguments: [5, 3_000])
    func iteration(count: Int) {
        var tree = TreeDictionary(uniqueKeysWithValues: (0..<count).map { ($0, $0) })
        let expected = tree.map(\.value)
        var iterator = tree.makeIterator()
        var found = [iterator.next()?.value]
        for number in 0..<count { tree[number]? += count }
        found.append(iterator.next()?.value)
        for number in 0..<count where number != 3 { tree[number] = nil }
        found.append(iterator.next()?.value)
        tree = [:]
        while let entry = iterator.next() { found.append(entry.value) }
        #expect(found == expected)
    }

    @Test("An index is valid in an unchanged copy", arguments: [5, 3_000])
    func indices(count: Int) throws {
        var tree = TreeDictionary(uniqueKeysWithValues: (0..<count).map { ($0, $0) })
        let copy = tree
        let last = try #require(tree.index(forKey: count - 1))
        let indices = Array(tree.indices)
        for number in 0..<count { tree[number] = nil }
        #expect(copy[last] == (count - 1, count - 1))
        #expect(indices.map { copy[$0].key } == Array(copy.keys))
        #expect(indices.dropFirst() + [copy.endIndex] == indices.map { copy.index(after: $0) }[...])
        var changed = copy
        #expect(changed.remove(at: last).key == count - 1)
    }

    @Test("The keys removed from a version of 100,000 are found in a few steps")
    func removedKeys() {
        let comparisons = InstanceCounter()
        func key(_ number: Int) -> ComparedKey { ComparedKey(number: number, comparisons: comparisons) }
        let older = TreeDictionary(uniqueKeysWithValues: (0..<100_000).map { (key($0), $0) })
        var newer = older
        newer[key(70_000)] = nil
        newer[key(-1)] = 0
        newer[key(5)] = 0
        let before = comparisons.count
        var removed: [Int] = []
        newer.forEachRemovedKey(since: older) { removed.append($0.number) }
        #expect(removed == [70_000])
        #expect(comparisons.count - before < 1_000)
    }

    @Test("Differences with equal changes are equal, in any order")
    func differences() {
        let older = TreeDictionary(uniqueKeysWithValues: (0..<30).map { (HashedKey<EqualHash>($0), $0) })
        var newer = older
        for number in 0..<10 { newer[HashedKey(number)] = nil }
        for number in 10..<20 { newer[HashedKey(number)]? += 1 }
        for number in 30..<40 { newer[HashedKey(number)] = number }
        let difference = newer.difference(from: older)
        var reversed = difference
        reversed.inserted.reverse()
        reversed.removed.reverse()
        reversed.updated.reverse()
        #expect(reversed == difference && reversed.inserted.first != difference.inserted.first)
        reversed.updated[0].oldValue += 1
        #expect(reversed != difference)
    }
}
