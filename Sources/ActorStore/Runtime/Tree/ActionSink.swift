/// The way of actions to a store.
@usableFromInline
struct ActionSink<Action: Sendable>: Sendable {
    @usableFromInline typealias Dispatch =
        nonisolated(nonsending) @Sendable (Action, EffectTracker?, _ wasCancelled: Bool?) async throws(StoreError)
        -> StoreTask

    @usableFromInline let send: @Sendable (Action) -> SendOutcome
    @usableFromInline let sendBatch: @Sendable ([Action]) -> SendOutcome
    /// Dispatches an action, all that comes of which is awaited by those of the tracker, if there is one; for whom
    /// `wasCancelled` is, see ``StoreCore/askFirst(_:wasCancelled:isolation:)``.
    @usableFromInline let dispatchJoining: Dispatch
    /// Dispatches an action if that need not wait; nil if the store is busy, or asks asynchronous interceptors, and
    /// then nothing has happened.
    @usableFromInline let dispatchWithoutWaiting: @Sendable (Action) -> Result<StoreTask, StoreError>?
    /// Reduces an action, in the turn, after what is `below`.
    @usableFromInline let propagate: @Sendable (_ action: Action, _ below: () -> Void) -> Result<Void, StoreError>
    /// Takes on an effect that no action asked for, in the turn.
    @usableFromInline let take: @Sendable (_ effect: Effect<Action>, _ pending: inout PendingTasks) -> Void

    @inlinable
    init(
        send: @escaping @Sendable (Action) -> SendOutcome,
        sendBatch: @escaping @Sendable ([Action]) -> SendOutcome,
        dispatch: @escaping Dispatch,
        dispatchWithoutWaiting: @escaping @Sendable (Action) -> Result<StoreTask, StoreError>?,
        propagate: @escaping @Sendable (_ action: Action, _ below: () -> Void) -> Result<Void, StoreError>,
        take: @escaping @Sendable (_ effect: Effect<Action>, _ pending: inout PendingTasks) -> Void
    ) {
        self.send = send
        self.sendBatch = sendBatch
        dispatchJoining = dispatch
        self.dispatchWithoutWaiting = dispatchWithoutWaiting
        self.propagate = propagate
        self.take = take
    }

    @inlinable
    func dispatch(_ action: Action, isolation: isolated (any Actor)? = #isolation) async throws(StoreError) -> StoreTask
    {
        try await dispatchJoining(action, nil, nil)
    }

    /// For a root.
    @inlinable
    init<State>(_ core: StoreCore<State, Action>) {
        self.init { action in
            core.send(action)
        } sendBatch: { actions in
            core.send(contentsOf: actions)
        } dispatch: { action, tracker, wasCancelled throws(StoreError) in
            if let tracker { return try await core.dispatch(action, joining: tracker) }
            return try await core.dispatch(action, wasCancelled: wasCancelled)
        } dispatchWithoutWaiting: { action in
            core.dispatchWithoutWaiting(action)
        } propagate: { action, below in
            core.propagate(action, below)
        } take: { effect, pending in
            core.take(effect, into: &pending)
        }
    }

    /// For a child.
    @inlinable
    init<State>(_ node: ChildNode<State, Action>) {
        self.init { action in
            node.send(action)
        } sendBatch: { actions in
            node.send(batch: actions)
        } dispatch: { action, tracker, _ throws(StoreError) in
            if let tracker { return try await node.dispatch(action, joining: tracker) }
            return try await node.dispatch(action)
        } dispatchWithoutWaiting: { action in
            node.dispatchWithoutWaiting(action)
        } propagate: { action, below in
            node.propagate(action, below)
        } take: { effect, pending in
            node.take(effect, into: &pending)
        }
    }

    /// For those who speak in other actions.
    ///
    /// - Parameter root: The tree of the store; nil if it has no children, as a binding.
    @inlinable
    func map<LocalAction: Sendable>(
        _ embed: @escaping @Sendable (LocalAction) -> Action,
        in root: TreeRoot? = nil
    ) -> ActionSink<LocalAction> {
        ActionSink<LocalAction> { action in
            send(embed(action))
        } sendBatch: { actions in
            sendBatch(actions.map(embed))
        } dispatch: { action, tracker, wasCancelled throws(StoreError) in
            try await dispatchJoining(embed(action), tracker, wasCancelled)
        } dispatchWithoutWaiting: { action in
            dispatchWithoutWaiting(embed(action))
        } propagate: { action, below in
            let action = embed(action)
            root?.retire(action)
            return propagate(action, below)
        } take: { effect, pending in
            take(effect.mapped(embed), &pending)
        }
    }

    /// For those whose part of a state can go, which are refused from then on. What was accepted before is an action of
    /// the store in whose state the part is, and reduced as one.
    ///
    /// - Parameter hasLeft: Whether the part has gone.
    @inlinable
    func refusing(when hasLeft: @escaping @Sendable () -> Bool) -> ActionSink {
        ActionSink { action in
            hasLeft() ? .refused(.shutDown) : send(action)
        } sendBatch: { actions in
            hasLeft() ? .refused(.shutDown) : sendBatch(actions)
        } dispatch: { action, tracker, wasCancelled throws(StoreError) in
            if hasLeft() { throw .shutDown }
            return try await dispatchJoining(action, tracker, wasCancelled)
        } dispatchWithoutWaiting: { action in
            hasLeft() ? .failure(.shutDown) : dispatchWithoutWaiting(action)
        } propagate: { action, below in
            hasLeft() ? .failure(.shutDown) : propagate(action, below)
        } take: { effect, pending in
            if !hasLeft() { take(effect, &pending) }
        }
    }
}
