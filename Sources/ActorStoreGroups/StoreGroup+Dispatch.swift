import ActorStore

extension StoreGroup {
    /// Sends an action to the store of a key without waiting, and creates the store if necessary; see `Store.send(_:)`.
    ///
    /// - Returns: Whether the action was accepted, dropped or refused.
    /// - Complexity: O(1) on average, besides the cost of creating the store, and of reducing the action.
    @inlinable
    @discardableResult
    public func send(_ action: Action, to id: ID) -> SendOutcome {
        let hash = HashedEntries<Table.Entry>.hash(of: id)
        guard let store = find(id, hash) ?? create(id, hash) else { return .refused(.shutDown) }
        return store.send(action)
    }

    /// Sends actions to the store of a key as one turn, and creates the store if necessary; see
    /// `Store.send(contentsOf:)`.
    ///
    /// - Returns: Whether the actions were accepted, dropped or refused.
    /// - Complexity: O(1) on average, besides the cost of creating the store, and of reducing the actions.
    @inlinable
    @discardableResult
    public func send(contentsOf actions: some Sequence<Action>, to id: ID) -> SendOutcome {
        let hash = HashedEntries<Table.Entry>.hash(of: id)
        guard let store = find(id, hash) ?? create(id, hash) else { return .refused(.shutDown) }
        return store.send(contentsOf: actions)
    }

    /// Dispatches an action to the store of a key, creating the store if necessary, and returns when the action has
    /// been reduced and the change is visible to every reader; see `Store.dispatch(_:)`.
    ///
    /// - Returns: A `StoreTask` of the effects that the action started.
    /// - Throws: A `StoreError` if the action was not reduced.
    /// - Complexity: O(1) on average, besides the cost of creating the store, and of reducing the action.
    @inlinable
    @inline(__always)
    @discardableResult
    public nonisolated(nonsending) func dispatch(_ action: Action, to id: ID) async throws(StoreError) -> StoreTask {
        let hash = HashedEntries<Table.Entry>.hash(of: id)
        guard let store = find(id, hash) ?? create(id, hash) else { throw .shutDown }
        return try await store.dispatch(action)
    }
}
