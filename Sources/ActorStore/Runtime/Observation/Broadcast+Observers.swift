import Synchronization

/// The observers' operations, which any thread may call.
extension Broadcast {
    /// What is available for an observer.
    @usableFromInline
    enum PollResult {
        /// An element, and whether it directly follows the observer's last one, and so differs from it.
        case element(Element, isNext: Bool)
        case nothing
        case end
    }

    @inlinable
    func poll(_ subscriber: Subscriber<Element>) -> PollResult {
        subscriber.suspension == nil ? lock.withLock { offer(subscriber) } : pollWithHold(subscriber)
    }

    @usableFromInline
    func pollWithHold(_ subscriber: Subscriber<Element>) -> PollResult {
        var mustRelease = false
        let offer = lock.withLock {
            defer { mustRelease = subscriber.updateHold(isOver: isOver(subscriber)) }
            return self.offer(subscriber)
        }
        if mustRelease { subscriber.suspension?.release() }
        return offer
    }

    @inlinable
    func offer(_ subscriber: Subscriber<Element>) -> PollResult {
        if subscriber.isCancelled { return .end }
        if let element = subscriber.buffer?.popFirst() {
            subscriber.delivered += 1
            return .element(element, isNext: false)
        }
        let current = version.loadRelaxed()
        // The unread elements of a finished subscriber are in its buffer; later ones are not for it.
        if !subscriber.isFinished,
            subscriber.buffer?.missesNewest ?? (subscriber.isActive && subscriber.seen != current), let newest
        {
            let isNext = subscriber.buffer == nil && subscriber.seen &+ 1 == current
            subscriber.seen = current
            subscriber.buffer?.catchUp()
            subscriber.delivered += 1
            return .element(newest, isNext: isNext)
        }
        return isOver(subscriber) || subscriber.buffer?.isClosed == true ? .end : .nothing
    }

    /// Resumes `waiter` as soon as there may be something for the observer.
    @inlinable
    func wait(_ subscriber: Subscriber<Element>, _ waiter: Waiter) {
        let mustWait = lock.withLock {
            guard subscriber.waiter == nil else {
                fatalError("Two tasks wait for the next element of one iterator. Give each its own iterator.")
            }
            guard !hasPendingChange(subscriber) else { return false }
            subscriber.waiter = waiter
            subscriber.waitingIndex = Int32(waiting.count)
            waiting.append(subscriber)
            return true
        }
        if !mustWait { waiter.resume() }
    }

    /// Resumes a waiting observer although there is nothing for it.
    func abandonWait(_ subscriber: Subscriber<Element>) {
        let waiter: Waiter? = lock.withLock {
            guard subscriber.waitingIndex >= 0 else { return nil }
            waiting.remove(subscriber, at: \.waitingIndex)
            defer { subscriber.waiter = nil }
            return subscriber.waiter
        }
        waiter?.resume()
    }

    @inlinable
    func hasPendingChange(_ subscriber: Subscriber<Element>) -> Bool {
        if subscriber.isCancelled || isOver(subscriber) { return true }
        guard let buffer = subscriber.buffer else {
            return subscriber.isActive && subscriber.seen != version.loadRelaxed()
        }
        return buffer.count > 0 || buffer.missesNewest || buffer.isClosed
    }

    /// Whether nothing follows the observer's unread elements.
    @inlinable
    func isOver(_ subscriber: Subscriber<Element>) -> Bool {
        subscriber.isFinished || isFinished && subscriber.isActive
    }

    /// Whether the observer has taken its last element.
    func isExhausted(_ subscriber: Subscriber<Element>) -> Bool {
        lock.withLock {
            if subscriber.isCancelled { return true }
            guard isOver(subscriber), subscriber.buffer?.count ?? 0 == 0 else { return false }
            return subscriber.isFinished
                || !(subscriber.buffer?.missesNewest ?? (subscriber.seen != version.loadRelaxed()))
        }
    }

    /// Ends one observation after its unread elements; the others continue. Called within the turn.
    func finish(_ subscriber: Subscriber<Element>) {
        var mustRelease = false
        let unread: Element? = lock.withLock {
            guard !subscriber.isFinished && !subscriber.isCancelled else { return nil }
            subscriber.isFinished = true
            mustRelease = subscriber.updateHold(isOver: true)
            if subscriber.waitingIndex >= 0 { waiting.remove(subscriber, at: \.waitingIndex) }
            leaveWakeUp(of: subscriber)
            guard subscriber.isActive else { return nil }
            let missesNewest = subscriber.buffer?.missesNewest ?? (subscriber.seen != version.loadRelaxed())
            if missesNewest, let newest { keepLast(newest, for: subscriber) }
            return removeMember(subscriber)
        }
        if mustRelease { subscriber.suspension?.release() }
        if let unread { deferred.retire(unread) }
    }

    /// Keeps the last element for an observer that receives no later ones. Called under the lock.
    private func keepLast(_ element: Element, for subscriber: Subscriber<Element>) {
        if subscriber.buffer == nil { subscriber.buffer = ElementBuffer(limit: 1, overflow: .dropOldest) }
        subscriber.buffer?.appendLast(element)
    }

    /// Removes an observer that receives no further elements. Called under the lock.
    ///
    /// - Returns: The newest element if it is no longer needed. The caller releases it outside the lock.
    private func removeMember(_ subscriber: Subscriber<Element>) -> Element? {
        if subscriber.bufferedIndex >= 0 { buffered.remove(subscriber, at: \.bufferedIndex) }
        guard subscriber.memberIndex >= 0 else { return nil }
        members.remove(subscriber, at: \.memberIndex)
        if subscriber.needsNewest { newestUsers -= 1 }
        return newestUsers == 0 && !keepsNewest ? replaceNewest(by: nil) : nil
    }

    /// Ends one observation, and discards its unread elements.
    @usableFromInline
    func cancel(_ subscriber: Subscriber<Element>) {
        var mustRelease = false
        let (waiter, unread): (Waiter?, [Element?]) = lock.withLock {
            guard !subscriber.isCancelled else { return (nil, []) }
            subscriber.isCancelled = true
            mustRelease = subscriber.updateHold(isOver: true)
            var unread = subscriber.buffer?.removeAll() ?? []
            unread.append(removeMember(subscriber))
            guard subscriber.waitingIndex >= 0 else { return (nil, unread) }
            waiting.remove(subscriber, at: \.waitingIndex)
            defer { subscriber.waiter = nil }
            return (subscriber.waiter, unread)
        }
        if mustRelease { subscriber.suspension?.release() }
        waiter?.resume()
        withExtendedLifetime(unread) {}
    }

    /// Returns the number of elements in an observer's buffer.
    func bufferedCount(_ subscriber: Subscriber<Element>) -> Int {
        lock.withLock { subscriber.buffer?.count ?? 0 }
    }

    /// Returns the number of elements that an observer will never receive.
    func dropped(_ subscriber: Subscriber<Element>) -> Int {
        lock.withLock { subscriber.buffer?.dropped ?? 0 }
    }
}
