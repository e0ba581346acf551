import ActorStore

extension Store {
    /// Connects a consumer that creates its own props to the whole state.
    ///
    /// Props are created off the store and off the consumer, and delivered only if they differ from the last ones.
    /// Changes that occur while the consumer is busy arrive as one change.
    ///
    /// - Parameters:
    ///   - consumer: The consumer. It is held weakly.
    ///   - executor: The executor for creating props; nil for the default executor.
    ///   - start: Whether the connection begins now or later.
    ///   - fileID: The file of the connection, for diagnostics.
    ///   - line: The line of the connection, for diagnostics.
    /// - Returns: The connection. It continues if it is not retained.
    @inlinable
    @discardableResult
    public nonisolated func connect<Consumer: StateConsumer>(
        _ consumer: Consumer,
        on executor: (any TaskExecutor)? = nil,
        start: Connection.Start = .immediately,
        fileID: String = #fileID,
        line: UInt = #line
    ) -> Connection where Consumer.State == State, Consumer.Action == Action, State: Equatable {
        connect(consumer, state: \.self, on: executor, start: start, fileID: fileID, line: line)
    }

    /// Connects a consumer that creates its own props to a part of the state.
    ///
    /// Props are created only when the part has changed, off the store and off the consumer, and delivered only if they
    /// differ from the last ones. Changes that occur while the consumer is busy arrive as one change.
    ///
    /// - Parameters:
    ///   - consumer: The consumer. It is held weakly.
    ///   - keyPath: The part.
    ///   - executor: The executor for creating props; nil for the default executor.
    ///   - start: Whether the connection begins now or later.
    ///   - fileID: The file of the connection, for diagnostics.
    ///   - line: The line of the connection, for diagnostics.
    /// - Returns: The connection. It continues if it is not retained.
    @inlinable
    @discardableResult
    public nonisolated func connect<Consumer: StateConsumer>(
        _ consumer: Consumer,
        state keyPath: KeyPath<State, Consumer.State> & Sendable,
        on executor: (any TaskExecutor)? = nil,
        start: Connection.Start = .immediately,
        fileID: String = #fileID,
        line: UInt = #line
    ) -> Connection where Consumer.Action == Action, Consumer.State: Equatable {
        connection(feeding: consumer, with: .part(keyPath), on: executor, start: start, fileID: fileID, line: line)
    }

    /// Connects a consumer that creates its own props to a part of the state that need not be `Equatable`.
    ///
    /// Props are created off the store and off the consumer, and delivered only if they differ from the last ones.
    /// Changes that occur while the consumer is busy arrive as one change.
    ///
    /// - Parameters:
    ///   - consumer: The consumer. It is held weakly.
    ///   - keyPath: The part.
    ///   - deduplication: The comparison that skips creating props; ``Deduplication/everyAction`` compares only the
    ///     props.
    ///   - executor: The executor for creating props; nil for the default executor.
    ///   - start: Whether the connection begins now or later.
    ///   - fileID: The file of the connection, for diagnostics.
    ///   - line: The line of the connection, for diagnostics.
    /// - Returns: The connection. It continues if it is not retained.
    @inlinable
    @discardableResult
    public nonisolated func connect<Consumer: StateConsumer>(
        _ consumer: Consumer,
        state keyPath: KeyPath<State, Consumer.State> & Sendable,
        removeDuplicates deduplication: Deduplication<Consumer.State>,
        on executor: (any TaskExecutor)? = nil,
        start: Connection.Start = .immediately,
        fileID: String = #fileID,
        line: UInt = #line
    ) -> Connection where Consumer.Action == Action {
        connection(
            feeding: consumer,
            with: .part(keyPath, removeDuplicates: deduplication),
            on: executor,
            start: start,
            fileID: fileID,
            line: line
        )
    }

    /// Connects a consumer that creates its own props to a value that a closure derives from the state.
    ///
    /// Props are created off the store and off the consumer, and delivered only if they differ from the last ones.
    /// Changes that occur while the consumer is busy arrive as one change.
    ///
    /// - Parameters:
    ///   - consumer: The consumer. It is held weakly.
    ///   - select: Derives the value. It runs within the store's turn, after each turn, and must not block. Do
    ///     expensive work when creating the props.
    ///   - executor: The executor for creating props; nil for the default executor.
    ///   - start: Whether the connection begins now or later.
    ///   - fileID: The file of the connection, for diagnostics.
    ///   - line: The line of the connection, for diagnostics.
    /// - Returns: The connection. It continues if it is not retained.
    @inlinable
    @discardableResult
    public nonisolated func connect<Consumer: StateConsumer>(
        _ consumer: Consumer,
        state select: @escaping @Sendable (_ state: State) -> Consumer.State,
        on executor: (any TaskExecutor)? = nil,
        start: Connection.Start = .immediately,
        fileID: String = #fileID,
        line: UInt = #line
    ) -> Connection where Consumer.Action == Action, Consumer.State: Equatable {
        connection(feeding: consumer, with: .selecting(select), on: executor, start: start, fileID: fileID, line: line)
    }

    /// Connects a consumer that creates its own props to the values of a sequence, such as a debounced one.
    ///
    /// ```swift
    /// store.connect(panel, to: store.values(of: \.position).debounce(for: .milliseconds(7)))
    /// ```
    ///
    /// Props are created off the store and off the consumer, and delivered only if they differ from the last ones.
    ///
    /// - Parameters:
    ///   - consumer: The consumer. It is held weakly.
    ///   - values: The input of the props. The connection iterates over it from its start.
    ///   - executor: The executor for creating props; nil for the default executor.
    ///   - start: Whether the connection begins now or later.
    /// - Returns: The connection. It continues if it is not retained.
    @inlinable
    @discardableResult
    public nonisolated func connect<Consumer: StateConsumer, Values: AsyncSequence & Sendable>(
        _ consumer: Consumer,
        to values: Values,
        on executor: (any TaskExecutor)? = nil,
        start: Connection.Start = .immediately
    ) -> Connection where Consumer.Action == Action, Values.Element == Consumer.State, Values.Failure == Never {
        let send = sender
        return .feed(consumer, from: reference, on: executor, start: start) {
            values
        } props: { consumer, state in
            consumer.props(from: state, send: send)
        }
    }

    /// Connects a consumer to an observation of the state.
    @inlinable
    nonisolated func connection<Consumer: StateConsumer>(
        feeding consumer: Consumer,
        with observed: Observed<State, Consumer.State>,
        on executor: (any TaskExecutor)?,
        start: Connection.Start,
        fileID: String,
        line: UInt
    ) -> Connection where Consumer.Action == Action {
        let (view, send) = (view, sender)
        return .feed(consumer, from: reference, on: executor, start: start) {
            view.scope.values(of: observed, fileID: fileID, line: line)
        } props: { consumer, state in
            consumer.props(from: state, send: send)
        }
    }

    /// Sends actions without retaining the store.
    @usableFromInline nonisolated var sender: Send<Action> {
        let reference = reference.withoutHold
        return Send { action in reference.send(action) }
    }
}
