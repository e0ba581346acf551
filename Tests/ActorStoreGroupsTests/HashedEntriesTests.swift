import Testing

@testable import ActorStore
@testable import ActorStoreGroups

@Suite("The table of a group", .timeLimit(.minutes(10)))
struct HashedEntriesTests {
    private final class Named: Sendable {
        let hash: UInt
        let number: Int

        init(_ hash: UInt, _ number: Int) {
            (self.hash, self.number) = (hash, number)
        }
    }

    private func numbers(in table: borrowing HashedEntries<Named>, of hash: UInt) -> [Int] {
        var numbers: [Int] = []
        var index = table.firstIndex(of: hash)
        while let place = index {
            numbers.append(table.entries[place].number)
            index = table.index(of: hash, after: place)
        }
        return numbers.sorted()
    }

    /// Whether the invariants hold, and each entry is under its own hash value.
    private func isSound(_ table: borrowing HashedEntries<Named>) -> Bool {
        var (count, areRight) = (0, 5 * table.count <= 4 * table.capacity)
        let entries = table.entries
        table.forEachIndex { index in
            count += 1
            if entries[index].hash != table.hash(at: index) { areRight = false }
        }
        return areRight && count == table.count
    }

    /// Two hash values for the same place in a small table, one for the last place, and one for the first.
    private let hashes: [UInt] = [2, 18, 14, 16]

    @Test("Any short sequence of insertions and removals leaves each entry under its hash value, and no other")
    func allSequences() {
        let length = 6
        let kinds = 2 * hashes.count
        for sequence in 0..<(0..<length).reduce(1, { product, _ in product * kinds }) {
            var table = HashedEntries<Named>()
            var model: [Named] = []
            var rest = sequence
            for number in 0..<length {
                let (hash, inserts) = (hashes[rest % hashes.count], rest / hashes.count % 2 == 0)
                rest /= kinds
                if inserts {
                    let entry = Named(hash, number)
                    table.insert(entry, hash: hash)
                    model.append(entry)
                } else if let index = table.firstIndex(of: hash) {
                    let removed = table.remove(at: index)
                    model.removeAll { $0 === removed }
                }
            }
            let isRight = isSound(table) && table.count == model.count
            let areFound = hashes.map { hash in
                numbers(in: table, of: hash) == model.filter { $0.hash == hash }.map(\.number).sorted()
            }
            guard isRight, !areFound.contains(false) else {
                Issue.record("After sequence \(sequence) there should be \(model.map { ($0.hash, $0.number) }).")
                return
            }
        }
    }

    @Test("A large table grows, records use, releases its entries, and shrinks when few are left")
    func large() {
        weak var first: Named?
        weak var last: Named?
        do {
            var table = HashedEntries<Named>()
            let (isEmpty, place) = (table.count == 0, table.firstIndex(of: 2))
            #expect(isEmpty && place == nil)
            for number in 1...10_000 { table.insert(Named(UInt(2 * number), number), hash: UInt(2 * number)) }
            let isSoundWhenLarge = isSound(table)
            #expect(isSoundWhenLarge)
            let entries = table.entries
            table.forEachIndex { index in
                table.setUsed(entries[index].number.isMultiple(of: 2), at: index)
                if entries[index].number == 1 { first = entries[index] }
                if entries[index].number == 10_000 { last = entries[index] }
            }
            for number in 1...9_990 {
                guard let index = table.firstIndex(of: UInt(2 * number)) else { continue }
                let isUsed = table.isUsed(at: index)
                #expect(isUsed == number.isMultiple(of: 2))
                _ = table.remove(at: index)
            }
            #expect(first == nil && last != nil)
            let capacity = table.capacity
            table.shrink()
            let (isSmall, isSoundWhenSmall) = (table.capacity < capacity / 100 && table.count == 10, isSound(table))
            #expect(isSmall && isSoundWhenSmall)
            for number in 9_991...10_000 {
                let found = numbers(in: table, of: UInt(2 * number))
                #expect(found == [number])
                guard let index = table.firstIndex(of: UInt(2 * number)) else { continue }
                let wasUsed = table.isUsed(at: index)
                table.noteUse(at: index)
                let isUsed = table.isUsed(at: index)
                #expect(wasUsed == number.isMultiple(of: 2) && isUsed)
            }
        }
        #expect(last == nil)
    }

    @Test("Entries can be visited in slices, each once if none is added or removed")
    func pieces() {
        var table = HashedEntries<Named>()
        for number in 1...100 { table.insert(Named(UInt(2 * number), number), hash: UInt(2 * number)) }
        let (entries, capacity) = (table.entries, table.capacity)
        var seen: [Int] = []
        for start in stride(from: 0, to: capacity + 7, by: 7) {
            table.forEachIndex(in: start..<start + 7) { seen.append(entries[$0].number) }
        }
        #expect(seen.sorted() == Array(1...100))
    }

    @Test("No key has the hash value of a vacant place, nor one with the bit that records use")
    func vacancy() {
        struct Zero: Hashable {
            var hashValue: Int { 0 }
            func hash(into hasher: inout Hasher) {}
        }
        let hashes = (0..<10_000).map { HashedEntries<Int>.hash(of: $0) } + [HashedEntries<Int>.hash(of: Zero())]
        #expect(hashes.allSatisfy { $0 != 0 && $0.isMultiple(of: 2) })
    }

    @Test("A group without an eviction policy frees the memory of its stores' places")
    func memoryOfPlaces() async {
        let group = StoreGroup<Int, Int, Int>(initialState: { _ in 0 }, reduce: { count, step in count += step })
        for id in 0..<20_000 { group.send(1, to: id) }
        for id in 0..<20_000 {
            if id % 2 == 0 { await group.evict(id) } else { await group.end(id, drain: .finishEffects) }
        }
        let places = (0..<64).map { group.tables[$0].stores.capacity }
        #expect(group.count == 0 && places.allSatisfy { $0 <= 16 })
    }
}
