extension StoreGroup {
    /// Ends the life of all stores in order; see ``Store/shutdown(drain:)``.
    ///
    /// From the moment of the call no store is made any more: for keys without one, `send` returns
    /// ``SendOutcome/refused(_:)`` with ``StoreError/shutDown``, and `dispatch` throws that. All stores are shut down
    /// at the same time. When this returns all of them have ended, and so have the observations of the group, after the
    /// newest version. The stores, with their last states, are there until the group is released; they are not evicted.
    public func shutdown(drain: ShutdownDrain) async {
        let stores = close()
        await withDiscardingTaskGroup { group in
            for (_, store) in stores { group.addTask { await store.shutdown(drain: drain) } }
        }
        finishFollowers()
    }

    /// Ends the life of all stores in order, within a time; see ``Store/shutdown(drain:within:reserving:clock:)``, and
    /// otherwise ``shutdown(drain:)``.
    ///
    /// ```swift
    /// for (room, report) in await rooms.shutdown(drain: .finishEffects, within: .seconds(25)) {
    ///     logger.error("\(room): \(report)")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - drain: What happens to running effects first.
    ///   - limit: How much time there is in all; it is the same for each store, because all are shut down at the same time.
    ///   - reserve: How much of it is left to effects that have to be cancelled; a tenth unless something else is said.
    ///   - clock: Measures the time; a test gives one of its own.
    /// - Returns: what is left running, by the keys of the stores of which something is; empty if nothing is.
    @discardableResult
    public func shutdown<C: Clock>(
        drain: ShutdownDrain,
        within limit: Duration,
        reserving reserve: Duration? = nil,
        clock: C = ContinuousClock()
    ) async -> [ID: ShutdownReport] where C.Duration == Duration {
        let stores = close()
        let unfinished = await withTaskGroup(of: (ID, ShutdownReport).self) { group in
            for (id, store) in stores {
                group.addTask {
                    (id, await store.shutdown(drain: drain, within: limit, reserving: reserve, clock: clock))
                }
            }
            return await group.reduce(into: [ID: ShutdownReport]()) { reports, ended in
                if !ended.1.isClean { reports[ended.0] = ended.1 }
            }
        }
        finishFollowers()
        return unfinished
    }

    /// Makes no more stores.
    ///
    /// - Returns: those that are there.
    private func close() -> [(ID, Store<State, Action>)] {
        stopEvicting()
        access.withWriting { isClosed = true }
        var stores: [(ID, Store<State, Action>)] = []
        for index in 0..<Self.tableCount {
            access.withReading {
                let entries = tables[index].stores.entries
                tables[index].stores.forEachIndex { stores.append((entries[$0].id, entries[$0].store)) }
            }
        }
        return stores
    }

    private func finishFollowers() {
        let followers = lock.withLock { self.followers }
        for follower in followers { follower.finish() }
    }

    /// Ends the life of one store in order, whoever uses it; see ``Store/shutdown(drain:)``. The next one who asks for the
    /// key gets a new store.
    ///
    /// - Parameters:
    ///   - id: The key.
    ///   - drain: What happens to running effects.
    /// - Returns: the last state, which does not go to `onEvict`; nil if there was no store, or it never had a state because
    ///   that was still being loaded, or could not be.
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
        for member in (removed?.members ?? [:]).values { member.leave() }
        return store.root.hasState ? store.snapshot : nil
    }
}
