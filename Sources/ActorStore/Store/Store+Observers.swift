extension Store {
    /// Calls `body` with the current value of a part of the state, and with each later value, in order.
    ///
    /// This is the cheapest way to observe. The calls run within the store's turn, on the thread that reduces: `body`
    /// must not block, and must not take a lock that a sender may hold while it sends. It can send actions, which are
    /// queued, and read ``snapshot``. Capture the store weakly in `body`: a strong reference keeps the store alive
    /// until the token is cancelled. If the store is idle, the first call happens on this thread, before this method
    /// returns; otherwise later, when the turn of the observation comes.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the part.
    ///   - fileID: The file of the observer, for diagnostics.
    ///   - line: The line of the observer, for diagnostics.
    ///   - body: A closure that receives each value.
    /// - Returns: A token. Releasing or cancelling it ends the observation. ``StoreObservation/bound(to:)`` returns one
    ///   that ends with an object, and ``StoreObservation/store(in:forKey:)`` replaces an earlier one.
    @inlinable
    public nonisolated func observe<Value: Equatable & Sendable>(
        _ keyPath: KeyPath<State, Value> & Sendable,
        fileID: String = #fileID,
        line: UInt = #line,
        _ body: @escaping @Sendable (_ value: Value) -> Void
    ) -> StoreObservation {
        observation(of: .part(keyPath), CodeLocation(fileID: fileID, line: line), body)
    }

    /// Calls `body` with the current value of an observed description, and with each later value, in order.
    ///
    /// The calls run within the store's turn, on the thread that reduces: `body` must not block, and must not take a
    /// lock that a sender may hold while it sends. Capture the store weakly in it. If the store is idle, the first call
    /// happens on this thread, before this method returns; otherwise later, when the turn of the observation comes.
    ///
    /// ```swift
    /// store.observe(.entry(of: \.flights, key: id)) { flight in … }
    /// store.observe(.everyAction) { state in … }
    /// ```
    ///
    /// - Parameters:
    ///   - observed: What to observe: a part, its notion of equality, the first and the last value.
    ///   - fileID: The file of the observer, for diagnostics.
    ///   - line: The line of the observer, for diagnostics.
    ///   - body: A closure that receives each value.
    /// - Returns: A token. Releasing or cancelling it ends the observation.
    @inlinable
    public nonisolated func observe<Value: Sendable>(
        _ observed: Observed<State, Value>,
        fileID: String = #fileID,
        line: UInt = #line,
        _ body: @escaping @Sendable (_ value: Value) -> Void
    ) -> StoreObservation {
        observation(of: observed, CodeLocation(fileID: fileID, line: line), body)
    }

    /// Calls `body` with the values of a part of the state, isolated to an actor, which is not retained.
    ///
    /// Observers that are isolated to the same actor share its visits, so that a thousand of them stay affordable: a
    /// visit costs microseconds, a call nanoseconds. A visit starts no further call after 64 calls, or after a
    /// millisecond; the actor then runs its other jobs before the next visit.
    ///
    /// A visit is a task on the executor of the store (see ``StoreConfiguration/executor``), even if the actor has its
    /// own: while all threads of the store's executor are blocked, no visit starts. Visits to the main actor do not
    /// wait for that executor.
    ///
    /// ```swift
    /// let token = store.observe(\.count, isolatedTo: dashboard) { dashboard, count in dashboard.show(count) }
    /// ```
    ///
    /// On the main actor, the compiler treats `body` as isolated only inside `MainActor.assumeIsolated`:
    ///
    /// ```swift
    /// let token = store.observe(\.count, isolatedTo: MainActor.shared) { _, count in
    ///     MainActor.assumeIsolated { label.show(count) }
    /// }
    /// ```
    ///
    /// If the code has to suspend or to run on a task executor, use a loop over
    /// ``values(of:buffering:fileID:line:)-(KeyPath<State,Value>Sendable,_,_,_)`` instead, in a task that has that
    /// executor.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the part.
    ///   - actor: The actor of the calls. The observation ends with the next change after the actor is released.
    ///   - buffering: Which values are kept while `body` runs.
    ///   - fileID: The file of the observer, for diagnostics.
    ///   - line: The line of the observer, for diagnostics.
    ///   - body: A closure that receives each value. The next call starts after it returns.
    /// - Returns: A token. Releasing or cancelling it ends the observation.
    @inlinable
    public nonisolated func observe<Value: Equatable & Sendable, Isolation: Actor>(
        _ keyPath: KeyPath<State, Value> & Sendable,
        isolatedTo actor: Isolation,
        buffering: BufferingPolicy = .latest,
        fileID: String = #fileID,
        line: UInt = #line,
        _ body: @escaping @Sendable (_ actor: isolated Isolation, _ value: Value) -> Void
    ) -> StoreObservation {
        observe(.part(keyPath), isolatedTo: actor, buffering: buffering, fileID: fileID, line: line, body)
    }

    /// Calls `body` with the values of an observed description, isolated to an actor, which is not retained.
    ///
    /// Observers that are isolated to the same actor share its visits: a visit costs microseconds, a call nanoseconds.
    ///
    /// - Parameters:
    ///   - observed: What to observe: a part, its notion of equality, the first and the last value.
    ///   - actor: The actor of the calls. The observation ends with the next change after the actor is released.
    ///   - buffering: Which values are kept while `body` runs.
    ///   - fileID: The file of the observer, for diagnostics.
    ///   - line: The line of the observer, for diagnostics.
    ///   - body: A closure that receives each value. The next call starts after it returns.
    /// - Returns: A token. Releasing or cancelling it ends the observation.
    @inlinable
    public nonisolated func observe<Value: Sendable, Isolation: Actor>(
        _ observed: Observed<State, Value>,
        isolatedTo actor: Isolation,
        buffering: BufferingPolicy = .latest,
        fileID: String = #fileID,
        line: UInt = #line,
        _ body: @escaping @Sendable (_ actor: isolated Isolation, _ value: Value) -> Void
    ) -> StoreObservation {
        let source = CodeLocation(fileID: fileID, line: line)
        return observation(through: subscription(to: observed, buffering, source), to: actor, body)
    }
}

extension Store {
    /// Returns an observation as a sequence. It does not retain the store.
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

    /// Returns an observation as a subscription.
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

    /// Returns an observation whose closure is called within the store's turn.
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
                Deadlock: an observer that is isolated to a store of the tree "\(root.configuration.name)" suspends that \
                tree, so it would never be called. Isolate the observer to another actor, or use another buffering policy.
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
        observer.waitForChange()
        return StoreObservation(of: observer)
    }

    /// The root of the tree, which all its stores share.
    @inlinable nonisolated var root: TreeRoot { backing.root }

    /// Returns the child whose end ends an observation, if the observed state is not the child's own.
    @inlinable
    nonisolated func host(of place: StateLocation) -> (any StoreNode)? {
        guard case .view(let scopeNode) = backing else { return nil }
        return scopeNode.host(of: place)
    }

    /// The node that owns the state: the store itself, or the store that this is a scope of.
    @inlinable nonisolated var node: any StoreNode { backing.node }

    /// The node for uses that must not retain a root.
    @inlinable nonisolated var scopeNode: ScopeNode<State, Action> {
        switch backing {
        case .root(let core): ScopeNode(core)
        case .view(let scopeNode): scopeNode
        }
    }

    /// Returns the location of a part of the state.
    @inlinable
    nonisolated func place(of byteRange: ByteRange) -> StateLocation {
        switch backing {
        case .root(let core): StateLocation(source: core)
        case .view(let scopeNode): scopeNode.place(of: byteRange)
        }
    }
}
