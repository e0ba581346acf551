import ActorStore

extension Store {
    /// Connects a consumer to a part of the state, which it receives unchanged.
    ///
    /// Values are delivered only if they differ from the last ones. Changes that occur while the consumer is busy
    /// arrive as one change.
    ///
    /// - Parameters:
    ///   - consumer: The consumer. It is held weakly.
    ///   - keyPath: The part.
    ///   - executor: The executor of the connection; nil for the default executor.
    ///   - start: Whether the connection begins now or later.
    ///   - fileID: The file of the connection, for diagnostics.
    ///   - line: The line of the connection, for diagnostics.
    /// - Returns: The connection. It continues if it is not retained.
    @inlinable
    @discardableResult
    public nonisolated func connect<Consumer: PropsConsumer>(
        _ consumer: Consumer,
        state keyPath: KeyPath<State, Consumer.Props> & Sendable,
        on executor: (any TaskExecutor)? = nil,
        start: Connection.Start = .immediately,
        fileID: String = #fileID,
        line: UInt = #line
    ) -> Connection {
        connect(consumer, state: keyPath, on: executor, start: start, fileID: fileID, line: line) { part, _ in part }
    }

    /// Connects a consumer to the props that a connector derives from the whole state.
    ///
    /// Props are created off the store and off the consumer, and delivered only if they differ from the last ones.
    /// Changes that occur while the consumer is busy arrive as one change.
    ///
    /// - Parameters:
    ///   - consumer: The consumer. It is held weakly.
    ///   - connector: Creates the props.
    ///   - executor: The executor for creating props; nil for the default executor.
    ///   - start: Whether the connection begins now or later.
    ///   - fileID: The file of the connection, for diagnostics.
    ///   - line: The line of the connection, for diagnostics.
    /// - Returns: The connection. It continues if it is not retained.
    @inlinable
    @discardableResult
    public nonisolated func connect<Consumer: PropsConsumer>(
        _ consumer: Consumer,
        by connector: some StateConnector<State, Action, Consumer.Props>,
        on executor: (any TaskExecutor)? = nil,
        start: Connection.Start = .immediately,
        fileID: String = #fileID,
        line: UInt = #line
    ) -> Connection where State: Equatable {
        connect(consumer, state: \.self, by: connector, on: executor, start: start, fileID: fileID, line: line)
    }

    /// Connects a consumer to the props that a connector derives from a part of the state.
    ///
    /// Props are created off the store and off the consumer, and delivered only if they differ from the last ones.
    /// Changes that occur while the consumer is busy arrive as one change.
    ///
    /// - Parameters:
    ///   - consumer: The consumer. It is held weakly.
    ///   - keyPath: The part.
    ///   - connector: Creates the props when the part has changed.
    ///   - executor: The executor for creating props; nil for the default executor.
    ///   - start: Whether the connection begins now or later.
    ///   - fileID: The file of the connection, for diagnostics.
    ///   - line: The line of the connection, for diagnostics.
    /// - Returns: The connection. It continues if it is not retained.
    @inlinable
    @discardableResult
    public nonisolated func connect<Consumer: PropsConsumer, Part: Equatable & Sendable>(
        _ consumer: Consumer,
        state keyPath: KeyPath<State, Part> & Sendable,
        by connector: some StateConnector<Part, Action, Consumer.Props>,
        on executor: (any TaskExecutor)? = nil,
        start: Connection.Start = .immediately,
        fileID: String = #fileID,
        line: UInt = #line
    ) -> Connection {
        connect(consumer, state: keyPath, on: executor, start: start, fileID: fileID, line: line) { part, send in
            connector.props(from: part, send: send)
        }
    }

    /// Connects a consumer to the props that a closure derives from a part of the state.
    ///
    /// ```swift
    /// store.connect(badge, state: \.unread) { unread, send in Badge(count: unread.count) }
    /// ```
    ///
    /// Props are delivered only if they differ from the last ones. Changes that occur while the consumer is busy arrive
    /// as one change.
    ///
    /// - Parameters:
    ///   - consumer: The consumer. It is held weakly.
    ///   - keyPath: The part.
    ///   - executor: The executor for creating props; nil for the default executor.
    ///   - start: Whether the connection begins now or later.
    ///   - fileID: The file of the connection, for diagnostics.
    ///   - line: The line of the connection, for diagnostics.
    ///   - props: Creates the props when the part has changed, off the store and off the consumer.
    /// - Returns: The connection. It continues if it is not retained.
    @inlinable
    @discardableResult
    public nonisolated func connect<Consumer: PropsConsumer, Part: Equatable & Sendable>(
        _ consumer: Consumer,
        state keyPath: KeyPath<State, Part> & Sendable,
        on executor: (any TaskExecutor)? = nil,
        start: Connection.Start = .immediately,
        fileID: String = #fileID,
        line: UInt = #line,
        props: @escaping @Sendable (_ part: Part, _ send: Send<Action>) -> Consumer.Props
    ) -> Connection {
        let (view, send) = (view, sender)
        return .feed(consumer, from: reference, on: executor, start: start) {
            view.values(of: keyPath, fileID: fileID, line: line)
        } props: { _, part in
            props(part, send)
        }
    }

    /// Derives props from a part of the state, off the store, and calls `body` with those that differ from the previous
    /// ones, isolated to an actor, which is not retained.
    ///
    /// ```swift
    /// let token = store.observe(
    ///     \.orders, map: { orders in Summary(of: orders) }, isolatedTo: display
    /// ) { display, summary in
    ///     display.show(summary)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - keyPath: The part.
    ///   - map: Creates the props, in a task of the observation.
    ///   - executor: The executor of that task; nil for the default executor.
    ///   - actor: The actor on which `body` runs. The observation ends with the next change after its release.
    ///   - fileID: The file of the observer, for diagnostics.
    ///   - line: The line of the observer, for diagnostics.
    ///   - body: Handles new props. Of the changes of the meantime, it receives the newest.
    /// - Returns: A token. The observation ends when the token is released or cancelled.
    @inlinable
    public nonisolated func observe<Value: Equatable & Sendable, Props: Equatable & Sendable, Isolation: Actor>(
        _ keyPath: KeyPath<State, Value> & Sendable,
        map: @escaping @Sendable (_ value: Value) -> Props,
        on executor: (any TaskExecutor)? = nil,
        isolatedTo actor: Isolation,
        fileID: String = #fileID,
        line: UInt = #line,
        _ body: @escaping @Sendable (_ actor: isolated Isolation, _ props: Props) -> Void
    ) -> StoreObservation {
        observation(
            of: values(of: keyPath, fileID: fileID, line: line),
            map: map,
            on: executor,
            isolatedTo: actor,
            body
        )
    }

    @usableFromInline
    nonisolated func observation<Value: Sendable, Props: Equatable & Sendable, Isolation: Actor>(
        of values: StoreSequence<Value>,
        map: @escaping @Sendable (_ value: Value) -> Props,
        on executor: (any TaskExecutor)?,
        isolatedTo actor: Isolation,
        _ body: @escaping @Sendable (_ actor: isolated Isolation, _ props: Props) -> Void
    ) -> StoreObservation {
        var last: Props?
        return reference.observation(of: values, owner: actor, on: executor, endsWhenReleased: true) {
            actor,
            value,
            cancellation in
            let props = map(value)
            guard props != last, !cancellation.isNoted else { return }
            last = props
            // Checked on the actor, because the actor itself can cancel the observation while the call waits for it.
            let call: @Sendable (isolated Isolation, Props) -> Void = { actor, props in
                if !cancellation.isNoted { body(actor, props) }
            }
            await call(actor, props)
        }
    }
}
