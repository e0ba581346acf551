/// An observer's side of an observation: takes elements one after the other, and ends the observation when released.
@usableFromInline
final class Subscription<Element: Sendable>: @unchecked Sendable {
    // Sound: `previous` is touched only by the task that iterates; that there is but one the broadcast checks.
    @usableFromInline let broadcast: Broadcast<Element>
    @usableFromInline let slot: Slot<Element>
    private let subject: ObservedSubject
    private weak let owner: (any ObservationOwner)?
    @exclusivity(unchecked) @usableFromInline var previous: Element?

    /// - Parameter owner: is told when the observer is gone.
    init(
        broadcast: Broadcast<Element>,
        slot: Slot<Element>,
        subject: ObservedSubject,
        owner: (any ObservationOwner)?
    ) {
        self.broadcast = broadcast
        self.slot = slot
        self.subject = subject
        self.owner = owner
    }

    deinit {
        broadcast.cancel(slot)
        owner?.leave(subject, broadcast)
    }

    /// The next element, or nil when the observation has ended or the task was cancelled.
    @inlinable
    nonisolated(nonsending) func next() async -> Element? {
        while true {
            switch broadcast.poll(slot) {
            case .element(let element):
                // A value can change and change back while the observer looks away: that is no news to it.
                if let areEqual = broadcast.areEqual {
                    if let previous, areEqual(previous, element) { continue }
                    previous = element
                }
                return element
            case .end:
                return nil
            case .nothing:
                await wait()
            }
        }
    }

    @usableFromInline
    nonisolated(nonsending) func wait() async {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { broadcast.wait(slot, $0) }
        } onCancel: {
            broadcast.cancel(slot)
        }
    }
}

extension Subscription {
    /// An observation of a store that is no more.
    @usableFromInline static var ended: Subscription {
        let broadcast = Broadcast<Element>(areEqual: nil, keepsNewest: false)
        let slot = Slot<Element>(policy: .latest)
        broadcast.cancel(slot)
        return Subscription(broadcast: broadcast, slot: slot, subject: .failures, owner: nil)
    }
}
