extension StoreCore {
    /// Begins to observe an entry of a table.
    @usableFromInline
    func subscribe<Table: ObservableTable & Sendable>(
        to entry: ObservedEntry<State, Table>,
        policy: BufferingPolicy,
        at source: SourceLocation,
        makeWatcher: @escaping (TableWatcher<State, Table>) -> Watcher<State>
    ) -> Subscription<Table.Value?> where Table.Key: Sendable, Table.Value: Sendable {
        let key = GroupKey.entry(entry.keyPath, EntryKey(entry.key))
        let group: Broadcast<Table.Value?> = groupTable.join(key, areEqual: ==)
        let slot = makeSlot(of: Table.Value?.self, policy, source)
        submit { core in
            core.suspension = slot.suspension ?? core.suspension
            core.watch(group, entry, makeWatcher)
            group.activate(slot, withNewest: true, revision: core.revision.load(ordering: .relaxed))
        }
        return Subscription(broadcast: group, slot: slot, subject: .shared(key), owner: self)
    }

    /// Has `body` called with the value of an entry, and with each other one after it.
    @usableFromInline
    func observe<Table: ObservableTable & Sendable>(
        _ entry: ObservedEntry<State, Table>,
        at source: SourceLocation,
        makeWatcher: @escaping (TableWatcher<State, Table>) -> Watcher<State>,
        _ body: @escaping @Sendable (Table.Value?) -> Void
    ) -> Observation where Table.Key: Sendable, Table.Value: Sendable {
        let key = GroupKey.entry(entry.keyPath, EntryKey(entry.key))
        let group: Broadcast<Table.Value?> = groupTable.join(key, areEqual: ==)
        let number = groupTable.number(of: source)
        let observer = ClosureObserver(group: group, subject: .shared(key), owner: self, source: number, body)
        submit { core in
            core.watch(group, entry, makeWatcher)
            group.add(observer, revision: core.revision.load(ordering: .relaxed))
        }
        return Observation(of: observer)
    }

    private func watch<Table: ObservableTable & Sendable>(
        _ group: Broadcast<Table.Value?>,
        _ entry: ObservedEntry<State, Table>,
        _ makeWatcher: (TableWatcher<State, Table>) -> Watcher<State>
    ) where Table.Key: Sendable, Table.Value: Sendable {
        guard !group.isWatched else { return }
        group.isWatched = true
        let table = state[keyPath: entry.keyPath]
        group.start(with: table.value(forKey: entry.key))
        guard !lifecycle.isEnded else { return group.finish() }
        if let watcher = tables[entry.keyPath] as? TableWatcher<State, Table> {
            watcher.entries[entry.key] = group
            return
        }
        let watcher = TableWatcher<State, Table>(table)
        watcher.entries[entry.key] = group
        tables[entry.keyPath] = watcher
        watch(makeWatcher(watcher))
    }

    /// Takes note that nobody observes an entry any more.
    func unwatch(_ keyPath: AnyKeyPath, _ key: EntryKey, _ group: AnyObject) {
        guard let watcher = tables[keyPath], watcher.remove(key.value, group) else { return }
        tables[keyPath] = nil
        unwatch(watcher)
    }
}
