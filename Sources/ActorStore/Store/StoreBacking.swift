/// What is behind a store.
@usableFromInline
enum StoreBacking<State: Sendable, Action: Sendable>: Sendable {
    /// The root of a tree. A case of its own, because it is the one that must be fast.
    case root(StoreCore<State, Action>)
    /// A child, or a scope of another store.
    case view(ScopeNode<State, Action>)
}

extension StoreBacking {
    /// A copy of the state between two turns.
    @inlinable
    func snapshot() -> State {
        switch self {
        case .root(let core): core.snapshot()
        case .view(let scopeNode): scopeNode.snapshot()
        }
    }

    /// A copy of the state after everything that was accepted before.
    @inlinable
    @inline(__always)
    nonisolated(nonsending) func settledState() async -> State {
        switch self {
        case .root(let core): await core.settledState()
        case .view(let scopeNode): await scopeNode.settledState()
        }
    }

    /// A copy of a part of the state between two turns. A stored part is copied alone, whatever lies around it.
    @inlinable
    func value<Value>(at keyPath: KeyPath<State, Value>) -> Value {
        switch self {
        case .root(let core):
            guard let part = StoredPart(keyPath) else { return core.snapshot()[keyPath: keyPath] }
            return core.snapshot(of: part)
        case .view(let scopeNode):
            guard let source = scopeNode.source, let part = StoredPart(keyPath) else {
                return scopeNode.snapshot()[keyPath: keyPath]
            }
            return scopeNode.snapshot(of: part, in: source)
        }
    }

    /// The way of actions to the store.
    @inlinable var actions: ActionSink<Action> {
        switch self {
        case .root(let core): ActionSink(core)
        case .view(let scopeNode): scopeNode.actions
        }
    }
}

extension StoreBacking {
    /// The tree that the store is part of.
    @inlinable var root: TreeRoot {
        switch self {
        case .root(let core): core
        case .view(let scopeNode): scopeNode.root
        }
    }

    /// The store with a state of its own that it is, or is a scope of, and that runs its effects.
    @inlinable var node: any StoreNode {
        switch self {
        case .root(let core): core
        case .view(let scopeNode): scopeNode.node
        }
    }

    /// Whether that has gone of which it shows a part.
    var hasLeft: Bool { if case .view(let scopeNode) = self { scopeNode.hasLeft } else { false } }

    /// The dependencies of what belongs to it.
    var dependencies: DependencyContainer? { node.dependencies }

    /// Reduces an action with all that belongs to a turn. In the turn.
    func reduceInTurn(_ action: Action) -> DispatchResult {
        switch self {
        case .root(let core): core.reduceUnlessEnded(action)
        case .view(let scopeNode): scopeNode.reduceInTurn(action)
        }
    }
}

/// A store whose types are not known.
protocol StoreOfTree: AnyObject, Sendable {
    /// What it shares with the other stores of its tree.
    nonisolated var root: TreeRoot { get }
}

extension Store: StoreOfTree {}
