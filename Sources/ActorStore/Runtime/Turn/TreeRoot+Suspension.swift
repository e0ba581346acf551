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
        extras.contains(.suspension) && parkIfHeld()
    }

    @usableFromInline
    final func parkIfHeld() -> Bool {
        guard let suspension = sharedSuspension.load(), suspension.isHeld else { return false }
        gate.withdrawOwner()
        while suspension.parkIfHeld() {
            guard suspension.takeBackIfUrgent() else { return true }
            gate.becomeOwner()
            runUrgentTasks()
            let work = takeDeferredWork()
            gate.withdrawOwner()
            // Not put back: nobody might pass the turn on for long.
            if let work { runInBackground { work.perform(for: self) } }
        }
        gate.becomeOwner()
        return false
    }

    /// Does what is to be done in a turn even if an observer suspends the store. The caller owns the turn.
    @usableFromInline
    final func runUrgentTasks() {
        guard let suspension = sharedSuspension.load() else { return }
        let tasks = suspension.takeUrgent()
        guard !tasks.isEmpty else { return }
        endWriting()
        inCleanContext { for task in tasks { task.run() } }
    }
}
