/// A handle to a store that does not retain it.
///
/// Use it in objects that the store itself retains, directly or indirectly, such as an interceptor, a dependency, or a
/// client used by an effect. After the store has been shut down or its last reference has been released, everything
/// sent through the handle is refused.
///
/// The handle is a small value; copies refer to the same store. A handle to a child or a scope stays valid while that
/// child or scope, or a store below it, is in use.
public struct WeakStore<State: Sendable, Action: Sendable>: Sendable {
    /// The core of the store, if it is a root.
    private(set) weak var core: StoreCore<State, Action>?
    /// The node of the store, if it is a child or a scope.
    private(set) weak var scopeNode: ScopeNode<State, Action>?

    init(core: StoreCore<State, Action>) {
        self.core = core
        scopeNode = nil
    }

    @usableFromInline
    init(scopeNode: ScopeNode<State, Action>) {
        core = nil
        self.scopeNode = scopeNode.original
    }

    /// The root that all stores of the tree share.
    var root: TreeRoot? { core ?? scopeNode?.root }

    /// Whether the store accepts actions: it has not been released or shut down, and no shutdown has begun.
    ///
    /// The value may be outdated as soon as you read it. To learn whether an action was accepted, use the result of
    /// ``send(_:)``.
    public var isAlive: Bool {
        if let core { return !core.isClosed }
        return scopeNode.map { !$0.root.isClosed && !$0.node.isRefusing && !$0.isRefusing } ?? false
    }

    /// The current state, taken between two actions, or `nil` once the store and all its scopes and children have been
    /// released.
    ///
    /// See ``Store/snapshot`` for what it waits for and where it traps.
    ///
    /// - Complexity: That of copying a `State`.
    public var snapshot: State? { core?.snapshot() ?? scopeNode?.snapshot() }

    /// The state after everything that was sent before, or `nil` once the store and all its scopes and children have
    /// been released.
    ///
    /// See ``Store/state`` for how long it can wait.
    ///
    /// - Complexity: That of copying a `State`.
    @inlinable @inline(__always) public nonisolated(nonsending) var state: State? {
        get async { await settledState() }
    }

    @usableFromInline
    func settledState(isolation: isolated (any Actor)? = #isolation) async -> State? {
        if let core { return await core.settledState() }
        return await scopeNode?.settledState()
    }

    /// Sends an action without waiting; see ``Store/send(_:)-(Action)``.
    ///
    /// - Parameter action: The action to reduce.
    /// - Returns: Whether the action was accepted, dropped or refused. Once the store has been released, it is
    ///   ``SendOutcome/refused(_:)`` with ``StoreError/shutDown``.
    @discardableResult
    public func send(_ action: Action) -> SendOutcome {
        if let core { return core.send(action) }
        guard let scopeNode else { return .refused(.shutDown) }
        // Retained during the call, so that the child does not end for lack of references.
        return withExtendedLifetime(scopeNode) { scopeNode.actions.send(action) }
    }

    /// Sends actions that are reduced as one turn; see ``Store/send(contentsOf:)``.
    ///
    /// - Parameter actions: The actions to reduce, in order.
    /// - Returns: Whether the actions were accepted, dropped or refused as a whole. Once the store has been released,
    ///   it is ``SendOutcome/refused(_:)`` with ``StoreError/shutDown``.
    /// - Complexity: O(*n*), where *n* is the number of actions.
    @discardableResult
    public func send(contentsOf actions: some Sequence<Action>) -> SendOutcome {
        if let core { return core.send(contentsOf: actions) }
        guard let scopeNode else { return .refused(.shutDown) }
        return withExtendedLifetime(scopeNode) { scopeNode.actions.send(batch: Array(actions)) }
    }

    /// Dispatches an action and returns once it has been reduced; see ``Store/dispatch(_:)-(Action)``.
    ///
    /// - Parameters:
    ///   - action: The action to reduce.
    ///   - isolation: The actor on which this runs; by default the caller's.
    /// - Returns: The effects that the action started. You can await or cancel them.
    /// - Throws: What ``Store/dispatch(_:)-(Action)`` throws; ``StoreError/shutDown`` once the store has been released.
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
