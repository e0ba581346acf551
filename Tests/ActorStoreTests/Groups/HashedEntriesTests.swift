import Testing

@testable import ActorStore

@Suite("The table of a group", .timeLimit(.minutes(1)))
struct HashedEntriesTests {
    private struct Named: Equatable {
        let hash: Int
        let number: Int
    }

    private func entries(_ table: HashedEntries<Named>, of hash: Int) -> [Int] {
        var numbers: [Int] = []
        var index = table.firstIndex(of: hash)
        while let place = index {
            if let entry = table.entries[place] { numbers.append(entry.number) }
            index = table.index(of: hash, after: place)
        }
        return numbers.sorted()
    }

    private func checkInvariants(_ table: HashedEntries<Named>) {
        #expect(table.hashes.count == table.entries.count)
        #expect(4 * table.count <= 3 * table.hashes.count)
        #expect(zip(table.hashes, table.entries).allSatisfy { ($0 == 0) == ($1 == nil) && $0 == $1?.hash ?? 0 })
    }

    /// Two hash values that ask for the same place in a small table, one that asks for the last place, and one for the first.
    private let hashes = [1, 9, 7, 8]

    @Test("After any short sequence of insertions and removals each entry is found under its hash value, and no other")
    func allSequences() {
        let length = 6
        let kinds = 2 * hashes.count
        for sequence in 0..<Int(pow(kinds, length)) {
            var (table, model) = (HashedEntries<Named>(), [Named]())
            var rest = sequence
            for number in 0..<length {
                let (hash, inserts) = (hashes[rest % hashes.count], rest / hashes.count % 2 == 0)
                rest /= kinds
                if inserts {
                    table.insert(Named(hash: hash, number: number), hash: hash)
                    model.append(Named(hash: hash, number: number))
                } else if let index = table.firstIndex(of: hash), let removed = table.remove(at: index) {
                    guard let place = model.firstIndex(of: removed) else { return #expect(Bool(false)) }
                    model.remove(at: place)
                }
            }
            guard table.count == model.count,
                hashes.allSatisfy({ hash in
                    entries(table, of: hash) == model.filter { $0.hash == hash }.map(\.number).sorted()
                })
            else {
                Issue.record("Sequence \(sequence) leaves \(table), and should leave \(model).")
                return
            }
        }
    }

    private func pow(_ base: Int, _ exponent: Int) -> Int { (0..<exponent).reduce(1) { product, _ in product * base } }

    @Test("A large table grows, changes in place, and gives memory back when few entries are left")
    func large() {
        var table = HashedEntries<Named>()
        #expect(table.firstIndex(of: 1) == nil)
        for number in 1...10_000 { table.insert(Named(hash: number, number: number), hash: number) }
        checkInvariants(table)
        table.forEach { entry, hash in entry = Named(hash: hash, number: -entry.number) }
        #expect(entries(table, of: 5_000) == [-5_000])
        if let index = table.firstIndex(of: 5_000) {
            #expect(table.update(at: index) { $0.number } == -5_000)
        }
        for number in 1...9_990 {
            if let index = table.firstIndex(of: number) { _ = table.remove(at: index) }
        }
        let capacity = table.hashes.count
        table.shrink()
        #expect(table.hashes.count < capacity / 100)
        #expect(table.count == 10)
        #expect((9_991...10_000).allSatisfy { entries(table, of: $0) == [-$0] })
        checkInvariants(table)
    }

    @Test("No key has the hash value that stands for a vacant place")
    func vacancy() {
        struct Zero: Hashable {
            var hashValue: Int { 0 }
            func hash(into hasher: inout Hasher) {}
        }
        #expect((0..<10_000).allSatisfy { HashedEntries<Int>.hash(of: $0) != HashedEntries<Int>.vacant })
        #expect(HashedEntries<Int>.hash(of: Zero()) != HashedEntries<Int>.vacant)
    }
}
