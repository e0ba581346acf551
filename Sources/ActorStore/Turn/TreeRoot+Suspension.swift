extension TreeRoot {
    /// Made when the first observer comes who can suspend the store.
    final func makeSuspension() -> TurnSuspension {
        let suspension =
            sharedSuspension.load() ?? sharedSuspension.storeIfNil(TurnSuspension { [weak self] in self?.goOn() })
        // Who closes the mailbox looks for a suspension afterwards, so that one of both sees the other.
        if isClosed { suspension.lift() }
        return suspension
    }

    /// Leaves the turn parked if an observer has no room. The caller owns the turn and does not write.
    ///
    /// - Returns: whether it did; then the turn is no longer the caller's.
    @inlinable
    @inline(__always)
    final func parkIfSuspended() -> Bool {
        isSuspendable && parkIfHeld()
    }

    @usableFromInline
    final func parkIfHeld() -> Bool {
        guard let suspension = sharedSuspension.load(), suspension.isHeld else { return false }
        gate.withdrawOwner()
        if suspension.parkIfHeld() { return true }
        gate.becomeOwner()
        return false
    }
}
