import Synchronization

// The turn of an action, of whatever store of the tree and however it came: by `send` or `dispatch`, in a batch, from
// an effect. A plain `send` or `dispatch` to a root without observers, interceptors and instruments is the reducer
// alone, and does not come here; see `StoreCore.reducePlainly(_:)`.

extension TreeRoot {
    /// Does something in a turn that the caller has taken from the idle gate, and passes the turn on.
    @inlinable
    @inline(__always)
    final func inTakenTurn<Result>(_ body: () -> Result) -> Result {
        progress.insert(.writing)
        return inCleanContext {
            defer { leave() }
            return body()
        }
    }

    /// Runs what belongs to a turn without the effect whose task the calling thread may be running: which thread has
    /// the turn is a matter of chance, and nothing that a reducer or an observer starts must be taken for a part of
    /// that effect.
    @inlinable
    @inline(__always)
    final func inCleanContext<Result>(_ body: () -> Result) -> Result {
        effectBodies.loadRelaxed() > 0 && CurrentEffect.isPresent ? CurrentEffect.hidden(during: body) : body()
    }

    /// Passes the turn on, after reading what has come into the mailbox meanwhile. The caller owns the turn.
    @inlinable
    final func leave() {
        endWriting()
        if !endTurnUnlessPending() { drain() }
    }

    /// Passes the turn on, by parking it if an observer suspends the store, unless the mailbox has news; and does the
    /// deferred work then. The caller owns the turn and does not write.
    ///
    /// - Returns: Whether the turn was passed on.
    @inlinable
    @inline(__always)
    final func endTurnUnlessPending() -> Bool {
        hasDeferredWork || extras.contains(.suspension) ? endTurnWithWorkUnlessPending() : gate.endUnlessPending()
    }

    /// Reduces an action with all that belongs to a turn: interceptors, reducers on the way up, observers, and then its
    /// effects are taken on. The caller owns the turn; it does not matter whether it writes, and it no longer does
    /// afterwards.
    ///
    /// - Parameters:
    ///   - node: The store that the action came to.
    ///   - propagate: Reduces the action there, and on the way up.
    /// - Returns: The effects that are to be started, or why the action was not reduced.
    @inlinable
    @inline(__always)
    final func reduceInTurn(
        _ action: some Sendable,
        of node: some StoreNode,
        _ propagate: () -> Result<Void, StoreError>
    ) -> DispatchResult {
        // Asked once, so that it costs little where there are none.
        guard !extras.contains(.instruments) else { return reduceInTurnTraced(action, of: node, propagate) }
        let result = propagate()
        finishTurn(of: node)
        return outcome(result, of: action, at: node)
    }

    /// The same in a tree with instruments.
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

    /// The same for actions that are one turn, with one notification, and that nobody awaits. If one of them takes the
    /// entry away that the store belongs to, or the element that they are for, those after it come too late, as they
    /// would one by one.
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
                lookAtTables()
                // What goes is to end; asked first, because it is at hand.
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

    /// Counts actions that have come too late.
    @usableFromInline
    @inline(never)
    final func dropLate(_ count: Int) { droppedFeedback.add(count) }

    /// Tells all of what has changed, when all actions of a turn have been reduced.
    ///
    /// - Parameter node: The store to which they were given.
    @usableFromInline
    final func finishTurn(of node: TreeNode) {
        endWriting()
        if extras.containsAny(of: .fullTurn) || observedNodes > 0 {
            if extras.contains(.instruments) { notifyAllTraced(on: node) } else { notifyAll(on: node) }
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
    @inlinable
    final func takeOnEffects(
        at node: some StoreNode,
        of count: Int,
        _ action: (_ place: Int) -> any Sendable
    ) -> PendingTasks {
        progress.remove(.newEffects)
        var pending = PendingTasks()
        // Apart from those above it, because its types are known here.
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
    /// Keeps readers out, if the owner of the turn does not already.
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

    /// The end of the way of an action that goes no further up than to what is `below`. In the turn.
    @usableFromInline
    final func stop(_ below: () -> Void) -> Result<Void, StoreError> {
        below()
        revision.storeReleasing(revision.loadRelaxed() &+ 1)
        return .success(())
    }

    /// Lets an interceptor look at the state, which is at rest while it runs; others as well, unless they would see a
    /// state between two actions of a batch.
    @usableFromInline
    final func pauseWriting() {
        progress.insert(.atRest)
        if !progress.contains(.batch) { endWriting() }
    }
}

/// How many bodies of effects run in the process, of whatever stores. While there are none, no thread need be asked for
/// its effect, which takes some 140 instructions. Relaxed: a thread in the body of an effect has counted that itself,
/// or a task that it was started by.
@usableFromInline let effectBodies = AtomicValue<Int>(0)
