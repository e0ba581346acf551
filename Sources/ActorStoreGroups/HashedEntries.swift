import ActorStore
import Synchronization

/// A table of entries that are found by the hash value of their keys. It never calls user code.
///
/// The table never sees a key. The caller hashes a key before a lookup, and compares it with the entries under that
/// hash value afterwards, so that neither happens under the lock that protects the table. Two entries with the same
/// hash value are two entries. (Open addressing with linear probing, and deletion by moving later entries back; Knuth,
/// "The Art of Computer Programming", volume 3, section 6.4, algorithms L and R.)
///
/// Several threads may look entries up concurrently, and mark them as used. All other operations need exclusive access.
///
/// Invariants:
/// - `capacity` is 0, or a power of two of which at most four fifths are occupied.
/// - A word of 0 marks a vacant position; all other positions have an entry.
/// - There is no vacant position between the home position of an entry's hash and the entry's actual position.
@usableFromInline
struct HashedEntries<Entry>: ~Copyable {
    // Pointers, because a lookup through arrays would count references to them. Both point to `capacity` elements, and
    // are freed in `deinit` or when the table is replaced.

    /// The hash values. The lowest bit says whether the entry was used.
    @usableFromInline private(set) var words: UnsafeMutablePointer<AtomicValue<UInt>>
    @usableFromInline private(set) var entries: UnsafeMutablePointer<Entry>
    @usableFromInline private(set) var capacity: Int
    @usableFromInline private(set) var count = 0

    @inlinable static var usedBit: UInt { 1 }

    init(capacity: Int = 0) {
        self.capacity = capacity
        words = .allocate(capacity: capacity)
        entries = .allocate(capacity: capacity)
        for index in 0..<capacity { (words + index).initialize(to: AtomicValue(0)) }
    }

    @inlinable
    deinit {
        for index in 0..<capacity where !isVacant(index) { (entries + index).deinitialize(count: 1) }
        words.deinitialize(count: capacity)
        words.deallocate()
        entries.deallocate()
    }

    /// Returns the hash value under which an entry with this key is stored.
    @inlinable
    static func hash(of key: some Hashable) -> UInt {
        let hash = UInt(bitPattern: key.hashValue) & ~usedBit
        return hash == 0 ? 2 : hash
    }

    // MARK: Looking up

    /// Returns the first position of an entry with this hash value, or nil if there are no such entries.
    @inlinable
    func firstIndex(of hash: UInt) -> Int? {
        count == 0 ? nil : index(of: hash, from: home(of: hash))
    }

    /// Returns the next position of an entry with this hash value, or nil if there are no more.
    @inlinable
    func index(of hash: UInt, after index: Int) -> Int? {
        self.index(of: hash, from: (index &+ 1) & (capacity &- 1))
    }

    @inlinable
    func index(of hash: UInt, from start: Int) -> Int? {
        var index = start
        while true {
            let word = words[index].loadRelaxed()
            if word & ~Self.usedBit == hash { return index }
            if word == 0 { return nil }
            index = (index &+ 1) & (capacity &- 1)
        }
    }

    /// Returns the home position of a hash value. Neither the lowest bit, which is not part of the hash, nor the
    /// highest bits, which select the table, contribute to it.
    @inlinable
    func home(of hash: UInt) -> Int { Int(truncatingIfNeeded: hash &>> 1) & (capacity &- 1) }

    /// Marks an entry as used.
    @inlinable
    func noteUse(at index: Int) {
        // Read first, so that threads that use the same entry do not contend for its cache line.
        guard !isUsed(at: index) else { return }
        words[index].bitwiseOrRelaxed(Self.usedBit)
    }

    /// Returns whether an entry was used since the mark was last cleared.
    @inlinable
    func isUsed(at index: Int) -> Bool { words[index].loadRelaxed() & Self.usedBit != 0 }

    /// Returns the hash value of the entry at a position.
    func hash(at index: Int) -> UInt { words[index].loadRelaxed() & ~Self.usedBit }

    // MARK: Changing

    func setUsed(_ isUsed: Bool, at index: Int) {
        words[index].storeRelaxed(isUsed ? hash(at: index) | Self.usedBit : hash(at: index))
    }

    /// Inserts an entry and marks it as used, even if there are others with the same hash value.
    ///
    /// - Complexity: O(1), amortised.
    mutating func insert(_ entry: consuming Entry, hash: UInt) {
        if 5 * (count + 1) > 4 * capacity { resize(to: max(4, 2 * capacity)) }
        let index = vacantIndex(for: hash)
        words[index].storeRelaxed(hash | Self.usedBit)
        (entries + index).initialize(to: entry)
        count += 1
    }

    /// Removes and returns the entry at a position. Other entries may move.
    ///
    /// - Complexity: O(1) on average.
    mutating func remove(at index: Int) -> Entry {
        let removed = (entries + index).move()
        var (hole, next) = (index, (index + 1) & (capacity - 1))
        while !isVacant(next) {
            // An entry must not move to a position before the home position of its hash.
            let home = home(of: words[next].loadRelaxed())
            if (next - home) & (capacity - 1) >= (next - hole) & (capacity - 1) {
                words[hole].storeRelaxed(words[next].loadRelaxed())
                (entries + hole).moveInitialize(from: entries + next, count: 1)
                hole = next
            }
            next = (next + 1) & (capacity - 1)
        }
        words[hole].storeRelaxed(0)
        count -= 1
        return removed
    }

    /// Frees memory if few of many entries are left.
    ///
    /// - Complexity: O(*n*) if it does, where *n* is the capacity.
    mutating func shrink() {
        guard capacity > 16, 8 * count < capacity else { return }
        var fitting = 16
        while 5 * count > 2 * fitting { fitting *= 2 }
        resize(to: fitting)
    }

    /// Calls `body` with the position of each entry. Entries must not move meanwhile.
    func forEachIndex(_ body: (_ index: Int) -> Void) { forEachIndex(in: 0..<capacity, body) }

    /// Calls `body` with the position of each entry in a range, which may exceed the capacity.
    func forEachIndex(in places: Range<Int>, _ body: (_ index: Int) -> Void) {
        for index in places.clamped(to: 0..<capacity) where !isVacant(index) { body(index) }
    }

    /// Calls `body` with the position of each entry with a hash value. Entries must not move meanwhile.
    func forEachIndex(of hash: UInt, _ body: (_ index: Int) -> Void) {
        var index = firstIndex(of: hash)
        while let place = index {
            body(place)
            index = self.index(of: hash, after: place)
        }
    }

    @inlinable
    func isVacant(_ index: Int) -> Bool { words[index].loadRelaxed() == 0 }

    private func vacantIndex(for hash: UInt) -> Int {
        var index = home(of: hash)
        while !isVacant(index) { index = (index + 1) & (capacity - 1) }
        return index
    }

    private mutating func resize(to newCapacity: Int) {
        var larger = HashedEntries(capacity: newCapacity)
        for index in 0..<capacity where !isVacant(index) {
            let word = words[index].loadRelaxed()
            let place = larger.vacantIndex(for: word)
            larger.words[place].storeRelaxed(word)
            (larger.entries + place).moveInitialize(from: entries + index, count: 1)
            words[index].storeRelaxed(0)
        }
        larger.count = count
        self = larger
    }
}
