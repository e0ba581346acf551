import ActorStore

/// Feeds a consumer from a store, until the consumer or the store is gone, or it is cancelled.
///
/// It holds the consumer weakly, does not keep the store alive, and need not be kept itself: ``cancel()`` ends it, or
/// the end of a bag (``store(in:)``), but not its release. When the consumer has gone it ends with the next change, or
/// when a `StoreGroup` looks whether the store is idle.
public final class Connection: Sendable {
    /// When a connection begins.
    public enum Start: Sendable, Equatable {
        /// When it is made.
        case immediately
        /// When ``Connection/start()`` is called. Until then nothing is observed; like a ``StoreView`` it keeps no root
        /// alive meanwhile, but a child.
        case manual
    }

    private enum Phase: Sendable {
        case waiting(begin: @Sendable () -> StoreObservation)
        case starting
        case running(StoreObservation)
        case ended
    }

    private let phase: LockedValue<Phase>

    init(start: Start, begin: @escaping @Sendable () -> StoreObservation) {
        phase = LockedValue(.waiting(begin: begin))
        if start == .immediately { self.start() }
    }

    /// Begins, if it has not begun and was not cancelled: the consumer is fed from the current state on.
    public func start() {
        let before = advance { phase in
            if case .waiting = phase { .starting } else { phase }
        }
        guard case .waiting(let begin) = before else { return }
        let observation = begin()
        let meanwhile = advance { phase in
            if case .starting = phase { .running(observation) } else { phase }
        }
        if case .ended = meanwhile { observation.cancel() }
    }

    /// Ends it: nothing that the store does from now on reaches the consumer. What is on its way may still do so.
    public func cancel() {
        if case .running(let observation) = advance({ _ in .ended }) { observation.cancel() }
    }

    /// Puts the connection into a bag, with which it ends.
    public func store(in bag: inout ObservationBag) {
        bag.insert { self.cancel() }
    }

    /// - Returns: The phase before, which is not released under the lock.
    private func advance(_ transition: (Phase) -> Phase) -> Phase {
        phase.withLock { phase in
            let before = phase
            phase = transition(before)
            return before
        }
    }
}

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
