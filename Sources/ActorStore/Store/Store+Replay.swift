extension Store {
    /// Follows a part of the state from its current value or from its next one; otherwise like
    /// ``values(of:buffering:fileID:line:)``.
    ///
    /// - Parameters:
    ///   - keyPath: The part.
    ///   - replay: Whether the value at the moment of the call is the first one.
    ///   - buffering: What is kept for an observer who is busy.
    ///   - fileID: Where the observer is written; leave the default.
    ///   - line: Where the observer is written; leave the default.
    @inlinable
    public nonisolated func values<Value: Equatable & Sendable>(
        of keyPath: KeyPath<State, Value> & Sendable,
        replay: Replay,
        buffering: BufferingPolicy = .latest,
        fileID: String = #fileID,
        line: UInt = #line
    ) -> StoreSequence<Value> {
        sequence(of: .part(keyPath), replay: replay, buffering, SourceLocation(fileID: fileID, line: line))
    }

    /// Calls `body` with the values of a part of the state, from the current one or from the next one; otherwise like
    /// ``observe(_:fileID:line:_:)``.
    ///
    /// - Returns: a token; the observation ends when it is released or cancelled.
    @inlinable
    public nonisolated func observe<Value: Equatable & Sendable>(
        _ keyPath: KeyPath<State, Value> & Sendable,
        replay: Replay,
        fileID: String = #fileID,
        line: UInt = #line,
        _ body: @escaping @Sendable (_ value: Value) -> Void
    ) -> Observation {
        observation(of: .part(keyPath), replay: replay, SourceLocation(fileID: fileID, line: line), body)
    }

    /// Calls `body` on an executor, with the values of a part of the state from the current one or from the next one;
    /// otherwise like `observe(_:on:)`.
    ///
    /// - Returns: a token; the observation ends when it is released or cancelled.
    @inlinable
    public nonisolated func observe<Value: Equatable & Sendable>(
        _ keyPath: KeyPath<State, Value> & Sendable,
        replay: Replay,
        on executor: any TaskExecutor,
        buffering: BufferingPolicy = .latest,
        fileID: String = #fileID,
        line: UInt = #line,
        _ body: @escaping @Sendable (_ value: Value) -> Void
    ) -> Observation {
        let source = SourceLocation(fileID: fileID, line: line)
        return observation(
            through: subscription(to: .part(keyPath), replay: replay, buffering, source),
            on: executor,
            body
        )
    }

    /// Calls `body` isolated to an actor, with the values of a part of the state from the current one or from the next
    /// one; otherwise like ``observe(_:isolatedTo:buffering:fileID:line:_:)``.
    ///
    /// - Returns: a token; the observation ends when it is released or cancelled.
    @inlinable
    public nonisolated func observe<Value: Equatable & Sendable, Isolation: Actor>(
        _ keyPath: KeyPath<State, Value> & Sendable,
        replay: Replay,
        isolatedTo actor: Isolation,
        buffering: BufferingPolicy = .latest,
        fileID: String = #fileID,
        line: UInt = #line,
        _ body: @escaping @Sendable (_ actor: isolated Isolation, _ value: Value) -> Void
    ) -> Observation {
        let source = SourceLocation(fileID: fileID, line: line)
        return observation(
            through: subscription(to: .part(keyPath), replay: replay, buffering, source),
            to: actor,
            body
        )
    }
}

extension Store {
    @usableFromInline
    nonisolated func observation<Value: Sendable>(
        through subscription: Subscription<Value>,
        on executor: any TaskExecutor,
        _ body: @escaping @Sendable (_ value: Value) -> Void
    ) -> Observation {
        let observer = IsolatedObserver(
            subscription: subscription,
            batcher: root.observers.batcher(on: executor, limits: root.configuration.limits)
        ) { (_: isolated ExecutorIsolation, value) in
            body(value)
        }
        observer.waitForNews()
        return Observation(of: observer)
    }

    @usableFromInline
    nonisolated func observation<Value: Sendable, Isolation: Actor>(
        through subscription: Subscription<Value>,
        to actor: Isolation,
        _ body: @escaping @Sendable (_ actor: isolated Isolation, _ value: Value) -> Void
    ) -> Observation {
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
        return Observation(of: observer)
    }
}
