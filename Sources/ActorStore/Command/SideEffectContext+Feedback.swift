/// The way of a side effect's actions into the turn: like those of an effect, they count as long as it runs.
extension SideEffectContext {
    private var root: TreeRoot {
        switch backing {
        case .root(let core): core
        case .view(let door): door.root
        }
    }

    /// Sends an action that counts as long as the side effect runs.
    func sendFeedback(_ action: Action) -> SendOutcome {
        guard handle.isRunning else {
            root.lateActions.add(1, ordering: .relaxed)
            return .dropped
        }
        let letter = ForwardedLetter(weight: 1) { [self] in
            if case .success(let launch) = reduce(action) { launch.start(.detached) }
            return nil
        }
        let outcome = root.post(letter, whenClosed: true)
        if !outcome.isAccepted {
            root.inTurn { [root, handle] in root.report(StoreError.overloaded, of: handle) }
        }
        return outcome
    }

    /// Has an action reduced that counts as long as the side effect runs.
    nonisolated(nonsending) func dispatchFeedback(_ action: Action) async throws(StoreError) -> StoreTask {
        guard handle.isRunning else {
            root.lateActions.add(1, ordering: .relaxed)
            throw .cancelled
        }
        let launch = try await root.perform { reduce(action) }.get()
        launch.start(.inheriting)
        return StoreTask(tracker: launch.tracker)
    }

    /// Reduces an action with all that belongs to a turn. In the turn.
    private func reduce(_ action: Action) -> TravelResult {
        if root.isLate(handle) { return .failure(.cancelled) }
        if root.lifecycle.isEnded { return .failure(.shutDown) }
        switch backing {
        case .root(let core):
            let result = core.travel(action) {}
            let launch = core.finishTurn()
            return result.map { launch }
        case .view(let door):
            if door.node?.isEnded == true { return .failure(.shutDown) }
            let result = door.actions.travel(action) {}
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
        notifyOwn()
        notifyDerived()
        publishActions()
        var launch = TravelLaunch()
        takeTravelEffect(&launch)
        return launch
    }
}
