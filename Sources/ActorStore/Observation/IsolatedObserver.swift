import Synchronization

/// An observer whose closure is isolated to an actor, and called there by a courier.
final class IsolatedObserver<Isolation: Actor, Value: Sendable>: Parcel, ObservationTarget {
    private let subscription: Subscription<Value>
    private let courier: Courier<Isolation>
    private let body: @Sendable (isolated Isolation, Value) -> Void
    private let isCancelled = AtomicValue<Bool>(false)

    init(
        subscription: Subscription<Value>,
        courier: Courier<Isolation>,
        body: @escaping @Sendable (isolated Isolation, Value) -> Void
    ) {
        self.subscription = subscription
        self.courier = courier
        self.body = body
    }

    /// Has the courier come when there is something. It keeps the observer alive until then, or until it is cancelled.
    func waitForNews() {
        subscription.broadcast.wait(subscription.slot, .call { self.courier.handIn(self) })
    }

    func deliver(to actor: isolated Isolation) {
        while !isCancelled.loadAcquiring() {
            switch subscription.take() {
            case .element(let value, _): body(actor, value)
            case .nothing: return waitForNews()
            case .end: return
            }
        }
    }

    func discard() { cancelObservation() }

    func cancelObservation() {
        isCancelled.storeReleasing(true)
        subscription.cancel()
    }
}
