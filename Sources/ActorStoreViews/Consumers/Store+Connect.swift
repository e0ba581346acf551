import ActorStore

extension Store {
    /// Feeds a consumer that makes its props itself with the whole state.
    ///
    /// The state goes to the consumer in two steps: its props are made, off the store and off the consumer, and go on
    /// to it only when they differ from the last ones. What changes while it is busy it gets as one change.
    ///
    /// - Parameters:
    ///   - consumer: Is held weakly.
    ///   - executor: Where the props are made; the default one if nil.
    ///   - start: Whether it begins now or later.
    ///   - fileID: Where the connection is written; leave the default.
    ///   - line: Where the connection is written; leave the default.
    /// - Returns: the connection, which goes on if it is not kept.
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

    /// Feeds a consumer that makes its props itself with a part of the state; otherwise like
    /// ``connect(_:on:start:fileID:line:)``.
    ///
    /// Props are made only when the part has changed.
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

    /// Feeds a consumer that makes its props itself with a part of the state, which need not be comparable; otherwise
    /// like ``connect(_:on:start:fileID:line:)``.
    ///
    /// - Parameters:
    ///   - consumer: Is held weakly.
    ///   - keyPath: The part.
    ///   - deduplication: When the props need not be made again; ``Deduplication/everyAction`` if only they tell.
    ///   - executor: Where the props are made; the default one if nil.
    ///   - start: Whether it begins now or later.
    ///   - fileID: Where the connection is written; leave the default.
    ///   - line: Where the connection is written; leave the default.
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

    /// Feeds a consumer that makes its props itself with what a closure makes of the state; otherwise like
    /// ``connect(_:on:start:fileID:line:)``.
    ///
    /// - Parameters:
    ///   - consumer: Is held weakly.
    ///   - select: Runs in the store's turn, after each, so that it must not block. What takes time belongs into the
    ///     props.
    ///   - executor: Where the props are made; the default one if nil.
    ///   - start: Whether it begins now or later.
    ///   - fileID: Where the connection is written; leave the default.
    ///   - line: Where the connection is written; leave the default.
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

    /// Feeds a consumer that makes its props itself with the values of a sequence, such as one that holds them back in
    /// time; otherwise like ``connect(_:on:start:fileID:line:)``.
    ///
    /// ```swift
    /// store.connect(panel, to: store.values(of: \.position).debounce(for: .milliseconds(7)))
    /// ```
    ///
    /// - Parameters:
    ///   - consumer: Is held weakly.
    ///   - values: What the props are made of. It is iterated from the start of the connection on.
    ///   - executor: Where the props are made; the default one if nil.
    ///   - start: Whether it begins now or later.
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

    /// Connects a consumer to what is observed of the state.
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

    /// Sends actions without keeping the store alive.
    @usableFromInline nonisolated var sender: Send<Action> {
        let reference = reference.withoutHold
        return Send { action in reference.send(action) }
    }
}
