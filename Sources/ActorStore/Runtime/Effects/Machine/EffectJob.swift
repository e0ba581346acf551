import Synchronization

/// One effect operation, a group of operations with one identity, or a step of an effect that can be cancelled before
/// it is due: from its registration to its end.
@usableFromInline
final class EffectJob: RunningEffect, @unchecked Sendable {
    // Sound, by kinds:
    // - Constants, and `word`, which is atomic.
    // - `task` is written once, before `word` says so with release ordering, and read only after a load of that with
    //   acquire ordering.
    // - Written before the task is started, and read by what that task calls, or within the turn: `awaiter`,
    //   `lastMember`, `isKnownToRules`, `told`, `priorityOfWhole`, `droppedFeedback`.
    // - `content`: a group's is touched within the turn; that of others when the job is created, and afterwards only by
    //   its task. Which of the two it is never changes.
    // - `sinceBeginning` is set before the wait has ended, by the caller that ends it, and read within the turn after a
    //   load that saw the end.
    // - `currentHost` is set before the task is started, and from then on touched only under `lock`.
    // - Everything else is touched only within the turn, before the task is started, or by the task before its end is
    //   recorded.
    //
    // Exclusivity follows from that, and is not checked again, which every effect would pay for.

    /// Does the work in the job's task, and returns its unhandled error.
    @usableFromInline typealias Body = @Sendable (EffectJob) async -> (any Error)?

    /// What the job does.
    enum Content {
        case work(Body)
        /// A plan that begins when the group may begin.
        case group(EffectPlan)
        /// A step without its own work, or work that is done.
        case nothing
    }

    // MARK: Constants

    /// Increases with each job of a store, in the order of registration.
    let number: UInt64
    /// The identity of the effect, and the options that decide when it begins.
    let options: EffectOptions
    /// Where the job is registered under its identity or for its child; nil if it has neither. Read only within the
    /// turn.
    let place: EffectPlace?
    /// Whether it continues after its child has been removed.
    let isDetached: Bool
    /// The path by which its child is found; empty if it has none. Read only within the turn.
    let way: [ChildStep]
    /// Whether it represents other jobs, which begin when it may begin.
    let isGroup: Bool
    /// The number of steps of the path that lead to the nearest presented child; 0 if there is no such child.
    let presentationDepth: UInt16
    /// The tracker of the action's ``StoreTask``.
    @usableFromInline let tracker: EffectTracker

    // MARK: Its beginning and its end, decided within the turn

    private var content: Content
    /// The number of the last job that is a part of this one; its own number if it has no parts.
    var lastMember: UInt64
    /// Whether its queue or its throttle must be notified of its end.
    var isKnownToRules = false
    /// Its state in the queue of its identity; nil if it is not in the queue.
    var inQueue: EffectInQueue?
    /// The smallest group that it was a part of, if it has ended before its last action was reduced.
    private var formerGroup: EffectJob?
    /// The number of its parts that have ended before all of their actions were reduced.
    private var unreducedParts = 0
    /// Whether its store counts it as running.
    var isCounted = false
    /// Whether a shutdown has reported that it did not end in time.
    var isReportedAsLate = false
    /// Whether it is a delay that has elapsed.
    private(set) var isDelayOver = false
    /// The node that continues after its end; nil if nothing follows.
    @exclusivity(unchecked) var node: EffectNode?
    /// What its task waits for before it does anything.
    @exclusivity(unchecked) var wait: EffectWait?
    /// If it is debounced, the time since the first request that it represents.
    var burst: Stopwatch?
    /// If it is throttled and had to wait, the time since it began its work.
    private(set) var sinceBeginning: Stopwatch?
    /// When it began, possibly with a wait.
    private var beginning: ContinuousClock.Instant?

    // MARK: Its task

    /// Pairs: all changes, which are read-modify-writes, with each other and with the loads. The loads of `task` depend
    /// on `attach`; `endWaiting` and `cancelIfWaiting`, and `end` and `beginFeedback`, decide which of the two was
    /// first.
    let word = AtomicValue<UInt64>(0)
    var task: Task<Void, Never>?
    /// The effect that waits for the end of this one, and so ends later, if there is one.
    var awaiter: EffectJob?
    /// Its records for instruments, if there are any.
    var told: TracedEffect?
    /// The priority with which the whole effect was started, as a number; jobs that begin after this one have it as
    /// well. Set only if its end can begin another job.
    @exclusivity(unchecked) var priorityOfWhole: UInt8 = 0

    let lock = Lock()
    var currentHost: (any StoreNode)?
    /// The counter of its store.
    var droppedFeedback: DroppedFeedback?

    /// The effect of the current task.
    static var current: EffectJob? { CurrentEffect.effect as? EffectJob }

    init(
        _ content: Content,
        _ options: EffectOptions,
        number: UInt64,
        scope: EffectScope,
        place: EffectPlace?,
        tracker: EffectTracker
    ) {
        self.content = content
        self.options = options
        self.number = number
        self.place = place
        self.tracker = tracker
        isGroup = if case .group = content { true } else { false }
        isDetached = scope.isDetached
        way = scope.path.way
        presentationDepth = UInt16(clamping: scope.presentationDepth)
        lastMember = number
    }

    var id: EffectID? { options.id }

    /// Whether it belongs to a child.
    @usableFromInline var isOfChild: Bool { !way.isEmpty }

    /// The store that runs it, until it has ended. What retains an ended job, such as a stored ``Send``, does not
    /// retain the store.
    @usableFromInline var host: (any StoreNode)? { lock.withLock { currentHost } }

    var storeExecutor: (any TaskExecutor)? { host?.root.configuration.executor }

    /// Counts an action that it sends after its end.
    @usableFromInline
    func dropStaleAction() -> SendOutcome { droppedFeedback?.drop() ?? .dropped }

    // MARK: Properties

    /// The work of its task; nil if it is a group or a step, or if the work is done.
    var work: Body? { if case .work(let body) = content { body } else { nil } }

    /// Whether a throttle decides when it begins.
    var isThrottled: Bool { if case .throttle = options.timing?.kind { true } else { false } }

    func noteDelay(isOver: Bool) { isDelayOver = isOver }

    /// The groups that it is a part of, the smallest first. Read within the turn.
    var groups: [EffectJob] { node?.groups ?? [] }

    /// Removes and returns the plan of a group that has not begun, because what its parts send must not live as long as
    /// the group. Called within the turn.
    func takePlan() -> EffectPlan? {
        guard isGroup, case .group(let plan) = content else { return nil }
        content = .nothing
        return plan
    }

    /// Whether its end can begin other jobs. Its own task starts them, because only that has the context of the
    /// dispatcher.
    var canBeginOthers: Bool { isGroup || isKnownToRules || node != nil }

    /// Whether it does nothing by itself until other jobs of its store have ended: it has not begun, or is a group that
    /// has begun, or waits in a queue. Read within the turn.
    var waitsForOthers: Bool { !hasEnded && (!hasBegun || isGroup && wait == nil || waitsInQueue) }

    /// Whether it is debounced or throttled and still waits for its time, so that it represents new requests as well.
    /// The time of jobs that wait in a queue has already passed. Read within the turn.
    var waitsForItsTime: Bool { if case .time = wait { isWaiting } else { false } }

    /// Whether it waits in the queue of its identity, and so has not begun. Read within the turn.
    var waitsInQueue: Bool { queuePosition != nil }

    /// Its position in the queue of its identity; nil if it does not wait there. Read within the turn.
    var queuePosition: SuspensionQueue<EffectJob>.Key? {
        if case .waiting(let position) = inQueue { position } else { nil }
    }

    /// Whether a shutdown that an effect requests waits for it in any case: it does not wait for other effects, for the
    /// end of a store or in a queue, and does not continue after the end of its store. Read within the turn.
    var isIndependent: Bool { !state.awaitsOthers && !isSpared && !waitsInQueue }

    /// Whether it, or a group that it is a part of, occupies a slot in a queue. Read within the turn.
    var isInQueue: Bool { holdsSlot || groups.contains(where: \.holdsSlot) }

    /// Whether it is one of the jobs that the queue of its identity lets run. Read within the turn.
    var holdsSlot: Bool { if case .running = inQueue { true } else { false } }

    /// Returns for how long it has been running or waiting, even if it is cancelled; nil if it does not run. For
    /// diagnostics. Called within the turn.
    func runningTime(at now: ContinuousClock.Instant) -> Duration? {
        guard let beginning, !isOver else { return nil }
        return beginning.duration(to: now)
    }

    /// This job, the job that waits for it, the job that waits for that, and so on.
    var andAwaiters: some Sequence<EffectJob> { sequence(first: self, next: \.awaiter) }

    /// Leaves the plan that it is a part of, which it no longer retains. Called within the turn.
    ///
    /// - Returns: Its node in the plan.
    func leaveNode() -> EffectNode? {
        defer { node = nil }
        return node
    }

    /// Removes and returns its content, which it no longer retains. Called within the turn if it is a group or has not
    /// begun, and otherwise in its task.
    @discardableResult
    func takeContent() -> Content {
        defer { content = .nothing }
        return content
    }

    // MARK: State

    private var state: EffectWord { EffectWord(bits: word.loadAcquiring()) }

    @usableFromInline var isCancelled: Bool { state.isCancelled }
    var hasBegun: Bool { EffectWord(bits: word.loadRelaxed()).hasBegun }
    var hasEnded: Bool { state.hasEnded }
    var hasFeedback: Bool { state.hasFeedback }
    var isRunning: Bool { state.isRunning }
    var isWaiting: Bool { state.isWaiting }
    var isOver: Bool { state.isOver }
    var isSpared: Bool { state.isSpared }
    var canSend: Bool { state.canSend }
    var gaveUpWaiting: Bool { state.gaveUpWaiting }
    @usableFromInline var isTaskCancelled: Bool { state.isTaskCancelled }
    /// Whether the child that it can dismiss has been removed, while it continues.
    @usableFromInline var isPresentationOver: Bool { state.isPresentationOver }

    /// - Returns: The state before; nil if the transition did not apply.
    @discardableResult
    private func apply(_ transition: (EffectWord) -> EffectWord?) -> EffectWord? {
        var seen = word.loadAcquiring()
        while let next = transition(EffectWord(bits: seen)) {
            let (exchanged, original) = word.compareExchangeAcquiringAndReleasing(expected: seen, desired: next.bits)
            if exchanged { return EffectWord(bits: seen) }
            seen = original
        }
        return nil
    }

    /// - Returns: The state before.
    @discardableResult
    private func set(_ bit: UInt64) -> EffectWord {
        EffectWord(bits: word.bitwiseOrAcquiringAndReleasing(bit).oldValue)
    }

    /// Records that it begins, with its work or with a wait. Called within the turn, before its task is created.
    func begin(withWait: Bool) {
        beginning = .now
        word.bitwiseOrRelaxed(withWait ? EffectWord.begun | EffectWord.waiting : EffectWord.begun)
    }

    /// Ends its wait.
    ///
    /// - Returns: `true` if it may do its work; `false` if it was cancelled before.
    func endWaiting() -> Bool {
        if isThrottled, isWaiting { sinceBeginning = options.timing?.stopwatch() }
        return apply(\.withWaitEnded) != nil
    }

    /// Records its end. Called within the turn.
    func end() { set(EffectWord.ended) }

    /// Records that its body waits for the end of others. They must have recorded that before this is called.
    func beginAwaitingOthers() {
        if apply(\.withOneMoreAwaited) == nil { fatalError("An effect waits for more than 16 million others at once.") }
    }

    /// Records that its body has stopped waiting for one of the others.
    func endAwaitingOthers() { word.subtractAcquiringAndReleasing(EffectWord.oneAwaited) }

    /// Records, in its task, that its body has returned.
    ///
    /// - Returns: `true` if it still waits for others, in tasks that it has started.
    func endBody() -> Bool {
        // Pairs with `beginAwaitingOthers`: of both the later one sees the other.
        set(EffectWord.over).awaitsOthers
    }

    /// Records that the child that it can dismiss has been removed. Called within the turn.
    func endPresentation() { set(EffectWord.presentationOver) }

    // MARK: Cancellation

    /// Marks it as cancelled, whether it has begun or not. From now on its actions are dropped.
    ///
    /// - Returns: `true` if it has a task that must be cancelled by ``cancelTask()``, which runs user code.
    func cancel() -> Bool {
        // Pairs with `attach`: of both, the later one sees the other.
        let before = set(EffectWord.cancelled)
        guard before.isSpared else { return before.isAttached && !before.isCancelled }
        // It was spared by the shutdown that it requested, but not by this one.
        let spared = EffectWord(bits: word.bitwiseAndAcquiringAndReleasing(~EffectWord.spared).oldValue)
        return spared.isAttached && spared.isSpared
    }

    /// Marks it as cancelled, so that its actions are dropped from now on, but lets its task continue unless it has
    /// been cancelled before: it has requested the shutdown that cancels the other effects, and may have work to do
    /// afterwards. ``cancel()`` can cancel it later. Called within the turn.
    func spare() { apply(\.sparedUnlessCancelled) }

    /// Marks it as cancelled if it still waits; see ``cancel()``.
    func cancelIfWaiting() -> Bool { apply(\.cancelledIfWaiting)?.isAttached ?? false }

    /// Cancels its task, if there is one. Runs the task's cancellation handlers, which are user code.
    func cancelTask() { attachedTask?.cancel() }

    /// Its task, once it is attached.
    var attachedTask: Task<Void, Never>? { state.isAttached ? task : nil }

    // MARK: Feedback

    /// Records that it sends an action.
    ///
    /// - Returns: `true` if the action is accepted: the job has begun, and is neither over nor cancelled.
    @usableFromInline
    func beginFeedback() -> Bool {
        // Counted by the tracker first, so that the tracker does not end in between.
        if tracker.tracksFeedback { guard tracker.beginIfUnfinished() else { return false } }
        if apply(\.withOneMoreFeedback) != nil { return true }
        if tracker.tracksFeedback, tracker.end() {
            // The caller may be within a turn. An effect without a store has ended.
            if let root = host?.root {
                root.runInBackground { [tracker] in tracker.tellEnd() }
            } else {
                tracker.tellEnd()
            }
        }
        return false
    }

    /// Ends a step that only sends an action. Called within the turn.
    func endWithFeedback() { apply(\.endedWithFeedback) }

    /// Whether it has ended before all actions of it, or of its parts, were reduced. Read within the turn.
    var isUnreduced: Bool { hasEnded && (unreducedParts > 0 || hasFeedback) }

    /// Keeps the group that it was a part of registered until its last action has been reduced. Called within the turn.
    func keepOnHand(_ group: EffectJob) {
        guard formerGroup == nil else { return }
        formerGroup = group
        group.unreducedParts += 1
    }

    /// Releases that group, because its own last action was reduced. Called within the turn, and once.
    ///
    /// - Returns: The group, if it has ended and was kept registered for this job alone.
    func letGoOfGroup() -> EffectJob? {
        // The reference is kept, so that the contents of identities are released with the action, after the turn.
        guard let group = formerGroup else { return nil }
        group.unreducedParts -= 1
        return group.hasEnded && !group.isUnreduced ? group : nil
    }

    /// Whether it, or a group that it was a part of, was cancelled, so that its actions are dropped. Read within the
    /// turn.
    var hasLostActions: Bool {
        isCancelled || formerGroup != nil && sequence(first: self, next: \.formerGroup).contains(where: \.isCancelled)
    }

    /// Records that an action of it was reduced or dropped. Called within the turn.
    ///
    /// - Returns: `true` if it was the last action of an effect that has ended.
    func endFeedback() -> Bool {
        let after = EffectWord(bits: word.subtractAcquiringAndReleasing(EffectWord.oneFeedback).newValue)
        return !after.hasFeedback && after.hasEnded
    }
}
