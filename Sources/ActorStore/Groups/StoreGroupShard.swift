/// Some of the stores of a group, under a lock of their own, so that those who look for others do not wait for it.
///
/// A shard lies at one address for as long as its group lives.
@usableFromInline
struct StoreGroupShard<ID: Hashable & Sendable, State: Sendable, Action: Sendable>: ~Copyable {
    @usableFromInline typealias Entry = StoreGroupEntry<ID, State, Action>

    @usableFromInline let lock = Lock()

    // MARK: Under the lock

    @usableFromInline var table = HashedEntries<Entry>()
    /// Grows with each store that comes or goes.
    var version: UInt64 = 0
    /// Grows with each store that goes.
    var departures: UInt64 = 0
    var created = 0
    var evicted = 0
    /// Tells checks whether anything is to be left as it was.
    var lastTicket: UInt32 = 0
    var isClosed = false

    private let padding = CacheLinePadding()

    @usableFromInline
    init() {}
}

/// A store of a group, with what the group knows of it.
@usableFromInline
struct StoreGroupEntry<ID: Hashable & Sendable, State: Sendable, Action: Sendable>: Sendable {
    @usableFromInline let id: ID
    /// The group's only reference: that it is the only one at all says that nobody uses the store.
    @usableFromInline var store: Store<State, Action>
    /// Those who observe it on behalf of an observation of the group.
    var members: [StoreGroupMember] = []
    /// The store's revision when it was looked at last.
    var revision: UInt64 = 0
    /// The number of the eviction that is on its way.
    var ticket: UInt32 = 0
    /// Whether somebody asked for it since it was looked at last.
    @usableFromInline var isUsed = true

    init(id: ID, store: Store<State, Action>) {
        self.id = id
        self.store = store
    }
}

extension HashedEntries {
    /// The place of the entry with this hash value of which a condition holds, which must call no code of users'.
    func index<ID, State, Action>(
        of hash: Int,
        where condition: (Entry) -> Bool
    ) -> Int? where Entry == StoreGroupEntry<ID, State, Action> {
        var index = firstIndex(of: hash)
        while let found = index {
            if let entry = entries[found], condition(entry) { return found }
            index = self.index(of: hash, after: found)
        }
        return nil
    }
}
