import ActorStore

/// What has changed in the stores of a group since its observer looked last: those who have something new, each once,
/// and the keys of those that have gone, if the observer was told of them. So an observer who falls behind costs no
/// more than one value for each store that there is, and one key for each that it knows of.
@usableFromInline
final class StoreGroupPendingChanges<ID: Hashable & Sendable, Value: Equatable & Sendable>: @unchecked Sendable {
    // Sound: all variables, and those of the members, are touched only under `lock`.
    @usableFromInline typealias Member = StoreGroupMemberChanges<ID, Value>

    @usableFromInline let lock = Lock()
    /// In no particular order.
    @usableFromInline @exclusivity(unchecked) var changed: [Member] = []
    /// Those that have gone, by key and number.
    @exclusivity(unchecked) private var gone: [(id: ID, member: UInt64)] = []
    private var lastNumber: UInt64 = 0
    /// How many members the first version waits for: those that have come before it and not begun yet.
    @usableFromInline @exclusivity(unchecked) var awaited = 0
    /// Whether the observer has taken the first version.
    private var isBegun = false
    /// How many members may still report something; one more until the observer has a member for each store that it
    /// finds when it comes.
    private var members = 1
    /// Whether nothing comes any more when they have ended.
    private var endsWithMembers = false
    @usableFromInline @exclusivity(unchecked) var waiter: UnsafeContinuation<Void, Never>?
    private var isFinished = false
    @usableFromInline @exclusivity(unchecked) private(set) var isCancelled = false

    init() {}

    /// Counts a member that has come.
    ///
    /// - Returns: its number, which no other one of the observation has ever had, and whether the first version waits
    ///   for it.
    func add() -> (number: UInt64, isAwaited: Bool) {
        lock.withLock {
            members += 1
            lastNumber += 1
            if !isBegun { awaited += 1 }
            return (lastNumber, !isBegun)
        }
    }

    /// Has the first version come without a member.
    func leaveOut(_ member: Member) {
        let waiter = lock.withLock { stopAwaiting(member) }
        waiter?.resume()
    }

    /// Under the lock.
    ///
    /// - Returns: whom to wake, because the first version need not wait any more.
    @inlinable
    func stopAwaiting(_ member: Member) -> UnsafeContinuation<Void, Never>? {
        guard member.isAwaited else { return nil }
        member.isAwaited = false
        awaited -= 1
        return awaited == 0 ? takeWaiter() : nil
    }

    /// Takes note that a member reports nothing more, because its store has ended or is no longer observed.
    ///
    /// - Returns: whom to wake.
    func end(_ member: Member) -> UnsafeContinuation<Void, Never>? {
        lock.withLock {
            guard !member.hasEnded else { return nil }
            member.hasEnded = true
            members -= 1
            let waiter = stopAwaiting(member)
            return finishIfAllHaveEnded() ?? waiter
        }
    }

    /// Takes a new value of a store.
    func report(_ value: Value, of member: Member) {
        let (former, waiter) = note(value, of: member)
        waiter?.resume()
        withExtendedLifetime(former) {}
    }

    /// Takes note that the store of a member is gone. What the observer was not told of it, it never will be.
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

    /// Takes a member out of those that have something new, unless the observer has taken these meanwhile. Under the
    /// lock, while the caller keeps the member.
    private func takeOut(_ member: Member) {
        let index = Int(member.changedIndex)
        guard changed.indices.contains(index), changed[index] === member else { return }
        changed.swapAt(index, changed.count - 1)
        changed[index].changedIndex = Int32(index)
        changed.removeLast()
        member.changedIndex = -1
    }

    /// - Returns: What was not seen before, for the caller to release outside the lock, because that can run a
    ///   deinitialiser, and whom to wake.
    @inlinable
    func note(_ value: Value, of member: Member) -> (former: Value?, waiter: UnsafeContinuation<Void, Never>?) {
        lock.withLock {
            // What comes after the end would keep the members, which keep this.
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

    /// What is new when the observer looks.
    struct Batch {
        var changed: [Member]
        var gone: [(id: ID, member: UInt64)]
        var isFinished: Bool

        var isEmpty: Bool { changed.isEmpty && gone.isEmpty }
    }

    /// Takes what is new, or nil as long as the first version waits for a member.
    func take() -> Batch? {
        lock.withLock {
            guard awaited == 0 || isFinished || isCancelled else { return nil }
            isBegun = true
            defer { (changed, gone) = ([], []) }
            return Batch(changed: changed, gone: gone, isFinished: isFinished || isCancelled)
        }
    }

    /// What is new of a member, for the observer, which knows of it from then on; nil if its store is gone.
    func latest(of member: Member) -> Value? {
        lock.withLock {
            member.changedIndex = -1
            if member.latest != nil { member.isTold = true }
            defer { member.latest = nil }
            return member.latest
        }
    }

    /// Waits until there may be something new, or the task is cancelled, which ends the observation.
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

    /// Nothing comes any more.
    func finish() {
        let waiter = lock.withLock {
            isFinished = true
            return takeWaiter()
        }
        waiter?.resume()
    }

    /// Takes note that the observer has a member for each store that was there when it came.
    func endLook() {
        let waiter = lock.withLock {
            members -= 1
            return finishIfAllHaveEnded()
        }
        waiter?.resume()
    }

    /// Under the lock.
    ///
    /// - Returns: whom to wake.
    private func finishIfAllHaveEnded() -> UnsafeContinuation<Void, Never>? {
        guard endsWithMembers && members == 0 else { return nil }
        isFinished = true
        return takeWaiter()
    }

    /// Nothing comes any more once all members have ended.
    func finishWithMembers() {
        let waiter = lock.withLock {
            endsWithMembers = true
            return finishIfAllHaveEnded()
        }
        waiter?.resume()
    }

    /// The observer wants nothing more. Until then this and the members that have something new keep each other.
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
