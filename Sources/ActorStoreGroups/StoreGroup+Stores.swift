import ActorStore

extension StoreGroup {
    /// The store of a key. It is created if the key has no store, or if the former one has ended or could not load its
    /// state.
    ///
    /// A store that you hold is not evicted. After the shutdown of the group, the store refuses actions; if the key had
    /// no store, a closed one is created for this call alone.
    ///
    /// - Complexity: O(1) on average, besides the cost of creating a store.
    @inlinable
    public subscript(id: ID) -> Store<State, Action> {
        let hash = HashedEntries<Table.Entry>.hash(of: id)
        return find(id, hash) ?? create(id, hash) ?? makeClosed(id)
    }

    /// Returns the store of a key, if it has one.
    ///
    /// The store may have ended, if the group was shut down, or if its last state is still being handed over.
    ///
    /// This counts as a use of the store, which is then not evicted for another period. If its user has shut it down,
    /// this starts the hand-over of its last state.
    ///
    /// - Returns: The store, or nil if the key has none.
    /// - Complexity: O(1) on average.
    @inlinable
    public func existing(_ id: ID) -> Store<State, Action>? {
        find(id, HashedEntries<Table.Entry>.hash(of: id))
    }

    /// The keys that currently have stores, in no particular order.
    ///
    /// - Complexity: O(*n*), where *n* is the number of stores.
    public var ids: [ID] {
        (0..<Self.tableCount).flatMap { index in
            compactMapStores(inTable: index) { id, _, _ in id }
        }
    }

    /// The current number of stores.
    ///
    /// - Complexity: O(1).
    public var count: Int { statistics.stores }

    /// Current statistics for diagnostics and metrics.
    public var statistics: StoreGroupStatistics {
        var (stores, created, evicted, handOvers) = (0, 0, 0, 0)
        access.withReading {
            handOvers = self.handOvers
            for index in 0..<Self.tableCount {
                stores += tables[index].stores.count
                created += tables[index].created
                evicted += tables[index].evicted
            }
        }
        return StoreGroupStatistics(stores: stores, created: created, evicted: evicted, handOvers: handOvers)
    }
}

/// Statistics of a group of stores at one moment, for diagnostics and metrics.
public struct StoreGroupStatistics: Sendable, Equatable {
    /// The number of stores.
    public let stores: Int
    /// The number of stores created since the group was created.
    public let created: Int
    /// The number of stores evicted because they were not in use. Stores that had ended before are not included.
    public let evicted: Int
    /// The number of stores whose states are being handed over to the eviction's `onEvict`. If it stays at the limit,
    /// idle stores wait.
    public let handOvers: Int
}

extension StoreGroup {
    @inlinable
    func find(_ id: ID, _ hash: UInt) -> Store<State, Action>? {
        let table = table(of: hash)
        let reading = access.beginReading()
        guard let index = table.pointee.stores.firstIndex(of: hash) else {
            access.endReading(reading)
            return nil
        }
        table.pointee.stores.noteUse(at: index)
        let (candidate, store) = (table.pointee.stores.entries[index].id, table.pointee.stores.entries[index].store)
        access.endReading(reading)
        // The user's comparison runs outside the lock.
        guard candidate == id else { return findUsable(id, hash) }
        return store.isOver ? replace(store, hash) : store
    }

    /// Finds the store among several entries of one hash value.
    @usableFromInline
    func findUsable(_ id: ID, _ hash: UInt) -> Store<State, Action>? {
        guard let store = findAmongAll(id, hash) else { return nil }
        return store.isOver ? replace(store, hash) : store
    }

    /// Finds the store of a key among several entries of one hash value, even if it has ended.
    func findAmongAll(_ id: ID, _ hash: UInt) -> Store<State, Action>? {
        candidates(of: hash).entries.first { $0.id == id }?.store
    }

    /// Returns the entries of one hash value, the number of insertions and removals in their table, the number of
    /// removals that matter to the creator of a store, and whether the group is closed.
    private func candidates(
        of hash: UInt
    ) -> (entries: [Table.Entry], version: UInt64, departures: UInt64, isClosed: Bool) {
        let table = table(of: hash)
        return access.withReading {
            var found: [Table.Entry] = []
            table.pointee.stores.forEachIndex(of: hash) { place in
                table.pointee.stores.noteUse(at: place)
                found.append(table.pointee.stores.entries[place])
            }
            return (found, table.pointee.version, table.pointee.departures(of: hash), isClosed)
        }
    }

    /// Creates the store of a key, unless another thread does so meanwhile; returns nil if the group is closed.
    @usableFromInline
    func create(_ id: ID, _ hash: UInt) -> Store<State, Action>? {
        var made: (store: Store<State, Action>, departures: UInt64)?
        var isNoted = false
        defer {
            if isNoted { access.withWriting { table(of: hash).pointee.removeMaker(of: hash) } }
        }
        while true {
            let (entries, version, departures, isClosed) = candidates(of: hash)
            if let entry = entries.first(where: { $0.id == id }) {
                guard entry.store.isOver else { return entry.store }
                if let store = replace(entry.store, hash) { return store }
                continue
            }
            // Checked first, because the actions of a new store, such as effects, cannot be undone.
            if isClosed { return nil }
            // If another store of the key was removed meanwhile, this one may have been created from an older state.
            guard let store = made?.store, made?.departures == departures else {
                // The first time, removals of other keys in the table count as well, because registering a creator has
                // a cost. A store that is slow to create could then be created again and again because of other keys.
                if made != nil && !isNoted {
                    made = nil
                    isNoted = true
                    access.withWriting { table(of: hash).pointee.addMaker(of: hash) }
                    continue
                }
                made = (makeRoot(id), departures)
                continue
            }
            switch insert(store, id, hash, ifStill: version) {
            case .inserted:
                follow(store, id, hash)
                return store
            case .outdated:
                continue
            case .closed:
                return nil
            }
        }
    }

    /// Creates a store that refuses actions.
    @usableFromInline
    func makeClosed(_ id: ID) -> Store<State, Action> {
        let store = makeRoot(id)
        store.close()
        return store
    }

    private func makeRoot(_ id: ID) -> Store<State, Action> {
        let store = DependencyOverrides.$current.withValue(dependencies) { make(id) }
        guard store.isRoot else {
            let key = ValueDescription.text(of: id)
            fatalError("A StoreGroup got a child or a scope for the key \(key). Return a new root store for each key.")
        }
        return store
    }

    private enum Insertion {
        case inserted
        /// Stores were added or removed meanwhile.
        case outdated
        case closed
    }

    private func insert(
        _ store: Store<State, Action>,
        _ id: ID,
        _ hash: UInt,
        ifStill version: UInt64
    ) -> Insertion {
        let table = table(of: hash)
        return access.withWriting {
            guard !isClosed else { return .closed }
            guard table.pointee.version == version else { return .outdated }
            table.pointee.insert(Table.Entry(id: id, store: store), hash)
            return .inserted
        }
    }
}
