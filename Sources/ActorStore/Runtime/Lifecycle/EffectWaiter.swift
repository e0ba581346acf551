import Synchronization

/// A shutdown, of a whole tree or of a branch, that waits until all effects have ended.
final class EffectWaiter: @unchecked Sendable {
    // Sound: the variables are accessed only in the turn; everything else is constant, and `promise` has a lock of its
    // own.

    /// The effect that requested the shutdown, and that the shutdown does not cancel; `nil` if no effect did.
    let caller: EffectJob?
    let request: Request
    /// The store that is shut down. The shutdown waits for its effects and for those of the stores below it.
    let node: TreeNode
    /// The shutdown of the group that the store belongs to; `nil` if the store is shut down alone.
    let group: GroupShutdown?
    /// Whether it has cancelled the effects that it waits for.
    var cancelsEffects = false
    /// The effects that it did not cancel then because it did not wait for them, except the caller.
    var spared: [EffectJob] = []
    /// Fulfilled with `true` when the effects and the stores have ended, or with `false` when the time to wait is over.
    let promise = Promise<Bool>()
    /// The revision at which there were no effects, until it is confirmed that there will be no more.
    var confirmedRevision: UInt64?
    /// The stores that had effects when all were checked last. While one of them still has effects, the others need not
    /// be checked, so that the ends of many effects together check each store once.
    var running: [TreeNode] = []
    /// Whether it no longer waits.
    var isOver = false
    /// Whether it is registered with its store.
    var isNoted = false
    /// Whether it ends its store once it waits for nothing more. Before that, it is only announced.
    var hasBegun = false
    /// The effect that it watches, and whether it has to be checked; see ``ShutdownsByEffects``.
    var watched: ObjectIdentifier?
    var isUnsettled = false
    /// The caller, if it is an effect of another tree or of a store outside the branch, so that its end has to be
    /// reported.
    var callerElsewhere: EffectJob?

    init(
        node: TreeNode,
        caller: EffectJob?,
        request: Request = .awaited,
        group: GroupShutdown? = nil
    ) {
        self.node = node
        self.caller = caller
        self.request = request
        self.group = group
    }

    /// How the end of a store was requested.
    enum Request {
        /// By a task that waits for the end.
        case awaited
        /// By a task that waits for the end, and was cancelled before the request, so that the effects are cancelled at
        /// once.
        case awaitedByCancelledTask
        /// By a caller that does not wait. If that is an effect, the store ends only after the effect has ended.
        case begun
        /// By a cancelled task that waits in ``Store/run(endingWithin:clock:isolation:)`` for the end of the store, and
        /// not for effects that continue after that.
        case run
    }

    /// Whether the store ends only after the effect that requested this has ended.
    var waitsForCaller: Bool { request == .begun }

    /// Whether it lets ``Store/run(endingWithin:clock:isolation:)`` return.
    var endsRun: Bool { request == .run }

    /// Whether the shutdown has cancelled the effects itself, because the waiting task was cancelled before.
    var wasCancelled: Bool { request == .awaitedByCancelledTask }

    /// The caller, unless the store ends only after the caller has ended.
    var exception: EffectJob? { waitsForCaller ? nil : caller }

    /// The spared effects that still run and have not been cancelled.
    var sparedAndRunning: [EffectJob] { spared.filter { !$0.isOver && !$0.isTaskCancelled } }
}

/// Shutdowns in the order of their registration, any of which can be removed early. A plain value.
struct EffectWaiterList {
    private var entries: [EffectWaiter] = []
    /// The number of entries that were removed.
    private var left = 0

    /// The registered shutdowns, in the order of their registration.
    ///
    /// - Complexity: O(*n*) if any were removed since the last clean-up; otherwise O(1).
    var waiters: [EffectWaiter] { left == 0 ? entries : entries.filter(\.isNoted) }

    mutating func append(_ waiter: EffectWaiter) { entries.append(waiter) }

    /// Counts a shutdown that was removed. The caller has set its ``EffectWaiter/isNoted`` to false.
    ///
    /// - Complexity: O(1), amortised over all removals.
    mutating func noteDeparture() {
        left += 1
        guard left * 2 > entries.count else { return }
        entries.removeAll { !$0.isNoted }
        left = 0
    }
}
