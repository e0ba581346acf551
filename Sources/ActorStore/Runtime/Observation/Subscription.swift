import Synchronization

/// An observer's side of an observation: takes elements one after the other, and ends the observation when released.
@usableFromInline
final class Subscription<Element: Sendable>: @unchecked Sendable {
    // Sound: `previous` and `hasSkipped` are touched only by the task that iterates; the broadcast checks that there is
    // only one. `keeping` is changed once, by whoever finds `hasLeft` false and sets it.
    @usableFromInline let broadcast: Broadcast<Element>
    @usableFromInline let subscriber: Subscriber<Element>
    private weak let root: TreeRoot?
    private var keeping: (any AnyObject & Sendable)?
    /// The last element that was taken, if the observation has a notion of equality.
    @exclusivity(unchecked) @usableFromInline var previous: Element?
    /// Whether the broadcast has offered an element since then that equals `previous`.
    @exclusivity(unchecked) @usableFromInline var hasSkipped = false
    /// Pairs: the exchanges with each other.
    private let hasLeft = AtomicValue<Bool>(false)

    /// - Parameters:
    ///   - root: Is told when the observer is gone.
    ///   - keeping: What must live as long as the observation.
    init(
        broadcast: Broadcast<Element>,
        subscriber: Subscriber<Element>,
        root: TreeRoot?,
        keeping: (any AnyObject & Sendable)? = nil
    ) {
        self.keeping = keeping
        self.broadcast = broadcast
        self.subscriber = subscriber
        self.root = root
    }

    deinit { leave() }

    /// The configuration of the store, if that is there.
    var configuration: StoreConfiguration? { (root ?? (keeping as? StoreObservation)?.root)?.configuration }

    /// The next element, or nil when the observation has ended or the task was cancelled.
    ///
    /// - Parameter isCancelledByCaller: whether the caller calls ``cancel()`` when the task is cancelled, so that it
    ///   need not be looked out for here, which costs as much as everything else together.
    @inlinable
    @inline(__always)
    nonisolated(nonsending) func next(isCancelledByCaller: Bool = false) async -> Element? {
        // An observer that keeps up finds nothing new: it can wait at once, and that looks again, under the lock.
        // (`seen` is written by this task alone once it has had an element.)
        if !subscriber.isBuffered, previous != nil, broadcast.version.loadRelaxed() == subscriber.seen {
            await wait(isCancelledByCaller: isCancelledByCaller)
        }
        while true {
            switch take() {
            case .element(let element, _):
                if isCancelledByCaller || !Task.isCancelled { return element }
                // Where there is always something new, it would never wait, and so never see it.
                cancel()
                return nil
            case .end: return nil
            case .nothing: await wait(isCancelledByCaller: isCancelledByCaller)
            }
        }
    }

    /// What there is at this moment that is news to the observer.
    @inlinable
    func take() -> Broadcast<Element>.PollResult {
        while true {
            let offer = broadcast.poll(subscriber)
            guard case .element(let element, let isNext) = offer, let areEqual = broadcast.areEqual else {
                return offer
            }
            // A value can change and change back between two looks. The next element differs from the last one that
            // was offered, which is not `previous` if that one was skipped.
            if !isNext || hasSkipped, let previous, areEqual(previous, element) {
                hasSkipped = true
                continue
            }
            previous = element
            hasSkipped = false
            return offer
        }
    }

    /// Replaces an element that was taken with the newest one. An element that comes meanwhile can be left for later.
    ///
    /// - Complexity: O(*n*), where *n* is the number of buffered elements.
    func catchUp(_ element: inout Element) -> Progress {
        var progress = Progress.unchanged
        // The number of takes is limited, so that a busy sender cannot prolong this without end.
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

    /// What ``catchUp(_:)`` found.
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

    /// Waits until there may be something new, without taking it, or until the task is cancelled, which does not end
    /// the observation.
    func waitForChange(isolation: isolated (any Actor)? = #isolation) async {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { waiter in
                broadcast.wait(subscriber, .task(waiter))
                // The handler may have run before there was anything to abandon.
                if Task.isCancelled { broadcast.abandonWait(subscriber) }
            }
        } onCancel: {
            broadcast.abandonWait(subscriber)
        }
    }

    /// Whether the observer has taken all that there will be.
    var isExhausted: Bool { broadcast.isExhausted(subscriber) }

    /// Ends the observation; the observer gets nothing more.
    @usableFromInline
    func cancel() { broadcast.cancel(subscriber) }

    /// Ends the observation, which is counted no longer, before it is released.
    func leave() {
        broadcast.cancel(subscriber)
        guard !hasLeft.exchangeAcquiringAndReleasing(true) else { return }
        root?.leave(broadcast)
        keeping = nil
    }
}

extension Subscription: ObservationTarget {
    func cancelObservation() { leave() }

    /// That of actions and transitions is known by way of the closure that feeds it.
    var registry: ObserverRegistry? { root?.observers ?? (keeping as? StoreObservation)?.registry }
}

extension Subscription {
    /// An observation of a store that is no more.
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

/// One observer's place in a ``Broadcast``: everything in it is touched only under the broadcast's lock.
@usableFromInline
final class Subscriber<Element: Sendable>: @unchecked Sendable {
    // Sound: see above; `Broadcast` is the only user. Exclusivity follows from the lock, and is not checked again.

    // In an order that leaves few gaps, because there is one for each observer.

    /// What it keeps for the observer; nil if the observer wants only the newest element, which the broadcast has.
    @exclusivity(unchecked) @usableFromInline var buffer: ElementBuffer<Element>?
    /// The version of the broadcast that the observer has seen.
    @exclusivity(unchecked) @usableFromInline var seen: UInt64 = 0
    /// The observer, when it waits.
    @exclusivity(unchecked) @usableFromInline var waiter: Waiter?
    /// Whether the store knows of the observer by now.
    @exclusivity(unchecked) @usableFromInline var isActive = false
    @exclusivity(unchecked) @usableFromInline var isCancelled = false
    /// Whether nothing comes after what it has.
    @exclusivity(unchecked) @usableFromInline var isFinished = false
    /// Whether it keeps the store from reducing now.
    @exclusivity(unchecked) @usableFromInline var isHolding = false
    /// Whether it depends on the broadcast to keep its newest element.
    @usableFromInline let needsNewest: Bool
    /// Whether `buffer` was ever there; a constant, so that it can be asked for without the lock.
    @usableFromInline let isBuffered: Bool
    /// Its place among the broadcast's waiting subscribers, or -1.
    @exclusivity(unchecked) @usableFromInline var waitingIndex: Int32 = -1
    /// Its place among all members of the broadcast, or -1.
    @exclusivity(unchecked) var memberIndex: Int32 = -1
    /// Its place among the broadcast's subscribers with a buffer, or -1.
    @exclusivity(unchecked) @usableFromInline var bufferedIndex: Int32 = -1
    /// The number of the place in the program where the observation began.
    let source: UInt32
    /// The revision at which it became a member.
    @exclusivity(unchecked) var since: UInt64 = 0
    /// How many elements the observer was given.
    @exclusivity(unchecked) @usableFromInline var delivered = 0
    /// What keeps the store from reducing while the buffer is full, if that is the observer's wish.
    @usableFromInline let suspension: TurnSuspension?

    /// - Parameters:
    ///   - source: The number of the place in the program where the observation began.
    ///   - suspension: For a policy that suspends the store.
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
    /// Holds the store, or lets it go, as the buffer demands; under the lock.
    ///
    /// - Parameter isOver: Whether nothing more comes, so that there is nothing to keep back.
    /// - Returns: whether the caller must release the hold, outside the lock.
    @usableFromInline
    func updateHold(isOver: Bool) -> Bool {
        let mustHold = !isCancelled && !isOver && buffer?.suspendsStore == true
        guard mustHold != isHolding else { return false }
        isHolding = mustHold
        if mustHold { suspension?.hold() }
        return !mustHold
    }
}

/// How an observer who waits is told that there may be something for it.
@usableFromInline
enum Waiter: Sendable {
    /// A task that is suspended.
    case task(UnsafeContinuation<Void, Never>)
    /// Something to call, once, outside the lock.
    case call(@Sendable () -> Void)

    @inlinable
    func resume() {
        switch self {
        case .task(let continuation): continuation.resume()
        case .call(let body): body()
        }
    }
}
