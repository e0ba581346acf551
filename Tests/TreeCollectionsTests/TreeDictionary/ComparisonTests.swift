import ActorStoreSimulation
import Testing

@testable import TreeCollections

@Suite("Comparison of tree dictionaries", .timeLimit(.minutes(10)))
struct ComparisonTests {
    private func tree(_ numbers: some Sequence<Int>, _ comparisons: InstanceCounter) -> TreeDictionary<
        Int, ComparedValue
    > {
        TreeDictionary(uniqueKeysWithValues: numbers.map { ($0, ComparedValue(number: $0, comparisons: comparisons)) })
    }

    @Test("Versions of 100,000 entries that differ in one key are compared in a few steps", arguments: [0, 1, 2])
    func fewComparisons(change: Int) {
        let comparisons = InstanceCounter()
        let older = tree(0..<100_000, comparisons)
        var newer = older
        switch change {
        case 0: newer[70_000] = ComparedValue(number: -1, comparisons: comparisons)
        case 1: newer[-1] = ComparedValue(number: -1, comparisons: comparisons)
        default: newer[70_000] = nil
        }
        let difference = newer.difference(from: older)
        #expect([difference.updated.count, difference.inserted.count, difference.removed.count][change] == 1)
        #expect(difference.updated.count + difference.inserted.count + difference.removed.count == 1)
        #expect(comparisons.count < 100)
        #expect(newer != older)
        #expect(comparisons.count < 200)
    }

    @Test("A difference names keys and values")
    func difference() {
        let older: TreeDictionary = ["apple": 1, "pear": 2, "plum": 3]
        var newer = older
        newer["pear"] = 5
        newer["plum"] = nil
        newer["fig"] = 4
        var expected = TreeDictionaryDifference<String, Int>()
        expected.inserted = [.init(key: "fig", value: 4)]
        expected.removed = [.init(key: "plum", value: 3)]
        expected.updated = [.init(key: "pear", oldValue: 2, newValue: 5)]
        #expect(newer.difference(from: older) == expected)
        #expect(older.difference(from: newer) != expected)
        #expect(older.difference(from: older).isEmpty)
    }

    @Test("A difference from and to the empty dictionary has everything")
    func differenceOfEmpty() {
        let full = TreeDictionary(uniqueKeysWithValues: (0..<2_000).map { ($0, $0) })
        #expect(full.difference(from: [:]).inserted.count == 2_000)
        #expect(TreeDictionary().difference(from: full).removed.count == 2_000)
        #expect(TreeDictionary<Int, Int>().difference(from: [:]).isEmpty)
    }

    @Test("Dictionaries with equal entries are equal and hash equally, whatever their history", arguments: 1...5)
    func history(seed: UInt64) {
        func check<Kind: HashKind>(_ kind: Kind.Type, count: Int) {
            var generator = SimulationGenerator(seed: seed)
            let keys = (0..<count).map { HashedKey<Kind>($0) }
            var first = TreeDictionary(uniqueKeysWithValues: keys.map { ($0, $0.number) })
            var second = TreeDictionary(uniqueKeysWithValues: keys.shuffled(using: &generator).map { ($0, $0.number) })
            for number in count..<(2 * count) { second[HashedKey(number)] = 0 }
            for number in (count..<(2 * count)).shuffled(using: &generator) { second[HashedKey(number)] = nil }
            second.checkInvariants()
            #expect(first == second && first.hashValue == second.hashValue && first.keys == second.keys)
            #expect(first.difference(from: second).isEmpty)
            first[keys[0]] = -1
            #expect(first != second && first.keys == second.keys)
            first[keys[0]] = nil
            #expect(first != second && first.keys != second.keys)
        }
        check(SpreadHash.self, count: 1_000)
        check(TopBitsHash.self, count: 700)
        check(ThreeBitHash.self, count: 100)
        check(EqualHash.self, count: 20)
    }
}
