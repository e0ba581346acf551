import ActorStore

extension StoreGroup {
    /// The store of a key, which is made if there is none, or if the one that there was has ended or could not load its
    /// state.
    ///
    /// As long as it is held it is not let go. After the shutdown of the group it is one that refuses actions; if there
    /// was none it is made for you alone, and closed at once.
    ///
    /// - Complexity: O(1) on average, besides what it takes to make a store.
    @inlinable
    public subscript(id: ID) -> Store<State, Action> {
        let hash = HashedEntries<Table.Entry>.hash(of: id)
        return find(id, hash) ?? create(id, hash) ?? makeClosed(id)
    }

    /// The store of a key, if there is one. It can be one that has ended, as long as its last state is being handed
    /// over.
    ///
    /// - Complexity: O(1) on average.
    @inlinable
    public func existing(_ id: ID) -> Store<State, Action>? {
        find(id, HashedEntries<Table.Entry>.hash(of: id))
    }

    /// The keys that have stores at this moment, in no particular order.
    ///
    /// - Complexity: O(*n*), where *n* is the number of stores.
    public var ids: [ID] {
        (0..<Self.tableCount).flatMap { index in
            compactMapStores(inTable: index) { id, _, _ in id }
        }
    }

    /// How many stores there are at this moment.
    ///
    /// - Complexity: O(1).
    public var count: Int { statistics.stores }

    /// Figures for diagnostics and metrics, as they are at this moment.
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

/// Figures about a group of stores at one moment, for diagnostics and metrics.
public struct StoreGroupStatistics: Sendable, Equatable {
    /// Stores that there are.
    public let stores: Int
    /// Stores that were made since the group began.
    public let created: Int
    /// Stores that were let go because nobody used them. One that had ended before is not among them.
    public let evicted: Int
    /// Stores whose states are being handed over to the eviction's `onEvict`. If it stays at the limit, idle stores
    /// wait for that.
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
        // What users compare is compared outside the lock.
        guard candidate == id else { return findUsable(id, hash) }
        return store.isOver ? replace(store, hash) : store
    }

    /// The same among several entries of one hash value.
    @usableFromInline
    func findUsable(_ id: ID, _ hash: UInt) -> Store<State, Action>? {
        guard let store = findAmongAll(id, hash) else { return nil }
        return store.isOver ? replace(store, hash) : store
    }

    /// The store of a key among several entries of one hash value, also one that is over.
    func findAmongAll(_ id: ID, _ hash: UInt) -> Store<State, Action>? {
        candidates(of: hash).entries.first { $0.id == id }?.store
    }

    /// The entries of one hash value, how often stores of their table have come or gone, how often those have gone that
    /// matter to one who makes one, and whether no more are made.
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

    /// Makes the store of a key, unless somebody else does so meanwhile; nil if the group has been closed.
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
            // Looked at first: what a store does that is only just being made, such as effects, cannot be undone.
            if isClosed { return nil }
            // One that was made before another one of the key went is made of a state from before that.
            guard let store = made?.store, made?.departures == departures else {
                // The first time others of the table count as well, because a note costs something. One that takes long
                // to make would be made again and again for their sake.
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

    /// Makes a store that refuses actions.
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
        /// Others have come or gone meanwhile.
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
