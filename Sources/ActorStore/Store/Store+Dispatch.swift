extension Store {
    /// Reduces an action, and returns when that is done and visible to every reader.
    ///
    /// It runs on the caller's executor, and suspends only if the store is busy, or asks an ``AsyncInterceptor``. The
    /// effects that the action starts run on; they inherit the calling task's priority and task-locals.
    ///
    /// - Returns: the effects that the action started, to be awaited or cancelled.
    /// - Throws: ``StoreError/shutDown`` after a shutdown, ``StoreError/rejected(by:)`` if an interceptor stopped the
    ///   action, ``StoreError/overloaded`` if the mailbox is full and its policy says so, ``StoreError/cancelled`` if
    ///   the task was cancelled while it waited for room in the mailbox or for an ``AsyncInterceptor``. In all these
    ///   cases the action has not been reduced and never will be. Cancelling the task has no other effect here.
    @inlinable
    @inline(__always)
    @discardableResult
    public nonisolated(nonsending) func dispatch(_ action: Action) async throws(StoreError) -> StoreTask {
        if let core {
            // As `StoreCore.dispatch(_:)`, but without retaining the core, which takes 15 ns if there are weak
            // references to it.
            switch core._withUnsafeGuaranteedRef({ $0.dispatchAtOnce(action) }) {
            case .reduced: return .empty
            case .asked: return core._withUnsafeGuaranteedRef { $0.finishDispatch(of: action) }
            case .begun:
                if let result = core._withUnsafeGuaranteedRef({ $0.dispatchInTakenTurn(action) }) {
                    return try result.get()
                }
            case .busy: break
            }
        }
        switch backing {
        case .root(let core): return try await core.dispatchContended(action)
        case .view(let scopeNode): return try await scopeNode.actions.dispatch(action)
        }
    }

    /// Accepts an action without waiting, from any thread: it is reduced at once if the store is idle, and otherwise
    /// when its turn has come.
    ///
    /// Effects that it starts have the priority of the store's configuration and no task-locals.
    ///
    /// - Returns: what became of it.
    @inlinable
    @discardableResult
    public nonisolated func send(_ action: Action) -> SendOutcome {
        if let core { return core._withUnsafeGuaranteedRef { $0.send(action) } }
        switch backing {
        case .root(let core): return core.send(action)
        case .view(let scopeNode): return scopeNode.actions.send(action)
        }
    }

    /// Accepts actions as one turn: no snapshot shows a state between them, and each observer of the state is told
    /// once, after the last.
    ///
    /// They are accepted or not as a whole; a busy store with a bounded mailbox accepts no more than its capacity. If
    /// one takes the entry of a table away to which the store belongs, those after it are dropped and counted in
    /// ``StoreStatistics/lateActions``.
    ///
    /// - Returns: what became of them.
    /// - Complexity: O(*n*), where *n* is the number of actions.
    @inlinable
    @discardableResult
    public nonisolated func send(contentsOf actions: some Sequence<Action>) -> SendOutcome {
        switch backing {
        case .root(let core): core.send(contentsOf: actions)
        case .view(let scopeNode): scopeNode.actions.send(batch: Array(actions))
        }
    }
}
