import Synchronization

/// A shutdown, of a whole tree or of a branch, that waits until all effects have ended.
final class EffectWaiter: @unchecked Sendable {
    // Sound: the variables are touched only in the turn; everything else is constant, and `promise` protects itself.

    /// The effect that asked for the shutdown, and that it does not cancel; nil if no effect did.
    let caller: EffectJob?
    let request: Request
    /// The store whose effects these are, and those of the stores below it.
    let node: TreeNode
    /// Who shuts down the group that the store is one of; nil if it is shut down alone.
    let group: GroupShutdown?
    /// Whether it has cancelled the effects for which it waits.
    var cancelsEffects = false
    /// Those effects that it has not cancelled then, but for the caller, because it did not wait for them.
    var spared: [EffectJob] = []
    /// Given true when the effects and the stores have ended, or false by one whose patience has come to its end.
    let promise = Promise<Bool>()
    /// The revision at which there were no effects, while it is found out whether there will be none.
    var confirmedRevision: UInt64?
    /// Stores that had effects when all were looked at last. As long as one of them still has some, the others need not
    /// be looked at, so that the ends of many effects together look at each store once.
    var running: [TreeNode] = []
    /// Whether it waits no longer.
    var isOver = false
    /// Whether it is in the list of those that wait.
    var isNoted = false
    /// Whether it ends its store when it waits for nothing any more; before, others only know of it.
    var hasBegun = false
    /// Which effect it watches, and whether it has to be looked at; see ``ShutdownsByEffects``.
    var watched: ObjectIdentifier?
    var isUnsettled = false
    /// The caller, if it is an effect of another tree, or of a store outside the branch, so that its end has to be
    /// told.
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

    /// How the end of a store was asked for.
    enum Request {
        /// By a task that waits for the end.
        case awaited
        /// By a task that waits for the end, and was cancelled before it asked: so the effects are cancelled at once.
        case awaitedByCancelledTask
        /// By a caller that does not wait: so the store ends only when the effect has ended that asked for it, if one
        /// did.
        case begun
        /// By a cancelled task that waits in ``Store/run(endingWithin:clock:isolation:)`` for the end of the store, and
        /// not for the effects that go on then.
        case run
    }

    /// Whether the store ends only when the effect that asked for that has ended.
    var waitsForCaller: Bool { request == .begun }

    /// Whether it lets ``Store/run(endingWithin:clock:isolation:)`` return.
    var endsRun: Bool { request == .run }

    /// Whether the shutdown has cancelled the effects itself, because the task that waits was cancelled before.
    var wasCancelled: Bool { request == .awaitedByCancelledTask }

    /// The caller, unless the store ends only when that has ended.
    var exception: EffectJob? { waitsForCaller ? nil : caller }

    /// Those of the spared effects that go on.
    var sparedAndRunning: [EffectJob] { spared.filter { !$0.isOver && !$0.isTaskCancelled } }
}

/// Shutdowns in the order in which they came, any of which can leave early. A plain value.
struct EffectWaiterList {
    private var entries: [EffectWaiter] = []
    /// How many of them have left.
    private var left = 0

    /// Those that are noted, in the order in which they came.
    var waiters: [EffectWaiter] { left == 0 ? entries : entries.filter(\.isNoted) }

    mutating func append(_ waiter: EffectWaiter) { entries.append(waiter) }

    /// Counts one that has left. The caller has set its ``EffectWaiter/isNoted`` to false.
    ///
    /// - Complexity: O(1) amortised over all that have left.
    mutating func noteDeparture() {
        left += 1
        guard left * 2 > entries.count else { return }
        entries.removeAll { !$0.isNoted }
        left = 0
    }
}
