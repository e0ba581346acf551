extension Store {
    /// Calls `body` with the current value of a part of the state, and with every other one after it, in order.
    ///
    /// The cheapest way to observe. The calls happen within the store's turn, on the thread that reduces: `body` must
    /// not block, and must not take a lock that a sender may hold while it sends. It can send actions, which are
    /// queued, and read ``snapshot``; name the store weakly in it, or it keeps the store alive until the token is
    /// cancelled.
    ///
    /// - Returns: a token; the observation ends when it is released or cancelled. See ``StoreObservation/bound(to:)``
    ///   for one that ends with an object, and ``StoreObservation/store(in:forKey:)`` for one that takes the place of
    ///   another.
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
    /// The calls run in the store's turn, on the thread that reduces: `body` must not block, and must not take a lock
    /// that a sender may hold while it sends.
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

    /// Calls `body` with values of a part of the state, isolated to the actor given, which it does not keep alive.
    ///
    /// Observers that are isolated to the same actor share visits to it, which is what makes a thousand of them
    /// affordable: a visit costs microseconds, a call nanoseconds. No call begins after 64 calls of one visit, or after
    /// a millisecond: the actor then runs its other jobs before the next visit.
    ///
    /// A visit is a task on the executor of the store, see ``StoreConfiguration/executor``, also if the actor has one
    /// of its own: while all threads of the former are blocked none begins. Visits to the main actor do not wait for
    /// that executor.
    ///
    /// ```swift
    /// let token = store.observe(\.count, isolatedTo: dashboard) { dashboard, count in dashboard.show(count) }
    /// ```
    ///
    /// On the main actor, the compiler takes `body` for isolated to that only inside of `MainActor.assumeIsolated`:
    ///
    /// ```swift
    /// let token = store.observe(\.count, isolatedTo: MainActor.shared) { _, count in
    ///     MainActor.assumeIsolated { label.show(count) }
    /// }
    /// ```
    ///
    /// A closure that suspends, or that is to run on a task executor, is the body of a loop over
    /// ``values(of:buffering:fileID:line:)-(KeyPath<State,Value>Sendable,_,_,_)`` in a task that has that executor.
    ///
    /// - Parameters:
    ///   - keyPath: The part.
    ///   - actor: Where the calls happen. The observation ends with the next change after it is released.
    ///   - buffering: What is kept while `body` is busy.
    ///   - fileID: Where the observer is written; leave the default.
    ///   - line: Where the observer is written; leave the default.
    ///   - body: What to do with a value; the next call begins when it has returned.
    /// - Returns: a token; the observation ends when it is released or cancelled.
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

    /// Calls `body` with the values of an observed description, isolated to an actor.
    ///
    /// Observers on the same actor share visits to it: a visit costs microseconds, a call nanoseconds. The actor is not
    /// retained.
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
        observer.waitForChange()
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
