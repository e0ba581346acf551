import Synchronization

/// An observer whose closure is isolated to an actor, and called there by a batcher.
final class IsolatedObserver<Isolation: Actor, Value: Sendable>: Delivery, ObservationTarget {
    private let subscription: Subscription<Value>
    private let batcher: ActorBatcher<Isolation>
    private let body: @Sendable (isolated Isolation, Value) -> Void
    /// Pairs: the load before each delivery with the store.
    private let isCancelled = AtomicValue<Bool>(false)
    /// With which object it ends, if it does.
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

    /// Hands the observer in as soon as there is something to deliver, which may be at once. The broadcast retains the
    /// observer until then, or until it is cancelled.
    func waitForNews() {
        subscription.broadcast.wait(subscription.subscriber, .call { self.batcher.enqueue(self) })
    }

    func deliver(to actor: isolated Isolation, within slice: inout WorkSlice) {
        while !isCancelled.loadAcquiring() {
            // With more to deliver, it queues up behind the other observers of the actor.
            if slice.isOver { return waitForNews() }
            switch subscription.take() {
            case .element(let value, _):
                // To take an element compares it, and the comparison, which is users' code, can cancel this.
                if isCancelled.loadAcquiring() { return }
                if binding.load()?.isOver == true { return cancelObservation() }
                body(actor, value)
                slice.finishPiece()
            case .nothing: return waitForNews()
            // The token may be kept although there is nothing more to come.
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
        // The token may be kept although the actor is no more.
        subscription.leave()
    }
}
