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
        if root.lifecycle.isEnded { return .failure(.shutDown) }
        switch self {
        case .root(let core):
            let result = core.telling(action, to: core.configuration.name) { core.travel(action) {} }
            defer { core.forgetToldAction() }
            let launch = core.finishTurn(of: nil)
            return result.map { launch }
        case .view(let door):
            if door.node?.isEnded == true { return .failure(.shutDown) }
            let result = door.root.telling(action, to: door.name) { door.actions.travel(action) {} }
            defer { door.root.forgetToldAction() }
            let launch = root.finishTurn(of: door.node)
            return result.map { launch }
        }
    }
}
