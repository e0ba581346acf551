import Synchronization

/// An observer whose closure is isolated to an actor, and is called there by a batcher.
final class IsolatedObserver<Isolation: Actor, Value: Sendable>: Delivery, ObservationTarget {
    private let subscription: Subscription<Value>
    private let batcher: ActorBatcher<Isolation>
    private let body: @Sendable (isolated Isolation, Value) -> Void
    /// Pairs: the load before each delivery with the store.
    private let isCancelled = AtomicValue<Bool>(false)
    /// The object that bounds the observation, if there is one.
    private let binding = LazyReference<ObservationBinding>()

    init(
        subscription: Subscription<Value>,
        batcher: ActorBatcher<Isolation>,
        body: @escaping @Sendable (isolated Isolation, Value) -> Void
    ) {
        self.subscription = subscription
        self.batcher = batcher
        self.body = body
    }

    /// Enqueues the observer as soon as there is something to deliver, which may be at once. The broadcast retains the
    /// observer until then, or until it is cancelled.
    func waitForChange() {
        subscription.broadcast.wait(subscription.subscriber, .call { self.batcher.enqueue(self) })
    }

    func deliver(to actor: isolated Isolation, within slice: inout WorkSlice) {
        while !isCancelled.loadAcquiring() {
            // The rest is enqueued behind the actor's other observers.
            if slice.isOver { return waitForChange() }
            switch subscription.take() {
            case .element(let value, _):
                // Taking an element compares it, and the comparison, which is user code, can cancel this observer.
                if isCancelled.loadAcquiring() { return }
                if binding.load()?.isOver == true { return cancelObservation() }
                body(actor, value)
                slice.finishPiece()
            case .nothing: return waitForChange()
            // The token may be retained although nothing more will come.
            case .end: return subscription.leave()
            }
        }
    }

    func discard() { cancelObservation() }

    func bind(to owner: some AnyObject & Sendable) {
        let binding = ObservationBinding(of: self, to: owner)
        _ = self.binding.storeIfNil(binding)
        subscription.registry?.add(binding)
    }

    func cancelObservation() {
        isCancelled.storeReleasing(true)
        // The token may be retained although the actor is deallocated.
        subscription.leave()
    }
}

/// Calls closures that are isolated to one actor, as many in one flush as a ``WorkSlice`` allows.
///
/// A flush costs a task and a switch to the actor, a call a few nanoseconds. So observers of a store that are isolated
/// to the same actor share a batcher. Between two flushes the actor runs its other jobs.
final class ActorBatcher<Isolation: Actor>: @unchecked Sendable {
    // Sound: `waiting` and `isOnItsWay` are touched only under `lock`. `batch` is touched only by the task under way.
    // There is at most one: it is created by the enqueuer that sets `isOnItsWay`, or by the task before it as its last
    // step, and a task that clears `isOnItsWay` does not touch `batch` afterwards.
    private let lock = Lock()
    private var waiting: [any Delivery<Isolation>] = []
    private var isOnItsWay = false
    /// Deliveries to make before those in `waiting`, in reverse order.
    private var batch: [any Delivery<Isolation>] = []

    private(set) weak var actor: Isolation?
    /// The executor of the flushes, or nil for the default executor.
    let executor: (any TaskExecutor)?
    private let limits: WorkLimits

    /// Creates a batcher for an actor, which it does not retain.
    ///
    /// - Parameters:
    ///   - actor: The actor on which the closures are called.
    ///   - executor: The executor of the flushes, unless the actor has its own. Ignored for the main actor, whose
    ///     observers would wait for an executor on which they do not run.
    ///   - limits: The limits of the work in one flush.
    init(to actor: Isolation, on executor: (any TaskExecutor)?, limits: WorkLimits) {
        self.actor = actor
        // The executors of other actors are not requested: `unownedExecutor` is user code, and this may run under a
        // lock.
        self.executor = Isolation.self == MainActor.self ? nil : executor
        self.limits = limits
    }

    /// Adds a delivery to the next flush. A delivery is enqueued again only after it has started.
    func enqueue(_ delivery: any Delivery<Isolation>) {
        let mustGo = lock.withLock {
            waiting.append(delivery)
            defer { isOnItsWay = true }
            return !isOnItsWay
        }
        if mustGo { go() }
    }

    /// Starts a task that delivers. Each flush has its own task, so that nothing retains the actor between two flushes.
    private func go() {
        Task.detached(executorPreference: executor) { [self] in
            if let actor { await flush(actor) } else { giveUp() }
        }
    }

    /// Delivers until nothing is waiting, or leaves the rest to another flush, behind the actor's other jobs.
    private func flush(_ actor: isolated Isolation) {
        var slice = WorkSlice(limits)
        while let delivery = nextDelivery() {
            guard !slice.isOver else {
                batch.append(delivery)
                return go()
            }
            delivery.deliver(to: actor, within: &slice)
        }
    }

    /// Discards the deliveries for an actor that has been deallocated.
    private func giveUp() {
        while let delivery = nextDelivery() { delivery.discard() }
    }

    /// Removes and returns the next delivery. If nothing is left, the task must end.
    private func nextDelivery() -> (any Delivery<Isolation>)? {
        if let delivery = batch.popLast() { return delivery }
        let deliveries = lock.withLock {
            defer { waiting = [] }
            if waiting.isEmpty { isOnItsWay = false }
            return waiting
        }
        guard !deliveries.isEmpty else { return nil }
        batch = deliveries.reversed()
        return batch.popLast()
    }
}

/// What a batcher delivers.
protocol Delivery<Isolation>: AnyObject, Sendable {
    associatedtype Isolation: Actor
    /// Delivers until nothing is left or the slice is over. If something is left, the delivery enqueues itself again.
    func deliver(to actor: isolated Isolation, within slice: inout WorkSlice)
    func discard()
}
