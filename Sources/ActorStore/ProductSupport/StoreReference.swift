/// A reference to a store for the other modules of this package, beyond the public API. It does not retain a root.
@usableFromInline
package struct StoreReference<State: Sendable, Action: Sendable>: Sendable {
    @usableFromInline let backing: StoreBacking<State, Action>

    @inlinable
    init(_ backing: StoreBacking<State, Action>) {
        self.backing = backing
    }

    /// A store that shows the same state and does not retain a root.
    @inlinable package var store: Store<State, Action> {
        switch backing {
        case .root(let core): Store(scopeNode: ScopeNode(core))
        case .view(let scopeNode): Store(scopeNode: scopeNode)
        }
    }

    /// A reference that retains neither a root nor a child.
    @usableFromInline package var withoutHold: StoreReference {
        switch backing {
        case .root: self
        case .view(let scopeNode): StoreReference(.view(scopeNode.withoutHold))
        }
    }

    /// Returns whether the store is this root, or is below it.
    package func isInTree(of root: Store<State, Action>) -> Bool { backing.root === root.root }

    /// Whether the state has been loaded. False if the initial state stands in because loading has not succeeded.
    package var hasState: Bool { backing.root.hasState }

    /// Returns a copy of the state between two turns.
    @inlinable
    package func snapshot() -> State { backing.snapshot() }

    /// Returns a copy of a part of the state between two turns.
    @inlinable
    package func value<Value>(at keyPath: KeyPath<State, Value>) -> Value { backing.value(at: keyPath) }

    /// Sends an action, without waiting.
    @inlinable
    package func send(_ action: Action) -> SendOutcome {
        switch backing {
        case .root(let core): core.send(action)
        case .view(let scopeNode): scopeNode.actions.send(action)
        }
    }

    /// Sends several actions as one turn.
    @inlinable
    package func send(contentsOf actions: some Sequence<Action>) -> SendOutcome {
        switch backing {
        case .root(let core): core.send(contentsOf: actions)
        case .view(let scopeNode): scopeNode.actions.send(batch: Array(actions))
        }
    }

    /// Dispatches an action, and returns when it has been reduced.
    @inlinable
    @inline(__always)
    package nonisolated(nonsending) func dispatch(_ action: Action) async throws(StoreError) -> StoreTask {
        switch backing {
        case .root(let core): return try await core.dispatch(action)
        case .view(let scopeNode): return try await scopeNode.actions.dispatch(action)
        }
    }
}

extension StoreReference {
    /// Observes a sequence in a separate task, on behalf of an owner that is not retained: the observation ends with
    /// the owner.
    ///
    /// - Parameters:
    ///   - values: The sequence.
    ///   - owner: The owner; if it is nil because it has already been released, the observation ends immediately.
    ///   - executor: The executor of the task.
    ///   - endsWhenReleased: Whether the observation also ends when the returned token is released.
    ///   - body: A closure that receives each element until the observation is cancelled. While it runs, it can check
    ///     for the cancellation.
    package func observation<Values: AsyncSequence & Sendable, Owner: AnyObject & Sendable>(
        of values: Values,
        owner: Owner?,
        on executor: (any TaskExecutor)?,
        endsWhenReleased: Bool,
        _ body:
            sending @escaping (_ owner: Owner, _ value: Values.Element, _ cancellation: ObservationCancellation) async
            -> Void
    ) -> StoreObservation where Values.Failure == Never {
        let iterator = values.makeAsyncIterator()
        let target = (iterator as? any ObservationIterator)?.observation
        if let owner { target?.bind(to: owner) } else { target?.cancelObservation() }
        return StoreObservation(
            of: ObservingTask(of: target, cancelledOn: backing.root.configuration.executor, on: executor) {
                [weak owner] cancellation in
                var iterator = iterator
                while let value = await iterator.next(isolation: nil) {
                    guard !cancellation.isNoted, let owner else { return }
                    await body(owner, value, cancellation)
                }
            },
            endsWhenReleased: endsWhenReleased
        )
    }
}

extension Store {
    /// The reference to this store for other modules.
    @inlinable package nonisolated var reference: StoreReference<State, Action> { StoreReference(backing) }
}

extension Store {
    /// Returns the state, and an observation of everything newer, isolated to an actor.
    package nonisolated func stateAndObservation<Isolation: Actor>(
        of observed: Observed<State, State>,
        isolatedTo actor: Isolation,
        at source: CodeLocation,
        _ body: @escaping @Sendable (_ actor: isolated Isolation, _ state: State) -> Void
    ) -> (state: State, observation: StoreObservation) {
        let (state, changes) = stateAndChanges(observed, source)
        return (state, observation(through: changes, to: actor, body))
    }

    /// Returns a state to start with, and a subscription that delivers only newer states.
    nonisolated func stateAndChanges(
        _ observed: Observed<State, State>,
        _ source: CodeLocation
    ) -> (state: State, changes: Subscription<State>) {
        // Read before the subscription starts, which then delivers nothing older.
        let state = snapshot
        let changes = subscription(to: observed, .latest, source)
        // Taken, so that it is not delivered as a change. A busy store has published nothing yet.
        guard case .element(let newest, _) = changes.take() else { return (state, changes) }
        return (newest, changes)
    }
}

extension WeakStore {
    /// The reference to the store for other modules; nil after the store has been released.
    package var reference: StoreReference<State, Action>? {
        if let core { return StoreReference(.root(core)) }
        return scopeNode.map { StoreReference(.view($0)) }
    }
}

extension Store {
    /// Returns the same child or scope, which retains one more object; nil for a root.
    package nonisolated func alsoKeeping(_ object: any AnyObject & Sendable) -> Store? {
        guard case .view(let scopeNode) = backing else { return nil }
        return Store(scopeNode: scopeNode.alsoKeeping(object))
    }
}
