extension StoreGroup {
    /// Ends the life of all stores in order; see ``Store/shutdown(drain:)``.
    ///
    /// From the moment of the call no store is made any more: for keys without one, `send` returns
    /// ``SendOutcome/refused(_:)`` with ``StoreError/shutDown``, and `dispatch` throws that. All stores are shut down
    /// at the same time. When this returns all of them have ended, and so have the observations of the group, after the
    /// newest version. The stores, with their last states, are there until the group is released; they are not evicted.
    public func shutdown(drain: ShutdownDrain) async {
        stopEvicting()
        var stores: [Store<State, Action>] = []
        access.withWriting { isClosed = true }
        for index in 0..<Self.tableCount {
            access.withReading {
                let entries = tables[index].stores.entries
                tables[index].stores.forEachIndex { stores.append(entries[$0].store) }
            }
        }
        await withDiscardingTaskGroup { group in
            for store in stores { group.addTask { await store.shutdown(drain: drain) } }
        }
        let followers = lock.withLock { self.followers }
        for follower in followers { follower.finish() }
    }

    /// Ends the life of one store in order, whoever uses it; see ``Store/shutdown(drain:)``. The next one who asks for the key
    /// gets a new store.
    ///
    /// - Parameters:
    ///   - id: The key.
    ///   - drain: What happens to running effects.
    /// - Returns: the last state, which does not go to `onEvict`; nil if there was no store.
    @discardableResult
    public func end(_ id: ID, drain: ShutdownDrain) async -> State? {
        let hash = HashedEntries<Table.Entry>.hash(of: id)
        guard let store = findAmongAll(id, hash) else { return nil }
        await store.shutdown(drain: drain)
        let table = table(of: hash)
        let removed: Table.Entry? = access.withWriting {
            guard !isClosed, let index = table.pointee.index(of: hash, where: { $0.store === store }) else {
                return nil
            }
            return table.pointee.remove(at: index)
        }
        for member in removed?.members ?? [] { member.leave() }
        return store.snapshot
    }
}
