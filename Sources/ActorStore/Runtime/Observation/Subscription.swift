import Synchronization

/// An observer's side of an observation: takes elements one after the other, and ends the observation when released.
@usableFromInline
final class Subscription<Element: Sendable>: @unchecked Sendable {
    // Sound: `previous` and `hasSkipped` are touched only by the task that iterates; the broadcast checks that there is
    // only one. `keeping` is changed once, by the caller that sets `hasLeft` first.
    @usableFromInline let broadcast: Broadcast<Element>
    @usableFromInline let subscriber: Subscriber<Element>
    private let weakRoot: WeakReference<TreeRoot>
    private var root: TreeRoot? { weakRoot.object }
    private var keeping: (any AnyObject & Sendable)?
    /// The last element that was taken, if the observation has a notion of equality.
    @exclusivity(unchecked) @usableFromInline var previous: Element?
    /// Whether the broadcast has since offered an element that equals `previous`.
    @exclusivity(unchecked) @usableFromInline var hasSkipped = false
    /// Pairs: the exchanges with each other.
    private let hasLeft = AtomicValue<Bool>(false)

    /// - Parameters:
    ///   - root: The root of the observed tree, which is notified when the observation ends.
    ///   - keeping: An object that is retained until the observation ends.
    init(
        broadcast: Broadcast<Element>,
        subscriber: Subscriber<Element>,
        root: TreeRoot?,
        keeping: (any AnyObject & Sendable)? = nil
    ) {
        self.keeping = keeping
        self.broadcast = broadcast
        self.subscriber = subscriber
        weakRoot = WeakReference(root)
    }

    deinit { leave() }

    /// The configuration of the store; nil if the store has been deallocated.
    var configuration: StoreConfiguration? { (root ?? (keeping as? StoreObservation)?.root)?.configuration }

    /// Returns the next element, or nil if the observation has ended or the task was cancelled.
    ///
    /// - Parameter isCancelledByCaller: Whether the caller calls ``cancel()`` when the task is cancelled. Cancellation
    ///   is then not checked here, which would cost as much as everything else together.
    @inlinable
    @inline(__always)
    nonisolated(nonsending) func next(isCancelledByCaller: Bool = false) async -> Element? {
        // An observer that keeps up finds nothing new: it can wait at once, which checks again under the lock. (`seen`
        // is written by this task alone once it has received an element.)
        if !subscriber.isBuffered, previous != nil, broadcast.version.loadRelaxed() == subscriber.seen {
            await wait(isCancelledByCaller: isCancelledByCaller)
        }
        while true {
            switch take() {
            case .element(let element, _):
                if isCancelledByCaller || !Task.isCancelled { return element }
                // With an element always available, the task would never wait, and so never see the cancellation.
                cancel()
                return nil
            case .end: return nil
            case .nothing: await wait(isCancelledByCaller: isCancelledByCaller)
            }
        }
    }

    /// Takes what is available for the observer, without elements that equal the previous one.
    @inlinable
    func take() -> Broadcast<Element>.PollResult {
        while true {
            let offer = broadcast.poll(subscriber)
            guard case .element(let element, let isNext) = offer, let areEqual = broadcast.areEqual else {
                return offer
            }
            // A value can change and change back between two polls. The next element differs from the last one that was
            // offered, which is not `previous` if that one was skipped.
            if !isNext || hasSkipped, let previous, areEqual(previous, element) {
                hasSkipped = true
                continue
            }
            previous = element
            hasSkipped = false
            return offer
        }
    }

    /// Replaces an element that was taken with the newest one. An element that arrives meanwhile may be left for later.
    ///
    /// - Complexity: O(*n*), where *n* is the number of buffered elements.
    func catchUp(_ element: inout Element) -> Progress {
        var progress = Progress.unchanged
        // The number of takes is limited, so that a busy sender cannot prolong this indefinitely.
        for _ in 0...broadcast.bufferedCount(subscriber) {
            switch take() {
            case .element(let newer, _):
                element = newer
                progress = .changed
            case .nothing: return progress
            case .end: return .ended
            }
        }
        return progress
    }

    /// The result of ``catchUp(_:)``.
    enum Progress { case unchanged, changed, ended }

    @inlinable
    @inline(__always)
    nonisolated(nonsending) func wait(isCancelledByCaller: Bool) async {
        guard !isCancelledByCaller else {
            return await withUnsafeContinuation { broadcast.wait(subscriber, .task($0)) }
        }
        await withTaskCancellationHandler {
            await withUnsafeContinuation { broadcast.wait(subscriber, .task($0)) }
        } onCancel: {
            broadcast.cancel(subscriber)
        }
    }

    /// Waits until there may be something new, without taking it, or until the task is cancelled. Cancellation does not
    /// end the observation.
    func waitForChange(isolation: isolated (any Actor)? = #isolation) async {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { waiter in
                broadcast.wait(subscriber, .task(waiter))
                // The handler may have run before the wait was registered.
                if Task.isCancelled { broadcast.abandonWait(subscriber) }
            }
        } onCancel: {
            broadcast.abandonWait(subscriber)
        }
    }

    /// Whether the observer has taken its last element.
    var isExhausted: Bool { broadcast.isExhausted(subscriber) }

    /// Ends the observation, and discards its unread elements.
    @usableFromInline
    func cancel() { broadcast.cancel(subscriber) }

    /// Ends the observation and its registration with the root before this is released.
    func leave() {
        broadcast.cancel(subscriber)
        guard !hasLeft.exchangeAcquiringAndReleasing(true) else { return }
        root?.leave(broadcast)
        keeping = nil
    }
}

extension Subscription: ObservationTarget {
    func cancelObservation() { leave() }

    /// Observations of actions and transitions have no root: their registry is that of the closure that feeds them.
    var registry: ObserverRegistry? { root?.observers ?? (keeping as? StoreObservation)?.registry }
}

extension Subscription {
    /// An ended observation, for a store that has been deallocated.
    @usableFromInline static var ended: Subscription {
        let broadcast = Broadcast<Element>(
            areEqual: nil,
            keepsNewest: false,
            subject: .unshared,
            deferred: DeferredWorkList(executor: nil)
        )
        let subscriber = Subscriber<Element>(policy: .latest)
        broadcast.cancel(subscriber)
        return Subscription(broadcast: broadcast, subscriber: subscriber, root: nil)
    }
}

/// One observer's state in a ``Broadcast``, touched only under the broadcast's lock.
@usableFromInline
final class Subscriber<Element: Sendable>: @unchecked Sendable {
    // Sound: `Broadcast`, the only user, touches it under its lock. Exclusivity follows from the lock, and is not
    // checked again.

    // Ordered to leave few gaps, because each observer has one.

    /// The observer's unread elements; nil if the observer receives only the newest element, which the broadcast keeps.
    @exclusivity(unchecked) @usableFromInline var buffer: ElementBuffer<Element>?
    /// The version of the broadcast that the observer has seen.
    @exclusivity(unchecked) @usableFromInline var seen: UInt64 = 0
    /// Resumes the observer if it is waiting.
    @exclusivity(unchecked) @usableFromInline var waiter: Waiter?
    /// Whether the observer has been registered within a turn.
    @exclusivity(unchecked) @usableFromInline var isActive = false
    @exclusivity(unchecked) @usableFromInline var isCancelled = false
    /// Whether nothing follows the unread elements.
    @exclusivity(unchecked) @usableFromInline var isFinished = false
    /// Whether it suspends the store at the moment.
    @exclusivity(unchecked) @usableFromInline var isHolding = false
    /// Whether it needs the broadcast to keep the newest element.
    @usableFromInline let needsNewest: Bool
    /// Whether it was created with a buffer; a constant, so that it can be read without the lock.
    @usableFromInline let isBuffered: Bool
    /// The index among the broadcast's waiting subscribers, or -1.
    @exclusivity(unchecked) @usableFromInline var waitingIndex: Int32 = -1
    /// The index among all members of the broadcast, or -1.
    @exclusivity(unchecked) var memberIndex: Int32 = -1
    /// The index among the broadcast's subscribers with a buffer, or -1.
    @exclusivity(unchecked) @usableFromInline var bufferedIndex: Int32 = -1
    /// The number of the code location where the observation started.
    let source: UInt32
    /// The revision at which it became a member.
    @exclusivity(unchecked) var since: UInt64 = 0
    /// The number of elements that the observer has received.
    @exclusivity(unchecked) @usableFromInline var delivered = 0
    /// Suspends the store while the buffer is full, if the policy asks for that.
    @usableFromInline let suspension: TurnSuspension?

    /// - Parameters:
    ///   - source: The number of the code location where the observation started.
    ///   - suspension: The suspension of the store, for a policy that suspends it.
    init(policy: BufferingPolicy, source: UInt32 = 0, suspension: TurnSuspension? = nil) {
        self.source = source
        self.suspension = suspension
        switch policy.kind {
        case .latest:
            needsNewest = true
            isBuffered = false
        case .buffer(let limit, let overflow):
            needsNewest = overflow == .dropNewest
            isBuffered = true
            buffer = ElementBuffer(limit: limit, overflow: overflow)
        }
    }
}

extension Subscriber {
    /// Suspends the store, or releases it, as the buffer demands. Called under the lock.
    ///
    /// - Parameter isOver: Whether nothing more will be published, so that there is no reason to suspend the store.
    /// - Returns: `true` if the caller must release the hold, outside the lock.
    @usableFromInline
    func updateHold(isOver: Bool) -> Bool {
        let mustHold = !isCancelled && !isOver && buffer?.suspendsStore == true
        guard mustHold != isHolding else { return false }
        isHolding = mustHold
        if mustHold { suspension?.hold() }
        return !mustHold
    }
}

/// Notifies a waiting observer that there may be something for it.
@usableFromInline
enum Waiter: Sendable {
    /// A suspended task.
    case task(UnsafeContinuation<Void, Never>)
    /// A closure to call once, outside the lock.
    case call(@Sendable () -> Void)

    @inlinable
    func resume() {
        switch self {
        case .task(let continuation): continuation.resume()
        case .call(let body): body()
        }
    }
}
