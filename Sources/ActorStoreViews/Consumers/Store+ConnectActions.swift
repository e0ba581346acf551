import ActorStore

extension Store {
    /// Delivers each action that is reduced from now on, with the state after it, to a consumer.
    ///
    /// - Parameters:
    ///   - consumer: The consumer. It is held weakly.
    ///   - buffering: What is buffered while the consumer is busy; by default everything.
    ///   - executor: The executor of the connection, and of a consumer that is not isolated; nil for the default
    ///     executor.
    ///   - start: Whether the connection begins now or later.
    ///   - fileID: The file of the connection, for diagnostics.
    ///   - line: The line of the connection, for diagnostics.
    /// - Returns: The connection. It continues if it is not retained.
    @discardableResult
    public nonisolated func connect<Consumer: ActionConsumer>(
        actionsTo consumer: Consumer,
        buffering: BufferingPolicy = .unbounded,
        on executor: (any TaskExecutor)? = nil,
        start: Connection.Start = .immediately,
        fileID: String = #fileID,
        line: UInt = #line
    ) -> Connection where Consumer.State == State, Consumer.Action == Action {
        connect(
            actionsTo: consumer,
            state: \.self,
            buffering: buffering,
            on: executor,
            start: start,
            fileID: fileID,
            line: line
        )
    }

    /// Delivers each action that is reduced from now on, with a part of the state after it, to a consumer.
    ///
    /// - Parameters:
    ///   - consumer: The consumer. It is held weakly.
    ///   - keyPath: The part.
    ///   - buffering: What is buffered while the consumer is busy; by default everything.
    ///   - executor: The executor of the connection, and of a consumer that is not isolated; nil for the default
    ///     executor.
    ///   - start: Whether the connection begins now or later.
    ///   - fileID: The file of the connection, for diagnostics.
    ///   - line: The line of the connection, for diagnostics.
    /// - Returns: The connection. It continues if it is not retained.
    @discardableResult
    public nonisolated func connect<Consumer: ActionConsumer>(
        actionsTo consumer: Consumer,
        state keyPath: KeyPath<State, Consumer.State> & Sendable,
        buffering: BufferingPolicy = .unbounded,
        on executor: (any TaskExecutor)? = nil,
        start: Connection.Start = .immediately,
        fileID: String = #fileID,
        line: UInt = #line
    ) -> Connection where Consumer.Action == Action {
        let view = view
        return .tell(consumer, from: reference, on: executor, start: start) {
            view.scope.actions(buffering, at: CodeLocation(fileID: fileID, line: line))
        } receive: { consumer, pair in
            await consumer.receive(pair.action, state: pair.state[keyPath: keyPath])
        }
    }

    /// Updates a consumer with props that a closure derives from each action and the state after it, even if they are
    /// equal to the last ones.
    ///
    /// - Parameters:
    ///   - consumer: The consumer. It is held weakly.
    ///   - buffering: What is buffered while the consumer is busy; by default everything.
    ///   - executor: The executor of the connection; nil for the default executor.
    ///   - start: Whether the connection begins now or later.
    ///   - fileID: The file of the connection, for diagnostics.
    ///   - line: The line of the connection, for diagnostics.
    ///   - props: Returns the props, or nil to ignore an action. Runs off the store and off the consumer.
    /// - Returns: The connection. It continues if it is not retained.
    @discardableResult
    public nonisolated func connect<Consumer: PropsConsumer>(
        actionsTo consumer: Consumer,
        buffering: BufferingPolicy = .unbounded,
        on executor: (any TaskExecutor)? = nil,
        start: Connection.Start = .immediately,
        fileID: String = #fileID,
        line: UInt = #line,
        props: @escaping @Sendable (_ action: Action, _ state: State, _ send: Send<Action>) -> Consumer.Props?
    ) -> Connection {
        let (view, send) = (view, sender)
        return .tell(consumer, from: reference, on: executor, start: start) {
            view.scope.actions(buffering, at: CodeLocation(fileID: fileID, line: line))
        } receive: { consumer, pair in
            if let props = props(pair.action, pair.state, send) { await consumer.update(props) }
        }
    }
}
