import Synchronization

// Dispatches actions whose feedback is awaited, too: the effects of the actions that their effects send, and so on.

extension TreeRoot {
    /// Dispatches an action, and counts its effects and those of its feedback with a tracker.
    ///
    /// - Parameters:
    ///   - action: The action, for errors of its effects.
    ///   - node: The store that receives the action.
    ///   - tracker: The tracker that counts the effects.
    ///   - reduce: Reduces the action. Called within the turn, unless the store has ended by then.
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

    /// Reduces an action in a turn if this is possible without waiting.
    ///
    /// - Parameter tracker: The tracker that counts the effects, if any.
    /// - Returns: `nil` if the store is busy. Nothing has happened then.
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

    /// Enqueues an action, and returns once it has been reduced.
    ///
    /// - Parameters:
    ///   - tracker: The tracker that counts the effects, if any.
    ///   - acceptance: The wait for acceptance, if it is limited.
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

    /// Reduces an action whose effects a tracker counts, if there is one. Called within the turn.
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
