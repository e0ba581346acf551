extension StoreBacking {
    /// The tree that the store is part of.
    @inlinable var root: TreeRoot {
        switch self {
        case .root(let core): core
        case .view(let door): door.root
        }
    }

    /// The dependencies of what belongs to it.
    var dependencies: DependencyContainer? {
        switch self {
        case .root(let core): core.dependencies
        case .view(let door): door.dependencies
        }
    }

    /// The store that runs its effects: the nearest one above it, if it is a scope.
    var effectHost: any EffectHost {
        let host: AnyObject =
            switch self {
            case .root(let core): core
            case .view(let door): door.node ?? door.root
            }
        guard let host = host as? any EffectHost else { preconditionFailure("A store of a tree runs effects.") }
        return host
    }

    /// Reduces an action with all that belongs to a turn. In the turn.
    func reduceInTurn(_ action: Action) -> TravelResult {
        switch self {
        case .root(let core): core.reduceInTurn(action)
        case .view(let door): door.reduceInTurn(action)
        }
    }
}

/// A store whose types are not known.
protocol StoreOfTree: AnyObject, Sendable {
    /// What it shares with the other stores of its tree.
    nonisolated var root: TreeRoot { get }
}

extension Store: StoreOfTree {}
