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
