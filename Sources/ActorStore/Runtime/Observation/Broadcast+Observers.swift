import Synchronization

/// What observers do, from anywhere.
extension Broadcast {
    /// What there is for an observer at this moment.
    @usableFromInline
    enum Offer {
        /// An element, and whether it is the one that came right after the observer's last, and so differs from it.
        case element(Element, isNext: Bool)
        case nothing
        case end
    }

    @inlinable
    func poll(_ slot: Slot<Element>) -> Offer {
        slot.suspension == nil ? lock.withLock { offer(slot) } : pollWithHold(slot)
    }

    @usableFromInline
    func pollWithHold(_ slot: Slot<Element>) -> Offer {
        var mustRelease = false
        let offer = lock.withLock {
            defer { mustRelease = slot.updateHold(isOver: isOver(slot)) }
            return self.offer(slot)
        }
        if mustRelease { slot.suspension?.release() }
        return offer
    }

    @inlinable
    func offer(_ slot: Slot<Element>) -> Offer {
        if slot.isCancelled { return .end }
        if let element = slot.buffer?.popFirst() {
            slot.delivered += 1
            return .element(element, isNext: false)
        }
        let current = version.loadRelaxed()
        // What one that is finished had not seen is in its buffer; what came since then is not for it.
        if !slot.isFinished, slot.buffer?.missesNewest ?? (slot.isActive && slot.seen != current), let newest {
            let isNext = slot.buffer == nil && slot.seen &+ 1 == current
            slot.seen = current
            slot.buffer?.catchUp()
            slot.delivered += 1
            return .element(newest, isNext: isNext)
        }
        return isOver(slot) || slot.buffer?.isClosed == true ? .end : .nothing
    }

    /// Has `waiter` resumed when there may be something for the observer.
    @inlinable
    func wait(_ slot: Slot<Element>, _ waiter: Waiter) {
        let mustWait = lock.withLock {
            guard slot.waiter == nil else {
                fatalError("Two tasks wait for the next element of one iterator. Give each its own iterator.")
            }
            guard !hasNews(slot) else { return false }
            slot.waiter = waiter
            slot.waitingIndex = Int32(waiting.count)
            waiting.append(slot)
            return true
        }
        if !mustWait { waiter.resume() }
    }

    /// Resumes an observer who waits, although there is nothing for it.
    func abandonWait(_ slot: Slot<Element>) {
        let waiter: Waiter? = lock.withLock {
            guard slot.waitingIndex >= 0 else { return nil }
            waiting.remove(slot, at: \.waitingIndex)
            defer { slot.waiter = nil }
            return slot.waiter
        }
        waiter?.resume()
    }

    @inlinable
    func hasNews(_ slot: Slot<Element>) -> Bool {
        if slot.isCancelled || isOver(slot) { return true }
        guard let buffer = slot.buffer else { return slot.isActive && slot.seen != version.loadRelaxed() }
        return buffer.count > 0 || buffer.missesNewest || buffer.isClosed
    }

    /// Whether nothing comes after what the observer has not taken yet.
    @inlinable
    func isOver(_ slot: Slot<Element>) -> Bool { slot.isFinished || isFinished && slot.isActive }

    /// Whether the observer has taken all that there will be.
    func isExhausted(_ slot: Slot<Element>) -> Bool {
        lock.withLock {
            if slot.isCancelled { return true }
            guard isOver(slot), slot.buffer?.count ?? 0 == 0 else { return false }
            return slot.isFinished || !(slot.buffer?.missesNewest ?? (slot.seen != version.loadRelaxed()))
        }
    }

    /// Ends one observation, after what it has not taken yet, while others go on. In the turn.
    func finish(_ slot: Slot<Element>) {
        var mustRelease = false
        let unread: Element? = lock.withLock {
            guard !slot.isFinished && !slot.isCancelled else { return nil }
            slot.isFinished = true
            mustRelease = slot.updateHold(isOver: true)
            if slot.waitingIndex >= 0 { waiting.remove(slot, at: \.waitingIndex) }
            leaveWakeUp(of: slot)
            guard slot.isActive else { return nil }
            let missesNewest = slot.buffer?.missesNewest ?? (slot.seen != version.loadRelaxed())
            if missesNewest, let newest { keepLast(newest, for: slot) }
            return removeMember(slot)
        }
        if mustRelease { slot.suspension?.release() }
        if let unread { deferred.retire(unread) }
    }

    /// Keeps the last element for an observer, because it gets none of those that come. Under the lock.
    private func keepLast(_ element: Element, for slot: Slot<Element>) {
        if slot.buffer == nil { slot.buffer = ElementBuffer(limit: 1, overflow: .dropOldest) }
        slot.buffer?.appendLast(element)
    }

    /// Takes out an observer that is told of nothing more. Under the lock.
    ///
    /// - Returns: The newest element if nobody needs it any more. The caller releases it outside the lock.
    private func removeMember(_ slot: Slot<Element>) -> Element? {
        if slot.bufferedIndex >= 0 { buffered.remove(slot, at: \.bufferedIndex) }
        guard slot.memberIndex >= 0 else { return nil }
        members.remove(slot, at: \.memberIndex)
        if slot.needsNewest { newestUsers -= 1 }
        return newestUsers == 0 && !keepsNewest ? replaceNewest(by: nil) : nil
    }

    /// Ends one observation, which gets nothing more.
    @usableFromInline
    func cancel(_ slot: Slot<Element>) {
        var mustRelease = false
        let (waiter, unread): (Waiter?, [Element?]) = lock.withLock {
            guard !slot.isCancelled else { return (nil, []) }
            slot.isCancelled = true
            mustRelease = slot.updateHold(isOver: true)
            var unread = slot.buffer?.removeAll() ?? []
            unread.append(removeMember(slot))
            guard slot.waitingIndex >= 0 else { return (nil, unread) }
            waiting.remove(slot, at: \.waitingIndex)
            defer { slot.waiter = nil }
            return (slot.waiter, unread)
        }
        if mustRelease { slot.suspension?.release() }
        waiter?.resume()
        withExtendedLifetime(unread) {}
    }

    /// Returns how many elements wait in an observer's buffer.
    func bufferedCount(_ slot: Slot<Element>) -> Int {
        lock.withLock { slot.buffer?.count ?? 0 }
    }

    /// How many elements an observer will never get.
    func dropped(_ slot: Slot<Element>) -> Int {
        lock.withLock { slot.buffer?.dropped ?? 0 }
    }
}
