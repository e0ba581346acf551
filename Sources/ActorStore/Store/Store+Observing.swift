extension Store {
    /// An observation as a sequence. It does not keep the store alive.
    @inlinable
    nonisolated func sequence<Value: Sendable>(
        of observed: Observed<State, Value>,
        _ buffering: BufferingPolicy,
        _ source: CodeLocation
    ) -> StoreSequence<Value> {
        let (root, place) = (root, place(of: observed.byteRange))
        let (weakPlace, host) = (WeakStateLocation(place), host(of: place))
        let isHosted = host != nil
        return StoreSequence { [weak root, weak host] in
            guard let root, let place = weakPlace.place, !isHosted || host != nil else { return .ended }
            return root.subscribe(
                to: observed,
                in: place,
                through: host,
                policy: buffering,
                at: source
            )
        }
    }

    /// The same as a subscription.
    @inlinable
    nonisolated func subscription<Value: Sendable>(
        to observed: Observed<State, Value>,
        _ buffering: BufferingPolicy,
        _ source: CodeLocation
    ) -> Subscription<Value> {
        let place = place(of: observed.byteRange)
        return root.subscribe(
            to: observed,
            in: place,
            through: host(of: place),
            policy: buffering,
            at: source
        )
    }

    /// An observation as a closure that is called in the store's turn.
    @inlinable
    nonisolated func observation<Value: Sendable>(
        of observed: Observed<State, Value>,
        _ source: CodeLocation,
        _ body: @escaping @Sendable (_ value: Value) -> Void
    ) -> StoreObservation {
        let place = place(of: observed.byteRange)
        return root.observe(observed, in: place, through: host(of: place), at: source, body)
    }

    @usableFromInline
    nonisolated func observation<Value: Sendable, Isolation: Actor>(
        through subscription: Subscription<Value>,
        to actor: Isolation,
        _ body: @escaping @Sendable (_ actor: isolated Isolation, _ value: Value) -> Void
    ) -> StoreObservation {
        if subscription.subscriber.suspension != nil, (actor as? any StoreOfTree)?.root === root {
            fatalError(
                """
                An observer that is isolated to a store of the tree "\(root.configuration.name)" suspends that tree, so that \
                it could never be called. Isolate it to another actor, or give it another buffer.
                """
            )
        }
        let observer = IsolatedObserver(
            subscription: subscription,
            batcher: root.observers.batcher(
                to: actor,
                on: root.configuration.executor,
                limits: root.configuration.limits
            ),
            body: body
        )
        observer.waitForNews()
        return StoreObservation(of: observer)
    }

    /// What the stores of the tree share.
    @inlinable nonisolated var root: TreeRoot { backing.root }

    /// The child with which an observation ends, if that is not where it is observed.
    @inlinable
    nonisolated func host(of place: StateLocation) -> (any StoreNode)? {
        guard case .view(let scopeNode) = backing else { return nil }
        return scopeNode.host(of: place)
    }

    /// The store with a state of its own that it is, or is a scope of.
    @inlinable nonisolated var node: any StoreNode { backing.node }

    /// The way to the store for those who must not keep a root alive.
    @inlinable nonisolated var scopeNode: ScopeNode<State, Action> {
        switch backing {
        case .root(let core): ScopeNode(core)
        case .view(let scopeNode): scopeNode
        }
    }

    /// Where a part of the state is.
    @inlinable
    nonisolated func place(of byteRange: ByteRange) -> StateLocation {
        switch backing {
        case .root(let core): StateLocation(source: core)
        case .view(let scopeNode): scopeNode.place(of: byteRange)
        }
    }
}
