extension Connection {
    /// Feeds a consumer in two steps: props are made and compared in a task of the connection's own, and only those
    /// that differ from the last ones go to the consumer.
    ///
    /// - Parameters:
    ///   - values: Begins the observation.
    ///   - props: Makes what the consumer is shown.
    @usableFromInline
    static func feed<Consumer: PropsConsumer, Values: AsyncSequence & Sendable>(
        _ consumer: Consumer,
        in root: TreeRoot,
        on executor: (any TaskExecutor)?,
        start: Start,
        values: @escaping @Sendable () -> Values,
        props makeProps: @escaping @Sendable (Consumer, Values.Element) -> Consumer.Props
    ) -> Connection where Values.Element: Sendable, Values.Failure == Never {
        Connection(start: start) { [weak consumer] in
            let values = values().makeAsyncIterator()
            let observation = (values as? any ObservationIterator)?.observation
            observation?.bind(to: consumer)
            return ObservingTask(of: observation, in: root, on: executor) { [weak consumer] cancellation in
                var (values, last) = (values, Consumer.Props?.none)
                while let value = await values.next(isolation: nil) {
                    guard !cancellation.isNoted, let consumer else { return }
                    let props = makeProps(consumer, value)
                    guard props != last else { continue }
                    last = props
                    await consumer.update(props)
                }
            }
        }
    }

    /// Tells a consumer everything, whether it is the same as before or not.
    ///
    /// - Parameters:
    ///   - values: Begins the observation.
    ///   - receive: Tells the consumer.
    @usableFromInline
    static func tell<Consumer: AnyObject & Sendable, Value: Sendable>(
        _ consumer: Consumer,
        in root: TreeRoot,
        on executor: (any TaskExecutor)?,
        start: Start,
        values: @escaping @Sendable () -> StoreSequence<Value>,
        receive: @escaping @Sendable (Consumer, Value) async -> Void
    ) -> Connection {
        Connection(start: start) { [weak consumer] in
            let subscription = values().makeAsyncIterator().subscription
            subscription.bind(to: consumer)
            return ObservingTask(of: subscription, in: root, on: executor) { [weak consumer] cancellation in
                while let value = await subscription.next() {
                    guard !cancellation.isNoted, let consumer else { return }
                    await receive(consumer, value)
                }
            }
        }
    }
}
