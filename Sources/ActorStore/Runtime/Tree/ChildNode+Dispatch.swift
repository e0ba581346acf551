extension ChildNode {
    /// Reduces an action in a complete turn: interceptors, reducers, observers and effects. Called within the turn.
    @inlinable
    func reduceFully(_ action: Action) -> DispatchResult {
        guard !lifecycle.isEnded else { return .failure(.shutDown) }
        return root.reduceInTurn(action, of: self) { propagate(action) {} }
    }

    /// Sends an action without waiting; see ``Store/send(_:)-(Action)``.
    @inlinable
    func send(_ action: Action) -> SendOutcome {
        guard root.gate.beginIfIdle() else { return root.post(message(for: action, weight: 1), of: self) }
        return root.inTakenTurn {
            guard root.lifecycle.isOpen && lifecycle.isOpen else { return .refused(root.refusal) }
            if case .success(let pending) = reduceFully(action), pending.isNeeded { root.deferStart(pending) }
            return .accepted
        }
    }

    /// Sends actions that are reduced as one turn; see ``Store/send(contentsOf:)``.
    @usableFromInline
    func send(batch actions: [Action]) -> SendOutcome {
        guard root.gate.beginIfIdle() else {
            let message = ForwardedMessage(weight: actions.count) { [self] in
                root.deferStart(reduceFully(batch: actions))
                return nil
            }
            return root.post(message, of: self)
        }
        return root.inTakenTurn {
            guard root.lifecycle.isOpen && lifecycle.isOpen else { return .refused(root.refusal) }
            root.deferStart(reduceFully(batch: actions))
            return .accepted
        }
    }

    private func reduceFully(batch actions: [Action]) -> PendingTasks {
        guard !lifecycle.isEnded else {
            root.droppedFeedback.add(actions.count)
            return PendingTasks()
        }
        return root.reduceInTurn(batch: actions, of: self) { propagate($0) {} }
    }

    /// Dispatches an action and returns once it has been reduced; see ``Store/dispatch(_:)-(Action)``.
    @inlinable
    func dispatch(
        _ action: Action,
        acceptance: AcceptanceWait? = nil,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(StoreError) -> StoreTask {
        let result =
            if let result = dispatchAtOnce(action) { result } else {
                await root.dispatchContended(to: self, joining: nil, acceptance: acceptance) { [self] in
                    reduceFully(action)
                }
            }
        return begin(try result.get())
    }

    /// Dispatches an action if this is possible without waiting.
    ///
    /// - Returns: `nil` if the store is busy. Nothing has happened then.
    @inlinable
    func dispatchWithoutWaiting(_ action: Action) -> Result<StoreTask, StoreError>? {
        dispatchAtOnce(action)?.map(begin)
    }

    /// Starts effects in the context of the dispatching task.
    @inlinable
    func begin(_ pending: PendingTasks) -> StoreTask {
        if pending.isNeeded { pending.start(.inheriting) }
        return StoreTask(tracker: pending.tracker)
    }

    /// Reduces an action if the store is idle, or becomes idle within about a microsecond.
    ///
    /// - Returns: `nil` if the store is busy. Nothing has happened then.
    @inlinable
    func dispatchAtOnce(_ action: Action) -> DispatchResult? {
        guard root.gate.beginIfIdle() || root.gate.beginSoon() else { return nil }
        return root.inTakenTurn {
            root.lifecycle.isOpen && lifecycle.isOpen ? reduceFully(action) : .failure(root.refusal)
        }
    }

    /// Returns a message for an action whose result is not awaited.
    @usableFromInline
    func message(for action: Action, weight: Int) -> ForwardedMessage {
        ForwardedMessage(weight: weight) { [self] in
            if !lifecycle.isEnded { return reduceAndStart(action) }
            // The store ended before an action that it had accepted: at a deadline, or with its entry.
            root.droppedFeedback.add()
            return nil
        }
    }

    /// Reduces an action whose result is not awaited. Called within the turn.
    ///
    /// - Parameter tracker: The tracker that also counts feedback effects.
    func reduceAndStart(_ action: Action, joining tracker: EffectTracker? = nil) -> Answer? {
        root.joining = tracker
        defer { root.joining = nil }
        if case .success(let pending) = reduceFully(action) { root.deferStart(pending) }
        return nil
    }
}
