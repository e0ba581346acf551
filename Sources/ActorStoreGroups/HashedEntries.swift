import ActorStore
import Synchronization

/// Entries that are found by the hash value of their keys, without calling any code of users'.
///
/// It never sees a key. Whoever looks for one hashes it before, and compares it with those found under that hash value
/// afterwards, so that neither happens under the lock that protects the table. Two entries with the same hash value are
/// two entries. (The table: open addressing with linear probing, and deletion by moving back what comes after; Knuth,
/// "The Art of Computer Programming", volume 3, section 6.4, algorithms L and R.)
///
/// Several threads may look entries up at the same time, and note that they are used. Everything else is for one that
/// has the table to itself.
///
/// Invariants:
/// - `capacity` is 0, or a power of two of which at most four fifths are taken.
/// - Where a word is 0 there is no entry, and everywhere else there is one.
/// - Between the place that an entry's hash asks for and the one where it is there is no vacant one.
@usableFromInline
struct HashedEntries<Entry>: ~Copyable {
    // Pointers, because looking an entry up through arrays would count references to these. Both point to `capacity`
    // elements, and are freed in `deinit` or when the table is replaced.

    /// The hash values, whose lowest bit says whether the entry was used.
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

    /// The hash value by which an entry with this key is found.
    @inlinable
    static func hash(of key: some Hashable) -> UInt {
        let hash = UInt(bitPattern: key.hashValue) & ~usedBit
        return hash == 0 ? 2 : hash
    }

    // MARK: Looking up

    /// The places of entries with this hash value begin here; nil if there are none.
    @inlinable
    func firstIndex(of hash: UInt) -> Int? {
        count == 0 ? nil : index(of: hash, from: home(of: hash))
    }

    /// The next place of an entry with this hash value; nil if there are no more.
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

    /// The place that a hash value asks for. Its lowest bit is no part of it, and its highest ones choose the table.
    @inlinable
    func home(of hash: UInt) -> Int { Int(truncatingIfNeeded: hash &>> 1) & (capacity &- 1) }

    /// Notes that an entry is used.
    @inlinable
    func noteUse(at index: Int) {
        // Looked at first, so that threads that use it at the same time do not take it from each other.
        guard !isUsed(at: index) else { return }
        words[index].bitwiseOrRelaxed(Self.usedBit)
    }

    /// Whether an entry was used since that was last forgotten.
    @inlinable
    func isUsed(at index: Int) -> Bool { words[index].loadRelaxed() & Self.usedBit != 0 }

    /// The hash value of the entry at a place.
    func hash(at index: Int) -> UInt { words[index].loadRelaxed() & ~Self.usedBit }

    // MARK: Changing

    func setUsed(_ isUsed: Bool, at index: Int) {
        words[index].storeRelaxed(isUsed ? hash(at: index) | Self.usedBit : hash(at: index))
    }

    /// Adds an entry, as one that is used, whether there are others with the same hash value or not.
    ///
    /// - Complexity: O(1), amortised.
    mutating func insert(_ entry: consuming Entry, hash: UInt) {
        if 5 * (count + 1) > 4 * capacity { resize(to: max(4, 2 * capacity)) }
        let index = vacantIndex(for: hash)
        words[index].storeRelaxed(hash | Self.usedBit)
        (entries + index).initialize(to: entry)
        count += 1
    }

    /// Takes the entry at a place out; others may change their places.
    ///
    /// - Complexity: O(1) on average.
    mutating func remove(at index: Int) -> Entry {
        let removed = (entries + index).move()
        var (hole, next) = (index, (index + 1) & (capacity - 1))
        while !isVacant(next) {
            // One that lies at, or after, the place that its hash asks for cannot go back beyond that.
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

    /// Gives memory back, if few of many entries are left.
    mutating func shrink() {
        guard capacity > 16, 8 * count < capacity else { return }
        var fitting = 16
        while 5 * count > 2 * fitting { fitting *= 2 }
        resize(to: fitting)
    }

    /// Calls `body` with the place of each entry, which must stay where it is.
    func forEachIndex(_ body: (_ index: Int) -> Void) { forEachIndex(in: 0..<capacity, body) }

    /// The same for those that lie at some of the places, which need not all be there.
    func forEachIndex(in places: Range<Int>, _ body: (_ index: Int) -> Void) {
        for index in places.clamped(to: 0..<capacity) where !isVacant(index) { body(index) }
    }

    /// Calls `body` with the place of each entry with a hash value, which must stay where it is.
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
