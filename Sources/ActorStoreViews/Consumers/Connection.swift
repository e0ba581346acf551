import ActorStore

/// Delivers values from a store to a consumer, until the consumer or the store is released, or the connection is
/// cancelled.
///
/// It holds the consumer weakly, does not retain the store, and need not be retained itself: it ends with ``cancel()``
/// or with a bag (``store(in:)``), but not when it is released. After the release of the consumer it ends with the next
/// change, or when a `StoreGroup` checks whether the store is idle.
public final class Connection: Sendable {
    /// The time at which a connection begins.
    public enum Start: Sendable, Equatable {
        /// The connection begins when it is created.
        case immediately
        /// The connection begins when ``Connection/start()`` is called. Until then nothing is observed. A sequence that
        /// you connect observes from its own creation on. Like a ``StoreView``, it does not retain a root meanwhile;
        /// it retains a child.
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

    /// Starts the connection, if it has not started and was not cancelled. The consumer receives the current state
    /// first.
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

    /// Cancels the connection. Later changes of the store do not reach the consumer; a delivery in progress may still
    /// do so.
    public func cancel() {
        if case .running(let observation) = advance({ _ in .ended }) { observation.cancel() }
    }

    /// Adds the connection to a bag, with which it ends.
    public func store(in bag: inout ObservationBag) {
        bag.insert { self.cancel() }
    }

    /// Returns the former phase, so that it is not released under the lock.
    private func advance(_ transition: (Phase) -> Phase) -> Phase {
        phase.withLock { phase in
            let before = phase
            phase = transition(before)
            return before
        }
    }
}

extension Connection {
    /// Delivers props to a consumer in two steps: they are created and compared in a task of the connection, and
    /// delivered only if they differ from the last ones.
    ///
    /// - Parameters:
    ///   - values: Begins the observation.
    ///   - props: Creates the props.
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

    /// Delivers every value to a consumer, even if it is equal to the last one.
    ///
    /// - Parameters:
    ///   - values: Begins the observation.
    ///   - receive: Delivers a value.
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
