/// Entries that are found by the hash value of their keys: a plain value, which calls no code of users'.
///
/// It never sees a key. Whoever looks for one hashes it before, and compares it with those found under that hash value
/// afterwards, so that neither happens under the lock that protects the table. Two entries with the same hash value are two
/// entries. (The table: open addressing with linear probing, and deletion by moving back what comes after; Knuth, "The Art
/// of Computer Programming", volume 3, section 6.4, algorithms L and R.)
///
/// Invariants:
/// - `hashes` and `entries` are equally long: 0, or a power of two of which at most three quarters are taken.
/// - Where a hash is `vacant` there is no entry, and nowhere else.
/// - Between the place that an entry's hash asks for and the one where it is there is no vacant one.
@usableFromInline
struct HashedEntries<Entry> {
    @usableFromInline private(set) var hashes: ContiguousArray<Int> = []
    @usableFromInline var entries: ContiguousArray<Entry?> = []
    @usableFromInline private(set) var count = 0

    @inlinable
    init() {}

    @inlinable static var vacant: Int { 0 }

    /// The hash value by which an entry with this key is found.
    @inlinable
    static func hash(of key: some Hashable) -> Int {
        let hash = key.hashValue
        return hash == vacant ? 1 : hash
    }

    /// The places of entries with this hash value begin here; nil if there are none.
    @inlinable
    func firstIndex(of hash: Int) -> Int? {
        count == 0 ? nil : index(of: hash, from: hash & (hashes.count &- 1))
    }

    /// The next place of an entry with this hash value; nil if there are no more.
    @inlinable
    func index(of hash: Int, after index: Int) -> Int? {
        self.index(of: hash, from: (index &+ 1) & (hashes.count &- 1))
    }

    @inlinable
    func index(of hash: Int, from start: Int) -> Int? {
        var index = start
        while true {
            let found = hashes[index]
            if found == hash { return index }
            if found == Self.vacant { return nil }
            index = (index &+ 1) & (hashes.count &- 1)
        }
    }

    /// Adds an entry, whether there are others with the same hash value or not.
    ///
    /// - Complexity: O(1), amortised.
    mutating func insert(_ entry: Entry, hash: Int) {
        if 4 * (count + 1) > 3 * hashes.count { resize(to: max(4, 2 * hashes.count)) }
        place(entry, hash: hash)
        count += 1
    }

    /// Takes the entry at a place out; others may change their places.
    ///
    /// - Complexity: O(1) on average.
    mutating func remove(at index: Int) -> Entry? {
        let removed = entries[index].take()
        let mask = hashes.count - 1
        var (hole, next) = (index, (index + 1) & mask)
        while hashes[next] != Self.vacant {
            // One that lies at, or after, the place that its hash asks for cannot go back beyond that.
            if (next - hashes[next]) & mask >= (next - hole) & mask {
                hashes[hole] = hashes[next]
                entries[hole] = entries[next].take()
                hole = next
            }
            next = (next + 1) & mask
        }
        hashes[hole] = Self.vacant
        count -= 1
        return removed
    }

    /// Gives memory back, if few of many entries are left.
    mutating func shrink() {
        guard hashes.count > 16, 8 * count < hashes.count else { return }
        var capacity = 16
        while 4 * count > 3 * capacity / 2 { capacity *= 2 }
        resize(to: capacity)
    }

    /// Calls `body` with each entry, to look at or to change, and its hash value.
    mutating func forEach(_ body: (_ entry: inout Entry, _ hash: Int) -> Void) {
        for index in hashes.indices where hashes[index] != Self.vacant {
            let hash = hashes[index]
            update(at: index) { entry in body(&entry, hash) }
        }
    }

    /// Calls `body` with the entry at a place, to look at or to change.
    mutating func update<Result>(at index: Int, _ body: (inout Entry) -> Result) -> Result? {
        // Taken out, so that there is but one copy.
        guard var entry = entries[index].take() else { return nil }
        defer { entries[index] = entry }
        return body(&entry)
    }

    private mutating func place(_ entry: Entry, hash: Int) {
        let mask = hashes.count - 1
        var index = hash & mask
        while hashes[index] != Self.vacant { index = (index + 1) & mask }
        hashes[index] = hash
        entries[index] = entry
    }

    private mutating func resize(to capacity: Int) {
        let (oldHashes, oldEntries) = (hashes, entries)
        hashes = ContiguousArray(repeating: Self.vacant, count: capacity)
        entries = ContiguousArray(repeating: nil, count: capacity)
        for (hash, entry) in zip(oldHashes, oldEntries) {
            if let entry { place(entry, hash: hash) }
        }
    }
}
