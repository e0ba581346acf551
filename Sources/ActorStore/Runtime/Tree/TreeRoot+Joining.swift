import Synchronization

// Dispatching actions, all that comes of which is awaited: the effects of the actions that their effects send, and so on.

extension TreeRoot {
    /// Has an action reduced in a turn, and the effects that come of it counted by a tracker.
    nonisolated(nonsending) final func dispatch(
        joining tracker: EffectTracker,
        _ reduce: @escaping @Sendable () -> DispatchResult
    ) async throws(StoreError) -> StoreTask {
        let priority = Task.currentPriority.rawValue
        let result = await deliver { dispatcher in
            ForwardedLetter(weight: 1, priority: priority) { [self] in
                joining = tracker
                let result = reduce()
                joining = nil
                return { dispatcher.resume(returning: result) }
            } refuse: { error in
                dispatcher.resume(returning: .failure(error))
            }
        }
        try result.get().start(.inheriting)
        return StoreTask(tracker: tracker)
    }

    /// Reduces an action with all that belongs to a turn. In the turn.
    ///
    /// - Parameters:
    ///   - node: The store that the action came to; nil for the root.
    ///   - name: Its name, for instruments.
    ///   - travel: Reduces the action there, and on the way up.
    @inlinable
    @inline(__always)
    final func reduceInTurn(
        _ action: some Sendable,
        of node: TreeNode?,
        named name: @autoclosure () -> String,
        _ travel: () -> Result<Void, StoreError>
    ) -> DispatchResult {
        let result = telling(action, to: name(), travel)
        defer { forgetToldAction() }
        let launch = finishTurn(of: node)
        return result.map { launch }
    }
}

extension StoreCore {
    @usableFromInline
    nonisolated(nonsending) func dispatch(
        _ action: Action,
        joining tracker: EffectTracker
    ) async throws(StoreError) -> StoreTask {
        let action = asyncInterceptorCount.loadAcquiring() > 0 ? try await askFirst(action) : action
        return try await dispatch(joining: tracker) { [self] in reduceInTurn(action) }
    }
}

extension ChildNode {
    @usableFromInline
    nonisolated(nonsending) func dispatch(
        _ action: Action,
        joining tracker: EffectTracker
    ) async throws(StoreError) -> StoreTask {
        try await root.dispatch(joining: tracker) { [self] in
            root.lifecycle.isEnded || isRefusing ? .failure(.shutDown) : reduceFully(action)
        }
    }
}
