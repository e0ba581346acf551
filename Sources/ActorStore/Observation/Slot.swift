/// One observer's place in a ``Broadcast``: everything in it is touched only under the broadcast's lock.
@usableFromInline
final class Slot<Element: Sendable>: @unchecked Sendable {
    // Sound: see above; `Broadcast` is the only user. Exclusivity follows from the lock, and is not checked again.

    /// What it keeps for the observer; nil if the observer wants only the newest element, which the broadcast has.
    @exclusivity(unchecked) @usableFromInline var buffer: ElementBuffer<Element>?
    /// The version of the broadcast that the observer has seen.
    @exclusivity(unchecked) @usableFromInline var seen: UInt64 = 0
    /// Whether the store knows of the observer by now.
    @exclusivity(unchecked) @usableFromInline var isActive = false
    @exclusivity(unchecked) @usableFromInline var isCancelled = false
    /// The observer, when it waits.
    @exclusivity(unchecked) @usableFromInline var waiter: UnsafeContinuation<Void, Never>?
    /// Its place among the broadcast's waiting slots, or -1.
    @exclusivity(unchecked) @usableFromInline var waitingIndex = -1
    /// Its place among the broadcast's slots with a buffer, or -1.
    @exclusivity(unchecked) @usableFromInline var bufferedIndex = -1

    /// Whether it depends on the broadcast to keep its newest element.
    @usableFromInline let needsNewest: Bool

    /// Whether `buffer` was ever there; a constant, so that it can be asked for without the lock.
    @usableFromInline let isBuffered: Bool

    init(policy: BufferingPolicy) {
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
