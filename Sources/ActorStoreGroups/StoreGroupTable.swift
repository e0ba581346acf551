import ActorStore

/// One shard of the stores of a group: many small tables grow without blocking lookups for long.
@usableFromInline
struct StoreGroupTable<ID: Hashable & Sendable, State: Sendable, Action: Sendable>: ~Copyable {
    @usableFromInline typealias Entry = StoreGroupEntry<ID, State, Action>

    @usableFromInline var stores = HashedEntries<Entry>()
    /// Incremented with each insertion and removal.
    var version: UInt64 = 0
    /// Incremented with each removal.
    private var departures: UInt64 = 0
    /// For each hash value for which stores are being created a second time: the number of creators, and their count of
    /// removals.
    private var makers: [UInt: (count: Int, departures: UInt64)] = [:]
    var created = 0
    var evicted = 0
    var lastTicket: UInt32 = 0

    init() {}

    /// Returns the position of the entry with this hash value that satisfies a condition, which must not call user
    /// code.
    func index(of hash: UInt, where condition: (borrowing Entry) -> Bool) -> Int? {
        var index = stores.firstIndex(of: hash)
        while let found = index {
            if condition(stores.entries[found]) { return found }
            index = stores.index(of: hash, after: found)
        }
        return nil
    }

    mutating func insert(_ entry: Entry, _ hash: UInt) {
        version += 1
        created += 1
        stores.insert(entry, hash: hash)
    }

    /// Removes and returns an entry. Other entries may move.
    ///
    /// - Complexity: O(1) on average, because memory is freed only when few of many entries are left.
    mutating func remove(at index: Int) -> Entry {
        version += 1
        departures += 1
        if !makers.isEmpty {
            let hash = stores.hash(at: index)
            makers[hash]?.departures += 1
        }
        let entry = stores.remove(at: index)
        stores.shrink()
        return entry
    }

    /// Returns a count of the removals of this hash value. It also counts other removals, unless a creator is
    /// registered for the hash value.
    func departures(of hash: UInt) -> UInt64 {
        if let maker = makers[hash] { return maker.departures }
        return departures
    }

    /// Registers the creator of a store, for which only removals of this hash value count.
    mutating func addMaker(of hash: UInt) {
        // It starts at the count of all removals, so that it never has a value that was read before, unless nothing was
        // removed since.
        var maker = (count: 0, departures: departures)
        if let known = makers[hash] { maker = known }
        maker.count += 1
        makers[hash] = maker
    }

    mutating func removeMaker(of hash: UInt) {
        makers[hash]?.count -= 1
        if makers[hash]?.count == 0 { makers[hash] = nil }
    }

    /// Returns whether the store was requested, or has reduced an action, since the last scan.
    func wasUsed(at index: Int) -> Bool {
        stores.isUsed(at: index) || stores.entries[index].revision != stores.entries[index].store.revision
    }

    /// Assigns an entry a ticket, with which it is found until it gets another one.
    mutating func giveTicket(at index: Int) -> UInt32 {
        lastTicket &+= 1
        stores.entries[index].ticket = lastTicket
        return lastTicket
    }
}

/// A store of a group, with the group's records about it.
@usableFromInline
struct StoreGroupEntry<ID: Hashable & Sendable, State: Sendable, Action: Sendable>: Sendable {
    @usableFromInline let id: ID
    /// The group's only reference. If it is the only one at all, the store is not in use.
    @usableFromInline var store: Store<State, Action>
    /// The members that observe it for observations of the group, by the numbers of their followers.
    var members: [UInt64: any AnyFollowedPart] = [:]
    /// The store's revision at the last scan.
    var revision: UInt64 = 0
    /// The number of the pending eviction.
    var ticket: UInt32 = 0
    /// Whether the state is being handed over to `onEvict`. Until that has ended, the entry is not removed, unless the
    /// store has ended without a state.
    var isBeingHandedOver = false
    /// Whether the store is being ended by its key, so that its state is no longer handed over.
    var isBeingEnded = false
    /// The number of the last scan that examined the store.
    var look: UInt32 = 0

    init(id: ID, store: Store<State, Action>) {
        self.id = id
        self.store = store
    }
}
