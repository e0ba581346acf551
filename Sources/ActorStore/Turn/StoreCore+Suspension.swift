extension StoreCore {
    /// Made when the first observer comes who can suspend the store.
    func makeSuspension() -> TurnSuspension {
        let suspension =
            sharedSuspension.load() ?? sharedSuspension.storeIfNil(TurnSuspension { [weak self] in self?.goOn() })
        // Who closes the mailbox looks for a suspension afterwards, so that one of both sees the other.
        if mailboxLock.withLock({ mailbox.isClosed }) { suspension.lift() }
        return suspension
    }

    /// Leaves the turn parked if an observer has no room. The caller owns the turn and does not write.
    ///
    /// - Returns: whether it did; then the turn is no longer the caller's.
    @inlinable
    @inline(__always)
    func parkIfSuspended() -> Bool {
        guard let suspension, suspension.isHeld else { return false }
        gate.withdrawOwner()
        if suspension.parkIfHeld() { return true }
        gate.becomeOwner()
        return false
    }

    /// Goes on with a turn that was parked, by way of a task: the one who made room only wanted to take an element.
    private func goOn() {
        // The one who parked it may have taken letters out of the mailbox that it has not read.
        if batchIndex < batch.count || !gate.endUnlessPending() { handOver() }
    }
}
