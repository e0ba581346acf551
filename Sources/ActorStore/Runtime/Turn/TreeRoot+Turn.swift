import Synchronization

// The turn of an action, for any store of the tree and however the action arrived: by `send` or `dispatch`, in a batch,
// or from an effect. A plain `send` or `dispatch` to a root without observers, interceptors and instruments is the
// reducer alone, and does not come here; see `StoreCore.reducePlainly(_:)`.

extension TreeRoot {
    /// Runs `body` in a turn that the caller has taken from the idle gate, and passes the turn on.
    @inlinable
    @inline(__always)
    final func inTakenTurn<Result>(_ body: () -> Result) -> Result {
        progress.insert(.writing)
        return inCleanContext {
            defer { leave() }
            return body()
        }
    }

    /// Runs code of a turn without the effect whose task the calling thread may be running. Which thread has the turn
    /// is not deterministic, so nothing that a reducer or an observer starts may be taken for a part of that effect.
    @inlinable
    @inline(__always)
    final func inCleanContext<Result>(_ body: () -> Result) -> Result {
        effectBodies.loadRelaxed() > 0 && CurrentEffect.isPresent ? CurrentEffect.hidden(during: body) : body()
    }

    /// Passes the turn on, after reading what has arrived in the mailbox. The caller owns the turn.
    @inlinable
    final func leave() {
        endWriting()
        if !endTurnUnlessPending() { drain() }
    }

    /// Passes the turn on, or parks it if an observer suspends the store, unless the mailbox has new messages. Then
    /// performs the deferred work. The caller owns the turn and does not write.
    ///
    /// - Returns: Whether the turn was passed on.
    @inlinable
    @inline(__always)
    final func endTurnUnlessPending() -> Bool {
        hasDeferredWork || extras.contains(.suspension) ? endTurnWithWorkUnlessPending() : gate.endUnlessPending()
    }

    /// Reduces an action in a complete turn: interceptors, reducers on the way up, observers, and then the registration
    /// of its effects. The caller owns the turn, writing or not; afterwards it does not write.
    ///
    /// - Parameters:
    ///   - action: The action, as the store received it.
    ///   - node: The store that received the action.
    ///   - propagate: Reduces the action there and on the way up.
    /// - Returns: The effects that are to be started, or the reason why the action was not reduced.
    @inlinable
    @inline(__always)
    final func reduceInTurn(
        _ action: some Sendable,
        of node: some StoreNode,
        _ propagate: () -> Result<Void, StoreError>
    ) -> DispatchResult {
        // Checked once, so that it costs little without instruments.
        guard !extras.contains(.instruments) else { return reduceInTurnTraced(action, of: node, propagate) }
        let result = propagate()
        finishTurn(of: node)
        return outcome(result, of: action, at: node)
    }

    /// Reduces an action in a complete turn of a tree with instruments.
    @inlinable
    @inline(never)
    final func reduceInTurnTraced(
        _ action: some Sendable,
        of node: some StoreNode,
        _ propagate: () -> Result<Void, StoreError>
    ) -> DispatchResult {
        defer { endTracedAction() }
        let result = tracing(action, to: node.name, propagate)
        finishTurn(of: node)
        return outcome(result, of: action, at: node)
    }

    @inlinable
    @inline(__always)
    final func outcome(
        _ result: Result<Void, StoreError>,
        of action: some Sendable,
        at node: some StoreNode
    ) -> DispatchResult {
        if case .failure(let error) = result { return .failure(error) }
        return .success(
            progress.contains(.newEffects) ? takeOnEffects(at: node, of: 1) { _ in action } : PendingTasks()
        )
    }

    /// Reduces actions that are not awaited as one turn, with one notification. If one of them removes the entry that
    /// the store belongs to, or the element that they are for, those after it are late, as they would be one by one.
    ///
    /// - Complexity: O(*n*) calls of `propagate`, where *n* is the number of actions.
    @inlinable
    final func reduceInTurn<Action: Sendable>(
        batch actions: [Action],
        of node: some StoreNode,
        for element: (any AnyElementStorage)? = nil,
        _ propagate: (Action) -> Result<Void, StoreError>
    ) -> PendingTasks {
        defer { endTracedAction() }
        beginWriting()
        progress.insert(.batch)
        for action in actions {
            _ = tracing(action, to: node.name) { propagate(action) }
            placeInBatch += 1
            if extras.contains(.elementTables), actions.count > 1 {
                checkTables()
                // What was removed is to end; checked first, because it is at hand.
                if progress.contains(.endings), node.hasLeft || element?.hasLeft == true { break }
            }
        }
        let count = Int(placeInBatch)
        placeInBatch = 0
        progress.remove(.batch)
        if count < actions.count { dropLate(actions.count - count) }
        finishTurn(of: node)
        return progress.contains(.newEffects) ? takeOnEffects(at: node, of: count) { actions[$0] } : PendingTasks()
    }

    /// Counts actions that arrived too late.
    @usableFromInline
    @inline(never)
    final func dropLate(_ count: Int) { droppedFeedback.add(count) }

    /// Notifies all observers of what has changed, once all actions of a turn have been reduced.
    ///
    /// - Parameter node: The store that received the actions.
    @usableFromInline
    final func finishTurn(of node: TreeNode) {
        endWriting()
        if extras.containsAny(of: .fullTurn) || observedNodes > 0 {
            if extras.contains(.instruments) { notifyAllTraced(on: node) } else { notifyAll(on: node) }
        } else if progress.contains(.changedElement) {
            renewMemories()
        }
    }

    /// Registers the effects of the turn's actions, those of the store that received the actions first.
    ///
    /// - Parameters:
    ///   - node: The store that received the actions.
    ///   - count: The number of actions in the turn. The effects of one action are awaited together.
    ///   - action: Returns an action by its position, as the store received it.
    @inlinable
    final func takeOnEffects(
        at node: some StoreNode,
        of count: Int,
        _ action: (_ place: Int) -> any Sendable
    ) -> PendingTasks {
        progress.remove(.newEffects)
        var pending = PendingTasks()
        // Separate from the stores above it, because its types are known here.
        node.takeOn(&node.newEffects, into: &pending, of: count, action)
        if node !== self { node.withAncestors { $0.takeOnEffects(into: &pending, of: count, action) } }
        return pending
    }

    @inline(never)
    private func notifyAllTraced(on node: TreeNode) {
        tracingNotification { notifyAll(on: node) }
    }

    @inline(__always)
    private func notifyAll(on node: TreeNode) {
        if progress.contains(.changedElement) { renewMemories() }
        detectChanges(stateAddress)
        let isBelowRoot = node !== self
        if isBelowRoot {
            node.withPath { if !$0.isRoot && !$0.filters.isEmpty { $0.detectChanges($0.stateAddress) } }
        }
        if extras.contains(.derivedStates) { notifyDerived() }
        if extras.contains(.actionObservers) { publishActions() }
        if isBelowRoot { node.withPath { if !$0.isRoot { $0.publishActions() } } }
        if progress.contains(.endings) { endWhatHasGone() }
        if progress.contains(.drivenEffects) { startDrivenEffects() }
    }
}

// MARK: Writing

extension TreeRoot {
    /// Keeps readers out, unless the owner of the turn already does.
    @inlinable
    final func beginWriting() {
        guard !progress.contains(.writing) else { return }
        progress.insert(.writing)
        gate.beginWriting()
    }

    /// Lets readers in, if the owner of the turn keeps them out.
    @inlinable
    final func endWriting() {
        guard progress.contains(.writing) else { return }
        progress.remove(.writing)
        gate.endWriting()
    }

    /// Ends the way up of an action that goes no further than the stores of `below`. Called within the turn.
    @usableFromInline
    final func stop(_ below: () -> Void) -> Result<Void, StoreError> {
        below()
        revision.storeReleasing(revision.loadRelaxed() &+ 1)
        return .success(())
    }

    /// Lets an interceptor read the state, which is at rest while it runs. Other threads may read it as well, unless
    /// they would see a state between two actions of a batch.
    @usableFromInline
    final func pauseWriting() {
        progress.insert(.atRest)
        if !progress.contains(.batch) { endWriting() }
    }
}

/// The number of effect bodies that run in the process, of all stores. While it is 0, threads need not be checked for
/// their effects, which takes some 140 instructions. Relaxed: a thread in the body of an effect has counted that
/// itself, or was started by a task that has.
@usableFromInline let effectBodies = AtomicValue<Int>(0)
