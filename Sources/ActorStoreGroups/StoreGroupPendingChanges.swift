import ActorStore

/// The pending changes of an observation of a group: the members with a new value, each once, and the keys of removed
/// stores that the observer has seen. So an observer that falls behind costs at most one value for each store, and one
/// key for each store that it has seen.
@usableFromInline
final class StoreGroupPendingChanges<ID: Hashable & Sendable, Value: Equatable & Sendable>: @unchecked Sendable {
    // Sound: all variables, and those of the members, are accessed only under `lock`.
    @usableFromInline typealias Member = StoreGroupMemberChanges<ID, Value>

    @usableFromInline let lock = Lock()
    /// The members with a new value, in no particular order.
    @usableFromInline @exclusivity(unchecked) var changed: [Member] = []
    /// The removed stores, by key and number.
    @exclusivity(unchecked) private var gone: [(id: ID, member: UInt64)] = []
    private var lastNumber: UInt64 = 0
    /// The number of members that the first version waits for: those that were added before it and have not begun yet.
    @usableFromInline @exclusivity(unchecked) var awaited = 0
    /// Whether the observer has taken the first version.
    private var isBegun = false
    /// The number of members that may still report values; plus one until the observer has a member for each store that
    /// existed when it was added.
    private var members = 1
    /// Whether the observation ends when all members have ended.
    private var endsWithMembers = false
    @usableFromInline @exclusivity(unchecked) var waiter: UnsafeContinuation<Void, Never>?
    private var isFinished = false
    @usableFromInline @exclusivity(unchecked) private(set) var isCancelled = false

    init() {}

    /// Registers a new member.
    ///
    /// - Returns: Its number, which is unique within the observation, and whether the first version waits for it.
    func add() -> (number: UInt64, isAwaited: Bool) {
        lock.withLock {
            members += 1
            lastNumber += 1
            if !isBegun { awaited += 1 }
            return (lastNumber, !isBegun)
        }
    }

    /// Stops the first version from waiting for a member.
    func leaveOut(_ member: Member) {
        let waiter = lock.withLock { stopAwaiting(member) }
        waiter?.resume()
    }

    /// Call it under the lock.
    ///
    /// - Returns: The continuation to resume, if the first version no longer waits.
    @inlinable
    func stopAwaiting(_ member: Member) -> UnsafeContinuation<Void, Never>? {
        guard member.isAwaited else { return nil }
        member.isAwaited = false
        awaited -= 1
        return awaited == 0 ? takeWaiter() : nil
    }

    /// Records that a member reports no more values, because its store has ended or is no longer observed.
    ///
    /// - Returns: The continuation to resume, if any.
    func end(_ member: Member) -> UnsafeContinuation<Void, Never>? {
        lock.withLock {
            guard !member.hasEnded else { return nil }
            member.hasEnded = true
            members -= 1
            let waiter = stopAwaiting(member)
            return finishIfAllHaveEnded() ?? waiter
        }
    }

    /// Records a new value of a store.
    func report(_ value: Value, of member: Member) {
        let (former, waiter) = note(value, of: member)
        waiter?.resume()
        withExtendedLifetime(former) {}
    }

    /// Records that the store of a member is gone. Values that the observer has not received are discarded.
    func leave(_ member: Member) {
        let (former, waiter) = lock.withLock {
            guard !member.isGone else { return (former: Value?.none, waiter: UnsafeContinuation<Void, Never>?.none) }
            member.isGone = true
            defer { member.latest = nil }
            takeOut(member)
            let waiter = stopAwaiting(member)
            guard member.isTold && !isCancelled else { return (member.latest, waiter) }
            gone.append((member.id, member.number))
            return (member.latest, waiter ?? takeWaiter())
        }
        waiter?.resume()
        withExtendedLifetime(former) {}
    }

    /// Removes a member from those with a new value, unless the observer has taken these meanwhile. Call it under the
    /// lock, while the caller retains the member.
    private func takeOut(_ member: Member) {
        let index = Int(member.changedIndex)
        guard changed.indices.contains(index), changed[index] === member else { return }
        changed.swapAt(index, changed.count - 1)
        changed[index].changedIndex = Int32(index)
        changed.removeLast()
        member.changedIndex = -1
    }

    /// Returns the former value that the observer has not received, for release outside the lock, because a
    /// deinitialiser may run; and the continuation to resume, if any.
    @inlinable
    func note(_ value: Value, of member: Member) -> (former: Value?, waiter: UnsafeContinuation<Void, Never>?) {
        lock.withLock {
            // A value after the end would retain the members, which retain this.
            guard !member.isGone && !isCancelled else { return (nil, nil) }
            let former = member.latest
            member.latest = value
            if member.changedIndex < 0 {
                member.changedIndex = Int32(changed.count)
                changed.append(member)
            }
            let waiter = stopAwaiting(member)
            return (former, awaited == 0 ? waiter ?? takeWaiter() : nil)
        }
    }

    /// The changes that are pending when the observer polls.
    struct Batch {
        var changed: [Member]
        var gone: [(id: ID, member: UInt64)]
        var isFinished: Bool

        var isEmpty: Bool { changed.isEmpty && gone.isEmpty }
    }

    /// Takes the pending changes; nil while the first version waits for a member.
    func take() -> Batch? {
        lock.withLock {
            guard awaited == 0 || isFinished || isCancelled else { return nil }
            isBegun = true
            defer { (changed, gone) = ([], []) }
            return Batch(changed: changed, gone: gone, isFinished: isFinished || isCancelled)
        }
    }

    /// Takes the pending value of a member, which the observer has seen from then on; nil if its store is gone.
    func latest(of member: Member) -> Value? {
        lock.withLock {
            member.changedIndex = -1
            if member.latest != nil { member.isTold = true }
            defer { member.latest = nil }
            return member.latest
        }
    }

    /// Waits until changes may be pending, or the task is cancelled, which ends the observation.
    func wait(isolation: isolated (any Actor)? = #isolation) async {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let mustWait = lock.withLock {
                    guard waiter == nil else {
                        fatalError("Two tasks wait for the next version of one iterator. Give each its own iterator.")
                    }
                    let hasNothing = isBegun ? changed.isEmpty && gone.isEmpty : awaited > 0
                    guard hasNothing && !isFinished && !isCancelled else { return false }
                    waiter = continuation
                    return true
                }
                if !mustWait { continuation.resume() }
            }
        } onCancel: {
            cancel()
        }
    }

    /// Ends the sequence.
    func finish() {
        let waiter = lock.withLock {
            isFinished = true
            return takeWaiter()
        }
        waiter?.resume()
    }

    /// Records that the observer has a member for each store that existed when it was added.
    func endLook() {
        let waiter = lock.withLock {
            members -= 1
            return finishIfAllHaveEnded()
        }
        waiter?.resume()
    }

    /// Call it under the lock.
    ///
    /// - Returns: The continuation to resume, if any.
    private func finishIfAllHaveEnded() -> UnsafeContinuation<Void, Never>? {
        guard endsWithMembers && members == 0 else { return nil }
        isFinished = true
        return takeWaiter()
    }

    /// Ends the sequence once all members have ended.
    func finishWithMembers() {
        let waiter = lock.withLock {
            endsWithMembers = true
            return finishIfAllHaveEnded()
        }
        waiter?.resume()
    }

    /// Ends the observation for the observer. Until then this and the members with a new value retain each other.
    func cancel() {
        let (waiter, unread) = lock.withLock {
            isCancelled = true
            defer { (changed, gone) = ([], []) }
            return (takeWaiter(), (changed, gone))
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
