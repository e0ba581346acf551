import Synchronization

/// A shutdown, of a whole tree or of a branch, that waits until all effects have ended.
final class EffectWaiter: @unchecked Sendable {
    // Sound: `confirmedRevision` and `running` are touched only in the turn; everything else is constant, and `settlement`
    // protects itself.

    /// An effect that asked for the shutdown itself, and for whose end it cannot wait.
    let exception: EffectHandle?
    /// The child whose effects these are, and those of the stores below it; nil for the whole tree.
    let branch: TreeNode?
    /// Given true when the effects and the stores have ended, or false by one whose patience has come to its end.
    let settlement = Settlement<Bool>()
    /// The revision at which there were no effects, while it is found out whether there will be none.
    var confirmedRevision: UInt64?
    /// Children that had effects when all were looked at last. As long as one of them still has some, the others need not be
    /// looked at, so that the ends of many effects together look at each child once.
    var running: [UInt64] = []

    init(branch: TreeNode?, exception: EffectHandle?) {
        self.branch = branch
        self.exception = exception
    }
}

extension TreeRoot {
    /// Ends stores that are shut down and of whose effects there are none left. In the turn.
    ///
    /// - Parameter child: The child of which an effect has ended; nil if it was one of the root.
    final func resumeEffectWaiters(of child: TreeNode?) {
        for waiter in effectWaiters where waiter.confirmedRevision == nil {
            let isConcerned = waiter.branch == nil || child?.isAtOrBelow(waiter.branch) == true
            if isConcerned && !hasEffects(of: waiter) { confirm(waiter) }
        }
    }

    /// Ends a store that is shut down when none of its effects are left, which may be at once. In the turn.
    final func add(_ waiter: EffectWaiter) {
        effectWaiters.append(waiter)
        if waiter.exception == nil {
            if !hasEffects(of: waiter) { confirm(waiter) }
        } else {
            resumeAllEffectWaiters()
        }
    }

    /// The same for all, because an effect has come to wait for the end of others. In the turn.
    final func resumeAllEffectWaiters() {
        for waiter in effectWaiters where waiter.confirmedRevision == nil && !hasEffects(of: waiter) { confirm(waiter) }
    }

    /// The effects for which a shutdown does not wait: the one that asked for it, and those that have asked for shutdowns
    /// which wait for that one, or for another of these. A shutdown that no effect asked for waits for all; and so does one
    /// whose effect is over, because a task that it has started holds nothing up.
    final func exceptions(of waiter: EffectWaiter) -> [EffectHandle] {
        guard let exception = waiter.exception, !exception.isOver else { return [] }
        var exceptions = [exception]
        var others = effectWaiters.filter { $0 !== waiter && $0.exception?.isOver == false }
        while !others.isEmpty {
            let firstHeldUp = others.partition { isHeldUp($0.branch, by: exceptions) }
            if firstHeldUp == others.endIndex { break }
            exceptions += others[firstHeldUp...].compactMap(\.exception)
            others.removeSubrange(firstHeldUp...)
        }
        return exceptions
    }

    /// Whether any effect of a branch cannot end before one of these does.
    private func isHeldUp(_ branch: TreeNode?, by exceptions: [EffectHandle]) -> Bool {
        let handles = (branch == nil ? effectHandles : []) + stores(of: branch).flatMap(\.effectHandles)
        return handles.contains { handle in exceptions.contains { handle.ends(with: $0) } }
    }

    /// Has it looked at again behind all that waits, because actions that effects have sent may start others.
    private func confirm(_ waiter: EffectWaiter) {
        waiter.confirmedRevision = revision.loadRelaxed()
        inTurn { [self] in endIfConfirmed(waiter) }
    }

    private func endIfConfirmed(_ waiter: EffectWaiter) {
        guard let confirmed = waiter.confirmedRevision, effectWaiters.contains(where: { $0 === waiter }) else { return }
        waiter.confirmedRevision = nil
        guard !hasEffects(of: waiter) else { return }
        // Nobody else's actions are accepted then, so that any that was reduced may have sent others in its turn. (In a
        // tree that goes on there is no end to actions, and a second look would be followed by a third.)
        let isRepeated = waiter.branch == nil && !lifecycle.cancelsEffects
        if isRepeated && confirmed != revision.loadRelaxed() { return confirm(waiter) }
        effectWaiters.removeAll { $0 === waiter }
        end(waiter.branch)
        deferAnswer(.other { waiter.settlement.settle(true) })
    }

    private func hasEffects(of waiter: EffectWaiter) -> Bool {
        let exceptions = exceptions(of: waiter)
        if waiter.branch == nil && hasEffects(except: exceptions) { return true }
        while let child = waiter.running.last {
            if nodes[child]?.hasEffects(except: exceptions) == true { return true }
            waiter.running.removeLast()
        }
        for node in stores(of: waiter.branch) where node.hasEffects(except: exceptions) {
            waiter.running.append(node.number)
        }
        return !waiter.running.isEmpty
    }
}
