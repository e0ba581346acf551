import ActorStore

/// Some of the stores of a group: many small tables grow without keeping others waiting for long.
@usableFromInline
struct StoreGroupTable<ID: Hashable & Sendable, State: Sendable, Action: Sendable>: ~Copyable {
    @usableFromInline typealias Entry = StoreGroupEntry<ID, State, Action>

    @usableFromInline var stores = HashedEntries<Entry>()
    /// Grows with each store that comes or goes.
    var version: UInt64 = 0
    /// Grows with each store that goes.
    private var departures: UInt64 = 0
    /// For the hash values for which stores are being made a second time: by how many, and what counts the departures
    /// for them.
    private var makers: [UInt: (count: Int, departures: UInt64)] = [:]
    var created = 0
    var evicted = 0
    var lastTicket: UInt32 = 0

    init() {}

    /// The place of the entry with this hash value of which a condition holds, which must call no code of users'.
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

    /// Takes an entry out. The places of others change.
    ///
    /// - Complexity: O(1) on average, because memory is given back when few of many entries are left.
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

    /// Grows with each store of this hash value that goes; and with others, unless somebody makes one and has noted
    /// that.
    func departures(of hash: UInt) -> UInt64 {
        if let maker = makers[hash] { return maker.departures }
        return departures
    }

    /// Notes that somebody makes a store, for whom only those of this hash value count that go.
    mutating func addMaker(of hash: UInt) {
        // It begins where the count of all is, so that it never has a value that a look before this has seen, unless
        // nothing has gone since.
        var maker = (count: 0, departures: departures)
        if let known = makers[hash] { maker = known }
        maker.count += 1
        makers[hash] = maker
    }

    mutating func removeMaker(of hash: UInt) {
        makers[hash]?.count -= 1
        if makers[hash]?.count == 0 { makers[hash] = nil }
    }

    /// Whether the group was asked for a store, or the store has reduced something, since it was looked at last.
    func wasUsed(at index: Int) -> Bool {
        stores.isUsed(at: index) || stores.entries[index].revision != stores.entries[index].store.revision
    }

    /// Gives an entry a ticket, with which it is found again as long as it has got no other one.
    mutating func giveTicket(at index: Int) -> UInt32 {
        lastTicket &+= 1
        stores.entries[index].ticket = lastTicket
        return lastTicket
    }
}

/// A store of a group, with what the group knows of it.
@usableFromInline
struct StoreGroupEntry<ID: Hashable & Sendable, State: Sendable, Action: Sendable>: Sendable {
    @usableFromInline let id: ID
    /// The group's only reference: that it is the only one at all says that nobody uses the store.
    @usableFromInline var store: Store<State, Action>
    /// What observes it on behalf of observations of the group, by the numbers of their followers.
    var members: [UInt64: any AnyFollowedPart] = [:]
    /// The store's revision when it was looked at last.
    var revision: UInt64 = 0
    /// The number of the eviction that is on its way.
    var ticket: UInt32 = 0
    /// Whether the state is being handed over to `onEvict`. As long as it is the entry stays where it is, unless the
    /// store has ended without a state.
    var isBeingHandedOver = false
    /// Whether the store is being ended by its key, so that its state is not handed over any more.
    var isBeingEnded = false
    /// The number of the look at all stores in which this one was seen last.
    var look: UInt32 = 0

    init(id: ID, store: Store<State, Action>) {
        self.id = id
        self.store = store
    }
}
