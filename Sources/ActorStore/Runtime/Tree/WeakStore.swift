/// A handle to a store that does not keep it alive.
///
/// For whoever the store keeps alive itself, directly or not: an interceptor, a dependency, an effect's client. Once
/// the store has been shut down, or its last reference is gone, what is sent is refused.
///
/// It is a small value; copies are the same handle. That of a child or a scope lasts as long as somebody uses it, or a
/// store below it.
public struct WeakStore<State: Sendable, Action: Sendable>: Sendable {
    /// What is behind the store, if it is a root.
    weak let core: StoreCore<State, Action>?
    /// What is behind it otherwise.
    weak let scopeNode: ScopeNode<State, Action>?

    init(core: StoreCore<State, Action>) {
        self.core = core
        scopeNode = nil
    }

    @usableFromInline
    init(scopeNode: ScopeNode<State, Action>) {
        core = nil
        self.scopeNode = scopeNode.original
    }

    /// What the stores of its tree share.
    var root: TreeRoot? { core ?? scopeNode?.root }

    /// Whether the store accepts actions: it has neither been released nor shut down, nor has a shutdown begun. That
    /// may change before the next line is reached; ``send(_:)`` says what became of an action.
    public var isAlive: Bool {
        if let core { return !core.isClosed }
        return scopeNode.map { !$0.root.isClosed && !$0.node.isRefusing && !$0.isRefusing } ?? false
    }

    /// The state at this moment, or nil once the store and all its scopes and children are gone; otherwise like
    /// ``Store/snapshot``.
    public var snapshot: State? { core?.snapshot() ?? scopeNode?.snapshot() }

    /// The state after everything that was sent before, or nil once the store and all its scopes and children are gone;
    /// otherwise like ``Store/state``.
    @inlinable @inline(__always) public nonisolated(nonsending) var state: State? {
        get async { await settledState() }
    }

    @usableFromInline
    func settledState(isolation: isolated (any Actor)? = #isolation) async -> State? {
        if let core { return await core.settledState() }
        return await scopeNode?.settledState()
    }

    /// Sends an action, as ``Store/send(_:)-(Action)`` does.
    ///
    /// - Returns: what became of it; once the store is gone, ``SendOutcome/refused(_:)`` with ``StoreError/shutDown``.
    @discardableResult
    public func send(_ action: Action) -> SendOutcome {
        if let core { return core.send(action) }
        guard let scopeNode else { return .refused(.shutDown) }
        // As long as the child is sent to it must not end for want of users.
        return withExtendedLifetime(scopeNode) { scopeNode.actions.send(action) }
    }

    /// Sends actions as one turn, as ``Store/send(contentsOf:)`` does.
    ///
    /// - Returns: what became of them; once the store is gone, ``SendOutcome/refused(_:)`` with
    ///   ``StoreError/shutDown``.
    @discardableResult
    public func send(contentsOf actions: some Sequence<Action>) -> SendOutcome {
        if let core { return core.send(contentsOf: actions) }
        guard let scopeNode else { return .refused(.shutDown) }
        return withExtendedLifetime(scopeNode) { scopeNode.actions.send(batch: Array(actions)) }
    }

    /// Has an action reduced, as ``Store/dispatch(_:)-(Action)`` does.
    ///
    /// - Returns: the effects that the action started, to be awaited or cancelled.
    /// - Throws: what ``Store/dispatch(_:)-(Action)`` throws; once the store is gone, ``StoreError/shutDown``.
    @discardableResult
    public func dispatch(_ action: Action, isolation: isolated (any Actor)? = #isolation) async throws(StoreError)
        -> StoreTask
    {
        if let core { return try await core.dispatch(action) }
        guard let scopeNode else { throw .shutDown }
        defer { withExtendedLifetime(scopeNode) {} }
        return try await scopeNode.actions.dispatch(action)
    }
}
