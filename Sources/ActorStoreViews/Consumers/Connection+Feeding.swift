import ActorStore

extension Connection {
    /// Feeds a consumer in two steps: props are made and compared in a task of the connection's own, and only those
    /// that differ from the last ones go to the consumer.
    ///
    /// - Parameters:
    ///   - values: Begins the observation.
    ///   - props: Makes what the consumer is shown.
    @usableFromInline
    static func feed<State, Action, Consumer: PropsConsumer, Values: AsyncSequence & Sendable>(
        _ consumer: Consumer,
        from store: StoreReference<State, Action>,
        on executor: (any TaskExecutor)?,
        start: Start,
        values: @escaping @Sendable () -> Values,
        props makeProps: @escaping @Sendable (Consumer, Values.Element) -> Consumer.Props
    ) -> Connection where Values.Element: Sendable, Values.Failure == Never {
        Connection(start: start) { [weak consumer] in
            var last: Consumer.Props?
            return store.observation(of: values(), owner: consumer, on: executor, endsWhenReleased: false) {
                consumer,
                value,
                _ in
                let props = makeProps(consumer, value)
                guard props != last else { return }
                last = props
                await consumer.update(props)
            }
        }
    }

    /// Tells a consumer everything, whether it is the same as before or not.
    ///
    /// - Parameters:
    ///   - values: Begins the observation.
    ///   - receive: Tells the consumer.
    @usableFromInline
    static func tell<State, Action, Consumer: AnyObject & Sendable, Value: Sendable>(
        _ consumer: Consumer,
        from store: StoreReference<State, Action>,
        on executor: (any TaskExecutor)?,
        start: Start,
        values: @escaping @Sendable () -> StoreSequence<Value>,
        receive: @escaping @Sendable (Consumer, Value) async -> Void
    ) -> Connection {
        Connection(start: start) { [weak consumer] in
            store.observation(of: values(), owner: consumer, on: executor, endsWhenReleased: false) {
                consumer,
                value,
                _ in
                await receive(consumer, value)
            }
        }
    }
}
