/// The way of actions to a store.
@usableFromInline
struct ActionDoor<Action: Sendable>: Sendable {
    @usableFromInline typealias Dispatch =
        nonisolated(nonsending) @Sendable (Action, EffectTracker?) async throws(StoreError) -> StoreTask

    @usableFromInline let send: @Sendable (Action) -> SendOutcome
    @usableFromInline let sendBatch: @Sendable ([Action]) -> SendOutcome
    /// Dispatches an action, all that comes of which is awaited by those of the tracker, if there is one.
    @usableFromInline let dispatchJoining: Dispatch
    /// Reduces an action, in the turn, after what is `below`.
    @usableFromInline let travel: @Sendable (_ action: Action, _ below: () -> Void) -> Result<Void, StoreError>
    /// Takes on an effect that no action asked for, in the turn.
    @usableFromInline let take: @Sendable (_ effect: Effect<Action>, _ launch: inout EffectLaunch) -> Void

    @inlinable
    init(
        send: @escaping @Sendable (Action) -> SendOutcome,
        sendBatch: @escaping @Sendable ([Action]) -> SendOutcome,
        dispatch: @escaping Dispatch,
        travel: @escaping @Sendable (_ action: Action, _ below: () -> Void) -> Result<Void, StoreError>,
        take: @escaping @Sendable (_ effect: Effect<Action>, _ launch: inout EffectLaunch) -> Void
    ) {
        self.send = send
        self.sendBatch = sendBatch
        dispatchJoining = dispatch
        self.travel = travel
        self.take = take
    }

    @inlinable
    func dispatch(_ action: Action, isolation: isolated (any Actor)? = #isolation) async throws(StoreError) -> StoreTask
    {
        try await dispatchJoining(action, nil)
    }

    /// For a root.
    @inlinable
    init<State>(_ core: StoreCore<State, Action>) {
        self.init { action in
            core.send(action)
        } sendBatch: { actions in
            core.send(contentsOf: actions)
        } dispatch: { action, tracker throws(StoreError) in
            if let tracker { return try await core.dispatch(action, joining: tracker) }
            return try await core.dispatch(action)
        } travel: { action, below in
            core.travel(action, below)
        } take: { effect, launch in
            core.take(effect, into: &launch)
        }
    }

    /// For a child.
    @inlinable
    init<State>(_ node: ChildNode<State, Action>) {
        self.init { action in
            node.send(action)
        } sendBatch: { actions in
            node.send(batch: actions)
        } dispatch: { action, tracker throws(StoreError) in
            if let tracker { return try await node.dispatch(action, joining: tracker) }
            return try await node.dispatch(action)
        } travel: { action, below in
            node.travel(action, below)
        } take: { effect, launch in
            node.take(effect, into: &launch)
        }
    }

    /// For those who speak in other actions.
    ///
    /// - Parameter root: The tree of the store; nil if it has no children, as a binding.
    @inlinable
    func map<LocalAction: Sendable>(
        _ embed: @escaping @Sendable (LocalAction) -> Action,
        in root: TreeRoot? = nil
    ) -> ActionDoor<LocalAction> {
        ActionDoor<LocalAction> { action in
            send(embed(action))
        } sendBatch: { actions in
            sendBatch(actions.map(embed))
        } dispatch: { action, tracker throws(StoreError) in
            try await dispatchJoining(embed(action), tracker)
        } travel: { action, below in
            let action = embed(action)
            root?.retire(action)
            return travel(action, below)
        } take: { effect, launch in
            take(effect.mapped(embed), &launch)
        }
    }
}
