import Foundation
import Testing
import TreeCollections

@testable import ActorStorePersistence

@Suite("Digests of states")
struct StateDigestTests {
    private struct Holder<Value: Encodable>: Encodable { var value: Value }

    /// Sets of the same elements in other orders.
    private let sets: [Set<Int>] = [16, 4_096].map { capacity in
        var set = Set<Int>(minimumCapacity: capacity)
        for number in 0..<100 { set.insert(number * 7_919) }
        return set
    }

    @Test("A set and a table have one digest in any order of their elements, also as the state itself")
    func order() throws {
        let tables = sets.map { Dictionary(uniqueKeysWithValues: $0.map { (Holder(value: $0).value.description, $0) }) }
        let keyed = sets.map { set in Dictionary(uniqueKeysWithValues: set.map { ([$0], $0) }) }
        #expect(sets[0].map(\.self) != sets[1].map(\.self))
        #expect(try StateDigest(of: sets[0]) == StateDigest(of: sets[1]))
        #expect(try StateDigest(of: Holder(value: sets[0])) == StateDigest(of: Holder(value: sets[1])))
        #expect(try StateDigest(of: tables[0]) == StateDigest(of: tables[1]))
        #expect(try StateDigest(of: keyed[0]) == StateDigest(of: keyed[1]))
        #expect(try StateDigest(of: [keyed[0]]) == StateDigest(of: [keyed[1]]))
    }

    @Test("A TreeDictionary has the digest of a dictionary with its entries, for any keys")
    func trees() throws {
        let keyed = sets.map { set in Dictionary(uniqueKeysWithValues: set.map { ([$0], $0) }) }
        let tree = TreeDictionary(keyed[0])
        #expect(try StateDigest(of: tree) == StateDigest(of: keyed[1]))
        #expect(try StateDigest(of: Holder(value: tree)) == StateDigest(of: Holder(value: keyed[1])))
        var other = tree
        other[[0]] = 1
        #expect(try StateDigest(of: tree) != StateDigest(of: other))
    }

    @Test("Data has the digest of an array of its bytes")
    func data() throws {
        let bytes = (0..<1_000).map { UInt8(truncatingIfNeeded: $0 * 7) }
        #expect(try StateDigest(of: Data(bytes)) == StateDigest(of: bytes))
        #expect(try StateDigest(of: Holder(value: Data())) == StateDigest(of: Holder(value: [UInt8]())))
    }

    @Test("The digest of an array depends on the order and the type of its elements")
    func arrays() throws {
        let digests = try [[1, 2, 3], [3, 2, 1], [1, 2], [], [1, 2, 4]].map { try StateDigest(of: $0) }
        #expect(Set(digests).count == digests.count)
    }

    @Test("At most two digests are computed concurrently, each retaining a state, and no third one begins")
    func limit() {
        var schedule = DigestSchedule(interval: 1)
        let begun = [schedule.begin(), schedule.begin(), schedule.begin()]
        #expect(begun == [true, true, false])
        schedule.finish()
        let beginsAgain = schedule.begin()
        #expect(beginsAgain)
    }
}
