import Synchronization

/// An asynchronous sequence of what a store publishes: values of a part of its state, actions, or errors.
///
/// The observation starts when the sequence is created, not when the iteration starts, so nothing in between is missed.
/// It ends after the newest element when the store is shut down or released, and at once when the iterating task is
/// cancelled. It does not retain the store.
///
/// The first iterator takes over this observation. Each further iterator starts its own. An iterator belongs to one
/// task: it is a programmer error, which traps, if two tasks wait for its next element at the same time.
public struct StoreSequence<Element: Sendable>: AsyncSequence, Sendable {
    private let first: FirstSubscription<Element>
    private let subscribe: @Sendable () -> Subscription<Element>

    @usableFromInline
    init(subscribe: @escaping @Sendable () -> Subscription<Element>) {
        self.subscribe = subscribe
        first = FirstSubscription(subscribe())
    }

    /// Creates an iterator: the first takes over the sequence's observation, each further one starts its own.
    public func makeAsyncIterator() -> Iterator {
        Iterator(subscription: first.take() ?? subscribe())
    }

    /// The number of elements that the first iterator will never receive because its buffer was full.
    ///
    /// Always 0 for ``BufferingPolicy/latest`` and ``BufferingPolicy/unbounded``.
    public var droppedCount: Int { first.droppedCount }

    /// Calls an asynchronous closure with each element, in its own task.
    ///
    /// ```swift
    /// let token = store.values(of: \.total).observe { total in await display.show(total) }
    /// let audit = store.actions.observe { action, state in await journal.write(action, state) }
    /// ```
    ///
    /// Cancelling the observation does not interrupt a call in progress: no further call starts, the store is no longer
    /// suspended by this observer, and the call's task is cancelled by a background task, so `Task.isCancelled` becomes
    /// true a moment later. A call that already waits for an actor can still run there.
    ///
    /// The task yields after 64 calls or a millisecond, so that other jobs of the executor run.
    ///
    /// For a thousand observers on one actor prefer
    /// ``Store/observe(_:isolatedTo:buffering:fileID:line:_:)-(Observed<State,Value>,_,_,_,_,_)``, which shares tasks
    /// between observers.
    ///
    /// - Parameters:
    ///   - executor: The executor of the calls; the executor of the store if it is `nil`.
    ///   - body: A closure that processes one element. The next call starts after it returns.
    /// - Returns: A token. Releasing or cancelling it ends the observation.
    public func observe(
        on executor: (any TaskExecutor)? = nil,
        _ body: @escaping @Sendable (_ element: Element) async -> Void
    ) -> StoreObservation {
        let subscription = first.take() ?? subscribe()
        let configuration = subscription.configuration ?? StoreConfiguration()
        let task = ObservingTask(
            of: subscription,
            cancelledOn: configuration.executor,
            on: executor ?? configuration.executor,
            priority: Task.currentPriority
        ) { cancellation in
            var slice = WorkSlice(configuration.limits)
            while let element = await subscription.next() {
                if cancellation.isNoted { return }
                await body(element)
                slice.finishPiece()
                guard slice.isOver else { continue }
                // A body that does not suspend must not keep the executor from its other jobs.
                await Task.yield()
                slice = WorkSlice(configuration.limits)
            }
        }
        return StoreObservation(of: task)
    }

    /// An iterator over the elements of an observation.
    public struct Iterator: AsyncIteratorProtocol {
        @usableFromInline let subscription: Subscription<Element>

        /// Returns the next element, or nil if the observation has ended or the task was cancelled.
        ///
        /// - Parameter actor: The actor on which this runs; by default the caller's.
        /// - Returns: The next element, or `nil` after the end.
        @inlinable
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> Element? {
            await subscription.next()
        }

        /// The number of elements that this iterator will never receive because its buffer was full.
        package var droppedCount: Int { subscription.broadcast.dropped(subscription.subscriber) }
    }
}

extension StoreSequence.Iterator: ObservationIterator {
    var observation: any ObservationTarget { subscription }
}

/// Retains the observation that started with the sequence until an iterator takes it.
private final class FirstSubscription<Element: Sendable>: @unchecked Sendable {
    // Sound: `subscription` is changed once, by the caller that sets `isTaken` first; everything else is constant.
    // Pairs: the exchanges with each other.
    private let isTaken = AtomicValue<Bool>(false)
    private var subscription: Subscription<Element>?
    private let broadcast: Broadcast<Element>
    private let subscriber: Subscriber<Element>

    init(_ subscription: Subscription<Element>) {
        self.subscription = subscription
        broadcast = subscription.broadcast
        subscriber = subscription.subscriber
    }

    var droppedCount: Int { broadcast.dropped(subscriber) }

    func take() -> Subscription<Element>? {
        guard !isTaken.exchangeAcquiringAndReleasing(true) else { return nil }
        defer { subscription = nil }
        return subscription
    }
}

/// Traps when two tasks request the next element of one stream at the same time. The subscription behind a stream
/// serves one task, but a stream can be passed to several.
@usableFromInline
final class StreamIteration: Sendable {
    /// Pairs: the exchange in `begin()` with the store in the `end()` before it.
    private let isUnderWay = AtomicValue<Bool>(false)

    @usableFromInline
    init() {}

    @usableFromInline
    func begin() {
        guard !isUnderWay.exchangeAcquiring(true) else {
            fatalError("Two tasks wait for the next element of one stream. Give each its own stream.")
        }
    }

    @usableFromInline
    func end() { isUnderWay.storeReleasing(false) }
}
