/// What has changed in the stores of a group since its observer looked last: those who have something new, each once, so that
/// an observer who falls behind costs no more than one value for each store.
@usableFromInline
final class StoreGroupNews<ID: Hashable & Sendable, Value: Equatable & Sendable>: @unchecked Sendable {
    // Sound: all variables, and those of the members, are touched only under `lock`.
    @usableFromInline typealias Member = StoreGroupNewsMember<ID, Value>

    @usableFromInline let lock = Lock()
    @usableFromInline @exclusivity(unchecked) var changed: [Member] = []
    @usableFromInline @exclusivity(unchecked) var waiter: UnsafeContinuation<Void, Never>?
    private var isFinished = false
    @usableFromInline @exclusivity(unchecked) private(set) var isCancelled = false

    init() {}

    /// Takes a new value of a store, or that the store is gone.
    func report(_ value: Value?, of member: Member) {
        let (former, waiter) = note(value, of: member)
        waiter?.resume()
        withExtendedLifetime(former) {}
    }

    /// Takes a new value of a store. In its turn; the observer is woken when that has been passed on.
    @inlinable
    func report(_ value: Value, of member: Member, in root: TreeRoot) {
        let (former, waiter) = note(value, of: member)
        if let waiter { root.deferred.add { $0.wakeUps.append(.task(waiter)) } }
        if let former { root.retire(former) }
    }

    /// - Returns: What was not seen before, for the caller to release outside the lock, because that can run a
    ///   deinitialiser, and whom to wake.
    @inlinable
    func note(_ value: Value?, of member: Member) -> (former: Value?, waiter: UnsafeContinuation<Void, Never>?) {
        lock.withLock {
            // What comes after the end would keep the members, which keep this.
            guard !member.isGone && !isCancelled else { return (nil, nil) }
            let former = member.latest
            member.latest = value
            member.isGone = value == nil
            if !member.isChanged {
                member.isChanged = true
                changed.append(member)
            }
            return (former, takeWaiter())
        }
    }

    /// Those that have something new, in the order in which that came.
    func take() -> (changed: [Member], isFinished: Bool) {
        lock.withLock {
            defer { changed = [] }
            return (changed, isFinished || isCancelled)
        }
    }

    /// What is new of a member, nil if its store is gone.
    func latest(of member: Member) -> Value? {
        lock.withLock {
            member.isChanged = false
            defer { member.latest = nil }
            return member.latest
        }
    }

    /// Waits until there may be something new, or the task is cancelled, which ends the observation.
    nonisolated(nonsending) func wait() async {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let mustWait = lock.withLock {
                    guard waiter == nil else {
                        fatalError("Two tasks wait for the next version of one iterator. Give each its own iterator.")
                    }
                    guard changed.isEmpty && !isFinished && !isCancelled else { return false }
                    waiter = continuation
                    return true
                }
                if !mustWait { continuation.resume() }
            }
        } onCancel: {
            cancel()
        }
    }

    /// Nothing comes any more.
    func finish() {
        let waiter = lock.withLock {
            isFinished = true
            return takeWaiter()
        }
        waiter?.resume()
    }

    /// The observer wants nothing more. Until then this and the members that have something new keep each other.
    func cancel() {
        let (waiter, unread) = lock.withLock {
            isCancelled = true
            defer { changed = [] }
            return (takeWaiter(), changed)
        }
        waiter?.resume()
        withExtendedLifetime(unread) {}
    }

    @inlinable
    func takeWaiter() -> UnsafeContinuation<Void, Never>? {
        defer { waiter = nil }
        return waiter
    }
}
