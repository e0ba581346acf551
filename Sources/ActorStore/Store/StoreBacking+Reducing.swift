extension StoreBacking {
    /// The tree that the store is part of.
    var root: TreeRoot {
        switch self {
        case .root(let core): core
        case .view(let door): door.root
        }
    }

    /// Reduces an action with all that belongs to a turn. In the turn.
    func reduceInTurn(_ action: Action) -> TravelResult {
        if root.lifecycle.isEnded { return .failure(.shutDown) }
        switch self {
        case .root(let core):
            let result = core.telling(action, to: core.configuration.name) { core.travel(action) {} }
            defer { core.forgetToldAction() }
            let launch = core.finishTurn()
            return result.map { launch }
        case .view(let door):
            if door.node?.isEnded == true { return .failure(.shutDown) }
            let result = door.root.telling(action, to: door.name) { door.actions.travel(action) {} }
            defer { door.root.forgetToldAction() }
            let launch = door.node?.finishTurn() ?? root.finishTurn()
            return result.map { launch }
        }
    }
}

extension TreeRoot {
    /// The end of a turn in which an action was reduced by the root store alone: everybody is told, and the effects are
    /// taken on.
    fileprivate final func finishTurn() -> TravelLaunch {
        endWriting()
        tellingOfNotification {
            notifyOwn()
            notifyDerived()
            publishActions()
            if hasDrivenEffects { startDrivenEffects() }
        }
        var launch = TravelLaunch()
        takeTravelEffect(&launch)
        forgetTravelAction()
        return launch
    }
}
