import ActorStore

extension StoreGroup {
    /// Accepts an action for the store of a key, which is made if there is none, without waiting; see
    /// `Store.send(_:)`.
    ///
    /// - Returns: what became of it.
    /// - Complexity: O(1) on average, besides what it takes to make a store, and to reduce the action.
    @inlinable
    @discardableResult
    public func send(_ action: Action, to id: ID) -> SendOutcome {
        let hash = HashedEntries<Table.Entry>.hash(of: id)
        guard let store = find(id, hash) ?? create(id, hash) else { return .refused(.shutDown) }
        return store.send(action)
    }

    /// Accepts actions for the store of a key as one turn; see `Store.send(contentsOf:)`.
    ///
    /// - Returns: what became of them.
    @inlinable
    @discardableResult
    public func send(contentsOf actions: some Sequence<Action>, to id: ID) -> SendOutcome {
        let hash = HashedEntries<Table.Entry>.hash(of: id)
        guard let store = find(id, hash) ?? create(id, hash) else { return .refused(.shutDown) }
        return store.send(contentsOf: actions)
    }

    /// Reduces an action in the store of a key, which is made if there is none, and returns when that is done and
    /// visible to every reader; see `Store.dispatch(_:)`.
    ///
    /// - Returns: the effects that the action started.
    /// - Throws: a `StoreError` if the action was not reduced.
    @inlinable
    @inline(__always)
    @discardableResult
    public nonisolated(nonsending) func dispatch(_ action: Action, to id: ID) async throws(StoreError) -> StoreTask {
        let hash = HashedEntries<Table.Entry>.hash(of: id)
        guard let store = find(id, hash) ?? create(id, hash) else { throw .shutDown }
        return try await store.dispatch(action)
    }
}
