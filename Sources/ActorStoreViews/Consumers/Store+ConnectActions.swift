import ActorStore

extension Store {
    /// Tells a consumer of each action that is reduced from now on, with the state after it.
    ///
    /// - Parameters:
    ///   - consumer: Is held weakly.
    ///   - buffering: What is kept while it is busy: everything, or as much as it should cost at most.
    ///   - executor: Where the connection runs, and with it a consumer that is not isolated; the default one if nil.
    ///   - start: Whether it begins now or later.
    ///   - fileID: Where the connection is written; leave the default.
    ///   - line: Where the connection is written; leave the default.
    /// - Returns: the connection, which goes on if it is not kept.
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

    /// Tells a consumer of each action with a part of the state after it; otherwise like
    /// ``connect(actionsTo:buffering:on:start:fileID:line:)``.
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

    /// Updates a consumer with what a closure makes of each action and the state after it, also if it is the same as
    /// before; otherwise like ``connect(actionsTo:buffering:on:start:fileID:line:)``.
    ///
    /// - Parameters:
    ///   - consumer: Is held weakly.
    ///   - buffering: What is kept while it is busy: everything, or as much as it should cost at most.
    ///   - executor: Where the connection runs; the default one if nil.
    ///   - start: Whether it begins now or later.
    ///   - fileID: Where the connection is written; leave the default.
    ///   - line: Where the connection is written; leave the default.
    ///   - props: Makes the props, off the store and off the consumer, or nil of an action that is of no interest.
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
