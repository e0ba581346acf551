/// The way to a store for the other modules of this package: what they need beside its public members. It does not keep
/// a root alive.
@usableFromInline
package struct StoreReference<State: Sendable, Action: Sendable>: Sendable {
    @usableFromInline let backing: StoreBacking<State, Action>

    @inlinable
    init(_ backing: StoreBacking<State, Action>) {
        self.backing = backing
    }

    /// A store that shows the same, and does not keep a root alive.
    @inlinable package var store: Store<State, Action> {
        switch backing {
        case .root(let core): Store(scopeNode: ScopeNode(core))
        case .view(let scopeNode): Store(scopeNode: scopeNode)
        }
    }

    /// The same way, by which no child is kept alive either.
    @usableFromInline package var withoutHold: StoreReference {
        switch backing {
        case .root: self
        case .view(let scopeNode): StoreReference(.view(scopeNode.withoutHold))
        }
    }

    /// Whether it leads to this root, or to a store below that.
    package func isInTree(of root: Store<State, Action>) -> Bool { backing.root === root.root }

    /// Whether there is a state, and not one that stands in for it because the loading has not ended well.
    package var hasState: Bool { backing.root.hasState }

    /// A copy of the state between two turns.
    @inlinable
    package func snapshot() -> State { backing.snapshot() }

    /// A copy of a part of the state between two turns.
    @inlinable
    package func value<Value>(at keyPath: KeyPath<State, Value>) -> Value { backing.value(at: keyPath) }

    /// Accepts an action without waiting.
    @inlinable
    package func send(_ action: Action) -> SendOutcome {
        switch backing {
        case .root(let core): core.send(action)
        case .view(let scopeNode): scopeNode.actions.send(action)
        }
    }

    /// Accepts actions as one turn.
    @inlinable
    package func send(contentsOf actions: some Sequence<Action>) -> SendOutcome {
        switch backing {
        case .root(let core): core.send(contentsOf: actions)
        case .view(let scopeNode): scopeNode.actions.send(batch: Array(actions))
        }
    }

    /// Has an action reduced, and returns when that is done.
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
    /// Observes by a task of its own, which iterates a sequence, for an owner that it does not keep alive: it ends with
    /// the owner.
    ///
    /// - Parameters:
    ///   - values: What is iterated.
    ///   - owner: For whom; nil if it has gone already, and then this ends at once.
    ///   - executor: Where the task runs.
    ///   - endsWhenReleased: Whether it also ends when what is returned is released.
    ///   - body: Called with each element, until the observation is cancelled. While it is under way it can look
    ///     whether that has happened.
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
    /// The way to this store for other modules.
    @inlinable package nonisolated var reference: StoreReference<State, Action> { StoreReference(backing) }
}

extension Store {
    /// The state, and an observation, isolated to an actor, of everything that is newer.
    package nonisolated func stateAndObservation<Isolation: Actor>(
        of observed: Observed<State, State>,
        isolatedTo actor: Isolation,
        at source: CodeLocation,
        _ body: @escaping @Sendable (_ actor: isolated Isolation, _ state: State) -> Void
    ) -> (state: State, observation: StoreObservation) {
        let (state, changes) = stateAndChanges(observed, source)
        return (state, observation(through: changes, to: actor, body))
    }

    /// A state to begin with, and a subscription that delivers only what is newer.
    nonisolated func stateAndChanges(
        _ observed: Observed<State, State>,
        _ source: CodeLocation
    ) -> (state: State, changes: Subscription<State>) {
        // Read before the subscription begins, which then delivers nothing older.
        let state = snapshot
        let changes = subscription(to: observed, .latest, source)
        // Taken, so that it is not delivered as a change. A busy store has nothing there yet.
        guard case .element(let newest, _) = changes.take() else { return (state, changes) }
        return (newest, changes)
    }
}

extension WeakStore {
    /// The way to the store for other modules; nil once that is gone.
    package var reference: StoreReference<State, Action>? {
        if let core { return StoreReference(.root(core)) }
        return scopeNode.map { StoreReference(.view($0)) }
    }
}

extension Store {
    /// The same child or scope, which keeps one more object alive; nil for a root.
    package nonisolated func alsoKeeping(_ object: any AnyObject & Sendable) -> Store? {
        guard case .view(let scopeNode) = backing else { return nil }
        return Store(scopeNode: scopeNode.alsoKeeping(object))
    }
}
