import ActorStore

extension Store {
    /// Feeds a consumer with a part of the state, as it is; otherwise like ``connect(_:on:start:fileID:line:)``.
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

    /// Feeds a consumer with what a connector makes of the whole state; otherwise like
    /// ``connect(_:on:start:fileID:line:)``.
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

    /// Feeds a consumer with what a connector makes of a part of the state; otherwise like
    /// ``connect(_:on:start:fileID:line:)``.
    ///
    /// - Parameters:
    ///   - consumer: Is held weakly.
    ///   - keyPath: The part.
    ///   - connector: Makes the props, when the part has changed.
    ///   - executor: Where the props are made; the default one if nil.
    ///   - start: Whether it begins now or later.
    ///   - fileID: Where the connection is written; leave the default.
    ///   - line: Where the connection is written; leave the default.
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

    /// Feeds a consumer with what a closure makes of a part of the state; otherwise like
    /// ``connect(_:on:start:fileID:line:)``.
    ///
    /// ```swift
    /// store.connect(badge, state: \.unread) { unread, send in Badge(count: unread.count) }
    /// ```
    ///
    /// - Parameters:
    ///   - consumer: Is held weakly.
    ///   - keyPath: The part.
    ///   - executor: Where the props are made; the default one if nil.
    ///   - start: Whether it begins now or later.
    ///   - fileID: Where the connection is written; leave the default.
    ///   - line: Where the connection is written; leave the default.
    ///   - props: Makes the props, when the part has changed, off the store and off the consumer.
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

    /// Makes props of a part of the state, off the store, and calls `body` with those that differ from the ones before,
    /// isolated to the actor given, which it does not keep alive.
    ///
    /// ```swift
    /// let token = store.observe(\.orders, map: { orders in Summary(of: orders) }, isolatedTo: display) { display, summary in
    ///     display.show(summary)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - keyPath: The part.
    ///   - map: Makes the props, in a task of the observation's own.
    ///   - executor: Where that task runs; the default one if nil.
    ///   - actor: Where the calls happen. The observation ends with the next change after it is released.
    ///   - fileID: Where the observer is written; leave the default.
    ///   - line: Where the observer is written; leave the default.
    ///   - body: What to do with new props; of what changes meanwhile it gets the newest.
    /// - Returns: a token; the observation ends when it is released or cancelled.
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
            // Asked there, because the actor itself can cancel the observation while the call waits for it.
            let call: @Sendable (isolated Isolation, Props) -> Void = { actor, props in
                if !cancellation.isNoted { body(actor, props) }
            }
            await call(actor, props)
        }
    }
}
