import Synchronization

// Dispatching actions, all that comes of which is awaited: the effects of the actions that their effects send, and so
// on.

extension TreeRoot {
    /// Has an action reduced in a turn, and the effects that come of it counted by a tracker.
    ///
    /// - Parameters:
    ///   - action: The action, for the errors that come of it.
    ///   - node: The store that gets it.
    ///   - tracker: What counts the effects.
    ///   - reduce: Reduces the action. It is called in the turn, unless the store has ended by then.
    @inlinable
    final func dispatch(
        _ action: some Sendable,
        to node: TreeNode,
        joining tracker: EffectTracker,
        acceptance: AcceptanceWait? = nil,
        isolation: isolated (any Actor)? = #isolation,
        _ reduce: @escaping @Sendable () -> DispatchResult
    ) async throws(StoreError) -> StoreTask {
        tracker.note(action)
        let result =
            if let result = dispatchAtOnce(to: node, joining: tracker, reduce) {
                result
            } else {
                await dispatchContended(to: node, joining: tracker, acceptance: acceptance, reduce)
            }
        let pending = try result.get()
        pending.start(.inheriting)
        return StoreTask(tracker: tracker)
    }

    /// Has an action reduced in a turn if that need not wait.
    ///
    /// - Parameter tracker: What counts the effects; nil if nothing does.
    /// - Returns: nil if the store is busy; then nothing has happened.
    @inlinable
    final func dispatchAtOnce(
        to node: TreeNode,
        joining tracker: EffectTracker?,
        _ reduce: () -> DispatchResult
    ) -> DispatchResult? {
        guard gate.beginIfIdle() || gate.beginSoon() else { return nil }
        return inTakenTurn {
            lifecycle.isOpen && node.lifecycle.isOpen ? reduceJoining(tracker, reduce) : .failure(refusal)
        }
    }

    /// Has an action reduced when its turn has come.
    ///
    /// - Parameters:
    ///   - tracker: What counts the effects; nil if nothing does.
    ///   - acceptance: The wait to be accepted, if the dispatch has a limit for it.
    @usableFromInline
    final func dispatchContended(
        to node: TreeNode,
        joining tracker: EffectTracker?,
        acceptance: AcceptanceWait? = nil,
        isolation: isolated (any Actor)? = #isolation,
        _ reduce: @escaping @Sendable () -> DispatchResult
    ) async -> DispatchResult {
        let priority = Task.currentPriority.rawValue
        return await deliver(acceptance: acceptance) { dispatcher in
            ForwardedMessage(weight: 1, priority: priority) { [self] in
                let isOver = lifecycle.isEnded || node !== self && !node.lifecycle.isOpen
                return .result(isOver ? .failure(.shutDown) : reduceJoining(tracker, reduce), to: dispatcher)
            } refuse: { error in
                dispatcher.resume(returning: .failure(error))
            }
        }
    }

    /// Reduces an action whose effects are counted by a tracker, if there is one. In the turn.
    @inlinable
    final func reduceJoining(_ tracker: EffectTracker?, _ reduce: () -> DispatchResult) -> DispatchResult {
        joining = tracker
        defer { joining = nil }
        return reduce()
    }
}

extension StoreCore {
    @inlinable
    func dispatch(
        _ action: Action,
        joining tracker: EffectTracker,
        acceptance: AcceptanceWait? = nil,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(StoreError) -> StoreTask {
        let action = hasAsyncInterceptors ? try await askFirst(action, acceptance: acceptance) : action
        return try await dispatch(action, to: self, joining: tracker, acceptance: acceptance) { [self] in
            reduceFully(action)
        }
    }
}

extension ChildNode {
    @inlinable
    func dispatch(
        _ action: Action,
        joining tracker: EffectTracker,
        acceptance: AcceptanceWait? = nil,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(StoreError) -> StoreTask {
        try await root.dispatch(action, to: self, joining: tracker, acceptance: acceptance) { [self] in
            reduceFully(action)
        }
    }
}
