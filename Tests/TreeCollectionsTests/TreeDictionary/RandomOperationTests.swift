import Testing

@testable import TreeCollections

@Suite("Random operations of a tree dictionary against a dictionary", .timeLimit(.minutes(10)))
struct RandomOperationTests {
    static let operations = 210_000

    @Test(
        "A tree dictionary equals a dictionary with uniform hashes",
        arguments: [(1, 8, 50), (2, 100, 50), (3, 3_000, 25), (4, 100_000, 4)]
    )
    func spread(seed: UInt64, range: Int, checks: Int) {
        var operations = RandomOperations<SpreadHash>(seed: seed, range: range)
        #expect(operations.run(Self.operations, checks: checks) == nil)
    }

    @Test(
        "A tree dictionary equals a dictionary with hashes that differ in the last bits",
        arguments: [(11, 64, 50), (12, 5_000, 25)]
    )
    func topBits(seed: UInt64, range: Int, checks: Int) {
        var operations = RandomOperations<TopBitsHash>(seed: seed, range: range)
        #expect(operations.run(Self.operations, checks: checks) == nil)
    }

    @Test("A tree dictionary equals a dictionary with hashes of three bits", arguments: [(21, 8, 50), (22, 48, 50)])
    func threeBits(seed: UInt64, range: Int, checks: Int) {
        var operations = RandomOperations<ThreeBitHash>(seed: seed, range: range)
        #expect(operations.run(Self.operations, checks: checks) == nil)
    }

    @Test("A tree dictionary equals a dictionary with equal hashes", arguments: [(31, 4, 50), (32, 16, 50)])
    func allEqual(seed: UInt64, range: Int, checks: Int) {
        var operations = RandomOperations<EqualHash>(seed: seed, range: range)
        #expect(operations.run(Self.operations, checks: checks) == nil)
    }

    @Test("A tree dictionary equals a dictionary with a million entries")
    func million() {
        let count = 1_000_000
        var tree = TreeDictionary<Int, Int>()
        for number in 0..<count { tree[number] = number }
        tree.checkInvariants()
        #expect(tree.count == count)
        let before = tree
        for number in stride(from: 0, to: count, by: 1_000) { tree[number] = nil }
        #expect(tree.count == count - 1_000)
        #expect(tree.difference(from: before).removed.count == 1_000)
        #expect(before[1_000] == 1_000 && tree[1_000] == nil && tree[999_999] == 999_999 && tree[count] == nil)
    }

    @Test(
        "A tree dictionary equals a dictionary while growing to a size and shrinking from it",
        arguments: [0, 1, 2, 31, 32, 33, 1_000, 20_000]
    )
    func sizes(count: Int) {
        var model = Model<HashedKey<SpreadHash>, Int>()
        for number in 0..<count {
            model.tree[HashedKey(number)] = number
            model.dictionary[HashedKey(number)] = number
        }
        #expect(model.flaw() == nil)
        let full = model
        for number in 0..<count {
            model.tree[HashedKey(number)] = nil
            model.dictionary[HashedKey(number)] = nil
            if number == count / 2 { #expect(model.flaw() == nil) }
        }
        #expect(model.flaw() == nil)
        #expect(model.tree.isEmpty && model.tree == [:])
        #expect(full.flaw() == nil)
    }
}
