import Synchronization

// Dispatching actions, all that comes of which is awaited: the effects of the actions that their effects send, and so on.

extension TreeRoot {
    /// Has an action reduced in a turn, and the effects that come of it counted by a tracker.
    nonisolated(nonsending) final func dispatch(
        _ action: some Sendable,
        joining tracker: EffectTracker,
        _ reduce: @escaping @Sendable () -> DispatchResult
    ) async throws(StoreError) -> StoreTask {
        tracker.note(action)
        let priority = Task.currentPriority.rawValue
        let result = await deliver { dispatcher in
            ForwardedLetter(weight: 1, priority: priority) { [self] in
                joining = tracker
                let result = reduce()
                joining = nil
                return .result(result, to: dispatcher)
            } refuse: { error in
                dispatcher.resume(returning: .failure(error))
            }
        }
        try result.get().start(.inheriting)
        return StoreTask(tracker: tracker)
    }
}

extension StoreCore {
    @usableFromInline
    nonisolated(nonsending) func dispatch(
        _ action: Action,
        joining tracker: EffectTracker
    ) async throws(StoreError) -> StoreTask {
        let action = asyncInterceptorCount.loadAcquiring() > 0 ? try await askFirst(action) : action
        return try await dispatch(action, joining: tracker) { [self] in reduceUnlessEnded(action) }
    }
}

extension ChildNode {
    @usableFromInline
    nonisolated(nonsending) func dispatch(
        _ action: Action,
        joining tracker: EffectTracker
    ) async throws(StoreError) -> StoreTask {
        try await root.dispatch(action, joining: tracker) { [self] in
            root.lifecycle.isEnded || !lifecycle.isOpen ? .failure(.shutDown) : reduceFully(action)
        }
    }
}
