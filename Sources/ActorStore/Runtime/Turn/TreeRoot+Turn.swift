// The turn of an action, of whatever store of the tree and however it came: by `send` or `dispatch`, in a batch, from an effect.
// A plain `send` or `dispatch` to a root without observers, interceptors and instruments is the reducer alone, and does not
// come here; see `StoreCore.reducePlainly(_:)`.

extension TreeRoot {
    /// Does something in a turn that the caller has taken from the idle gate, and passes the turn on.
    @inlinable
    @inline(__always)
    final func inTakenTurn<Result>(_ body: () -> Result) -> Result {
        progress.insert(.writing)
        return inCleanContext {
            defer { leaveTurn() }
            return body()
        }
    }

    /// Reduces an action with all that belongs to a turn: interceptors, reducers on the way up, observers, and then its effects
    /// are taken on. The caller owns the turn; it does not matter whether it writes, and it no longer does afterwards.
    ///
    /// - Parameters:
    ///   - node: The store that the action came to.
    ///   - name: Its name, for instruments.
    ///   - travel: Reduces the action there, and on the way up.
    /// - Returns: The effects that are to be started, or why the action was not reduced.
    @inlinable
    @inline(__always)
    final func reduceInTurn(
        _ action: some Sendable,
        of node: TreeNode,
        named name: @autoclosure () -> String,
        _ travel: () -> Result<Void, StoreError>
    ) -> DispatchResult {
        // Asked once, so that it costs little where there are none.
        guard !extras.contains(.instruments) else {
            return reduceInTurnAndTell(action, of: node, named: name(), travel)
        }
        let result = travel()
        finishTurn(of: node)
        return outcome(result, of: action, at: node)
    }

    /// The same in a tree with instruments.
    @inlinable
    @inline(never)
    final func reduceInTurnAndTell(
        _ action: some Sendable,
        of node: TreeNode,
        named name: String,
        _ travel: () -> Result<Void, StoreError>
    ) -> DispatchResult {
        defer { forgetToldAction() }
        let result = telling(action, to: name, travel)
        finishTurn(of: node)
        return outcome(result, of: action, at: node)
    }

    @inlinable
    @inline(__always)
    final func outcome(
        _ result: Result<Void, StoreError>,
        of action: some Sendable,
        at node: TreeNode
    ) -> DispatchResult {
        if case .failure(let error) = result { return .failure(error) }
        return .success(
            progress.contains(.newEffects) ? takeOnEffects(at: node, of: 1) { _ in action } : EffectLaunch()
        )
    }

    /// The same for actions that are one turn, with one notification, and that nobody awaits.
    @inlinable
    final func reduceInTurn<Action: Sendable>(
        batch actions: [Action],
        of node: TreeNode,
        named name: @autoclosure () -> String,
        _ travel: (Action) -> Result<Void, StoreError>
    ) -> EffectLaunch {
        defer { forgetToldAction() }
        beginWriting()
        progress.insert(.batch)
        for action in actions {
            _ = telling(action, to: name()) { travel(action) }
            placeInBatch += 1
        }
        placeInBatch = 0
        progress.remove(.batch)
        finishTurn(of: node)
        return progress.contains(.newEffects)
            ? takeOnEffects(at: node, of: actions.count) { actions[$0] } : EffectLaunch()
    }

    /// Tells all of what has changed, when all actions of a turn have been reduced.
    ///
    /// - Parameter node: The store to which they were given.
    @usableFromInline
    final func finishTurn(of node: TreeNode) {
        endWriting()
        if extras.containsAny(of: .fullTurn) || observedNodes > 0 {
            if extras.contains(.instruments) { notifyAllAndTell(on: node) } else { notifyAll(on: node) }
        } else if progress.contains(.changedElement) {
            renewMemories()
        }
    }

    /// Takes on the effects of the turn's actions, of the store to which they were given first.
    ///
    /// - Parameters:
    ///   - node: That store.
    ///   - count: How many actions the turn has. The effects of one are awaited together.
    ///   - action: Each of them, as it was given to the store, by its place.
    @usableFromInline
    final func takeOnEffects(
        at node: TreeNode,
        of count: Int,
        _ action: (_ place: Int) -> any Sendable
    ) -> EffectLaunch {
        progress.remove(.newEffects)
        var launch = EffectLaunch()
        node.withPath { $0.takeOnEffects(into: &launch, of: count, action) }
        return launch
    }

    @inline(never)
    private func notifyAllAndTell(on node: TreeNode) {
        tellingOfNotification { notifyAll(on: node) }
    }

    @inline(__always)
    private func notifyAll(on node: TreeNode) {
        if progress.contains(.changedElement) { renewMemories() }
        notifyWatchers(stateAddress)
        node.withPath { if !$0.isRoot && !$0.filters.isEmpty { $0.notifyWatchers($0.stateAddress) } }
        if extras.contains(.derivedStates) { notifyDerived() }
        if extras.contains(.actionObservers) { publishActions() }
        node.withPath { if !$0.isRoot { $0.publishActions() } }
        if progress.contains(.endings) { endWhatHasGone() }
        if progress.contains(.drivenEffects) { startDrivenEffects() }
    }
}

extension StoreNode {
    /// Takes on effects that the reducer has asked for in this turn; see ``TreeRoot/takeOnEffects(at:of:_:)``.
    func takeOn(
        _ effects: inout [(effect: Effect<Action>, placeInBatch: UInt32)],
        into launch: inout EffectLaunch,
        of count: Int,
        _ action: (_ place: Int) -> any Sendable
    ) {
        if effects.isEmpty { return }
        let panel = root.extras.contains(.instruments) ? root.instrumentPanel.load() : nil
        // One by one: what an effect cancels at its end may be the effect of a later action.
        for (effect, place) in effects {
            panel?.laterActions = UInt64(count - 1 - Int(place))
            let own = takeOn(effect, joining: count == 1 ? launch.tracker : nil)
            own.tracker?.note(action(Int(place)))
            launch.add(own)
        }
        panel?.laterActions = 0
        // The memory for one is kept, so that an action with an effect need not allocate it.
        effects.removeAll(keepingCapacity: effects.count == 1)
    }
}
