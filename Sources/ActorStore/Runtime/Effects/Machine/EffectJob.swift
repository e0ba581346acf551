import Synchronization

/// One piece of effect work, a group of them with one identity, or a step of an effect that can be cancelled before its
/// time has come: from the moment it was asked for until it has ended.
@usableFromInline
final class EffectJob: RunningEffect, @unchecked Sendable {
    // Sound, by kinds:
    // - Constants, and `word`, which is atomic.
    // - `task` is written once, before `word` says so with release ordering, and read only by one who saw that with
    //   acquire ordering.
    // - Written before the task is started, and read by what that task calls, or in the turn: `awaiter`, `lastMember`,
    //   `isKnownToRules`, `told`, `priorityOfWhole`, `droppedFeedback`.
    // - `content`: a group's is touched in the turn, that of others when the job is made, and afterwards only by its
    //   task. Which of the two it is never changes.
    // - `sinceBeginning` is set before the wait has ended, by the one who ends it, and read in the turn by one who saw
    //   that it has.
    // - `currentHost` is set before the task is started, and from then on touched only under `lock`.
    // - Everything else is touched only in the turn, or before the task is started, or by the task before its end is
    //   noted.
    // Exclusivity follows from that, and is not checked again where each effect would pay for it.

    /// Does the work in the job's task; it returns the error that no one made an action of.
    @usableFromInline typealias Body = @Sendable (EffectJob) async -> (any Error)?

    /// What is to be done.
    enum Content {
        case work(Body)
        /// To be begun when the group may begin.
        case group(EffectPlan)
        /// A step without work of its own, or what has been done.
        case nothing
    }

    // MARK: Constants

    /// Grows with each piece of work of a store, in the order in which it was asked for.
    let number: UInt64
    /// What it is called, and what decides about its beginning.
    let options: EffectOptions
    /// Where it is known by its identity, or as that of its child; nil if it is neither. Looked into only in the turn.
    let place: EffectPlace?
    /// Whether it goes on when the child is gone whose work it is.
    let isDetached: Bool
    /// How the child is found whose work it is, if it is that of one; only in the turn.
    let way: [ChildStep]
    /// Whether it stands for others, which are begun when it may begin.
    let isGroup: Bool
    /// How many steps of the path lead to the nearest child that is presented; 0 if none is.
    let presentationDepth: UInt16
    /// What the ``StoreTask`` of the action knows.
    @usableFromInline let tracker: EffectTracker

    // MARK: What decides about its beginning and its end, in the turn

    private var content: Content
    /// The number of the last piece of work that is a part of this one; its own if it has no parts.
    var lastMember: UInt64
    /// Whether its queue or its throttle has to know of its end.
    var isKnownToRules = false
    /// What it does in the queue of its identity; nil if it is in none, or is no longer.
    var inQueue: EffectInQueue?
    /// The smallest group that it was a part of, if it has ended before its last action was reduced.
    private var formerGroup: EffectJob?
    /// How many of its parts have ended, but not all of their actions been reduced.
    private var unreducedParts = 0
    /// Whether its store counts it among those that run.
    var isCounted = false
    /// Whether a shutdown has reported that it did not end in time.
    var isReportedAsLate = false
    /// Whether it is a delay that has come to its end.
    private(set) var isDelayOver = false
    /// What goes on when it has ended; nil if nothing does.
    @exclusivity(unchecked) var node: EffectNode?
    /// What its task has to wait for before it does anything.
    @exclusivity(unchecked) var wait: EffectWait?
    /// How long ago the first was asked for of those that it stands for, if it is debounced.
    var burst: Stopwatch?
    /// How long ago it began, if it is throttled and had to wait.
    private(set) var sinceBeginning: Stopwatch?
    /// When it began, perhaps with waiting.
    private var beginning: ContinuousClock.Instant?

    // MARK: Its task

    /// Pairs: all changes, which are read-modify-writes, with each other and with the loads. The loads of `task` depend
    /// on `attach`; `endWaiting` and `cancelIfWaiting`, and `end` and `beginFeedback`, decide which of the two was
    /// first.
    let word = AtomicValue<UInt64>(0)
    var task: Task<Void, Never>?
    /// The effect that waits for the end of this one, and so ends later, if there is one.
    var awaiter: EffectJob?
    /// What instruments were told of it, if there are any.
    var told: TracedEffect?
    /// The priority that the whole was started with which it is a part of, as a number: what begins after it has that
    /// as well. Set only if its end can begin something.
    @exclusivity(unchecked) var priorityOfWhole: UInt8 = 0

    let lock = Lock()
    var currentHost: (any StoreNode)?
    /// Those of its store.
    var droppedFeedback: DroppedFeedback?

    /// The effect that the current task is part of.
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

    /// Whether it is the work of a child.
    @usableFromInline var isOfChild: Bool { !way.isEmpty }

    /// The store that runs it, as long as it does. What holds on to a job that has ended, such as a ``Send`` that was
    /// kept, does not hold on to the store.
    @usableFromInline var host: (any StoreNode)? { lock.withLock { currentHost } }

    var storeExecutor: (any TaskExecutor)? { host?.root.configuration.executor }

    /// Counts an action that it sends too late.
    @usableFromInline
    func dropStaleAction() -> SendOutcome { droppedFeedback?.drop() ?? .dropped }

    // MARK: What it is

    /// What it does in its task; nil if it stands for others, or has done it.
    var work: Body? { if case .work(let body) = content { body } else { nil } }

    /// Whether a throttle decides when it begins.
    var isThrottled: Bool { if case .throttle = options.timing?.kind { true } else { false } }

    func noteDelay(isOver: Bool) { isDelayOver = isOver }

    /// The groups that it is a part of, the smallest first. In the turn.
    var groups: [EffectJob] { node?.groups ?? [] }

    /// Takes out what is to be begun, if it is a group and has not begun: what its parts send must not live as long as
    /// the group. In the turn.
    func takePlan() -> EffectPlan? {
        guard isGroup, case .group(let plan) = content else { return nil }
        content = .nothing
        return plan
    }

    /// Whether its end can begin something. Its own task starts that, which alone has the context of the dispatcher.
    var canBeginOthers: Bool { isGroup || isKnownToRules || node != nil }

    /// Whether it does nothing by itself before other work of its store has ended: it has not begun, or it is a group
    /// that has, and that consists of others, or it is in a queue behind others. In the turn.
    var waitsForOthers: Bool { !hasEnded && (!hasBegun || isGroup && wait == nil || waitsInQueue) }

    /// Whether it is debounced or throttled and still waits for that, so that a new request stands for it as well. What
    /// waits in a queue has had its time already. In the turn.
    var waitsForItsTime: Bool { if case .time = wait { isWaiting } else { false } }

    /// Whether it waits for its place in the queue of its identity, so that it has not begun. In the turn.
    var waitsInQueue: Bool { queuePosition != nil }

    /// Where it waits in the queue of its identity; nil if it does not. In the turn.
    var queuePosition: SuspensionQueue<EffectJob>.Key? {
        if case .waiting(let position) = inQueue { position } else { nil }
    }

    /// Whether a shutdown that an effect asks for waits for it, whatever the others do: it waits for no other work, for
    /// its end, for that of a store or in a queue, and does not go on after the end of its store. In the turn.
    var isIndependent: Bool { !state.awaitsOthers && !isSpared && !waitsInQueue }

    /// Whether it, or a group that it is a part of, has a place in a queue that others wait for. In the turn.
    var isInQueue: Bool { holdsSlot || groups.contains(where: \.holdsSlot) }

    /// Whether it counts among those that the queue of its identity lets run. In the turn.
    var holdsSlot: Bool { if case .running = inQueue { true } else { false } }

    /// For how long it has been running or waiting, cancelled or not; nil if it does not run. For diagnostics. In the
    /// turn.
    func runningTime(at now: ContinuousClock.Instant) -> Duration? {
        guard let beginning, !isOver else { return nil }
        return beginning.duration(to: now)
    }

    /// This one, the one that waits for it, the one that waits for that, and so on.
    var andAwaiters: some Sequence<EffectJob> { sequence(first: self, next: \.awaiter) }

    /// Leaves the plan that it is a part of, which holds on to it. In the turn.
    ///
    /// - Returns: Its place in the plan.
    func leaveNode() -> EffectNode? {
        defer { node = nil }
        return node
    }

    /// Takes out what it consists of, because that holds on to it. In the turn if it is a group or has not begun, and
    /// otherwise in its task.
    @discardableResult
    func takeContent() -> Content {
        defer { content = .nothing }
        return content
    }

    // MARK: Its state

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
    /// Whether the child has gone that it can dismiss, while it goes on itself.
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

    /// Begins, with its work or with waiting. In the turn, and before its task is made.
    func begin(withWait: Bool) {
        beginning = .now
        word.bitwiseOrRelaxed(withWait ? EffectWord.begun | EffectWord.waiting : EffectWord.begun)
    }

    /// Takes note that it has waited long enough.
    ///
    /// - Returns: Whether it may go on; it may not if it has been cancelled before, and has not come to its work then.
    func endWaiting() -> Bool {
        if isThrottled, isWaiting { sinceBeginning = options.timing?.stopwatch() }
        return apply(\.withWaitEnded) != nil
    }

    /// Records its end. In the turn.
    func end() { set(EffectWord.ended) }

    /// Records that its body waits for the end of others. They have to know of it before this is called.
    func beginAwaitingOthers() {
        if apply(\.withOneMoreAwaited) == nil { fatalError("An effect waits for more than 16 million others at once.") }
    }

    /// Records that its body waits once less for the end of others.
    func endAwaitingOthers() { word.subtractAcquiringAndReleasing(EffectWord.oneAwaited) }

    /// Records, in its task, that its body is over.
    ///
    /// - Returns: Whether it still waits for the end of others, in tasks that it has started.
    func endBody() -> Bool {
        // Pairs with `beginAwaitingOthers`: of both the later one sees the other.
        set(EffectWord.over).awaitsOthers
    }

    /// Takes note that the child which it can dismiss has gone. In the turn.
    func endPresentation() { set(EffectWord.presentationOver) }

    // MARK: Cancelling

    /// Marks it as cancelled, whether it has begun or not. From now on what it sends is dropped.
    ///
    /// - Returns: Whether it has a task that has still to be cancelled, by ``cancelTask()``, which runs user code.
    func cancel() -> Bool {
        // Pairs with `attach`: of both the later one sees the other.
        let before = set(EffectWord.cancelled)
        guard before.isSpared else { return before.isAttached && !before.isCancelled }
        // It was spared by the shutdown that it has asked for, and not by this one.
        let spared = EffectWord(bits: word.bitwiseAndAcquiringAndReleasing(~EffectWord.spared).oldValue)
        return spared.isAttached && spared.isSpared
    }

    /// Drops what it sends from now on, as if it were cancelled, and lets its task go on, unless it has been cancelled
    /// before: it has asked for the shutdown that cancels the other effects, and still has to do what it wants to do
    /// afterwards. ``cancel()`` can cancel it later. In the turn.
    func spare() { apply(\.sparedUnlessCancelled) }

    /// Marks it as cancelled if it still waits; see ``cancel()``.
    func cancelIfWaiting() -> Bool { apply(\.cancelledIfWaiting)?.isAttached ?? false }

    /// Cancels its task, if there is one. Runs the task's cancellation handlers, which are user code.
    func cancelTask() { attachedTask?.cancel() }

    /// Its task, once it is there.
    var attachedTask: Task<Void, Never>? { state.isAttached ? task : nil }

    // MARK: Feedback

    /// Takes note that it sends an action.
    ///
    /// - Returns: Whether that counts: it has begun, is not over, and has not been cancelled.
    @usableFromInline
    func beginFeedback() -> Bool {
        // Counted by the tracker first, so that this does not end before.
        if tracker.tracksFeedback { guard tracker.beginIfUnfinished() else { return false } }
        if apply(\.withOneMoreFeedback) != nil { return true }
        if tracker.tracksFeedback, tracker.end() {
            // The caller may be in a turn. Without a store the effect has come to its end.
            if let root = host?.root {
                root.runInBackground { [tracker] in tracker.tellEnd() }
            } else {
                tracker.tellEnd()
            }
        }
        return false
    }

    /// Ends a step that sends an action and does nothing else. In the turn.
    func endWithFeedback() { apply(\.endedWithFeedback) }

    /// Whether it has ended, and actions of it, or of its parts, have still to be reduced. In the turn.
    var isUnreduced: Bool { hasEnded && (unreducedParts > 0 || hasFeedback) }

    /// Keeps the group that it was a part of on hand until its last action has been reduced. In the turn.
    func keepOnHand(_ group: EffectJob) {
        guard formerGroup == nil else { return }
        formerGroup = group
        group.unreducedParts += 1
    }

    /// Lets go of that group, because its own last action was reduced. In the turn, and once.
    ///
    /// - Returns: The group, if that has ended and was kept on hand for this one alone.
    func letGoOfGroup() -> EffectJob? {
        // Not forgotten, so that what identities hold is released with the action, after the turn.
        guard let group = formerGroup else { return nil }
        group.unreducedParts -= 1
        return group.hasEnded && !group.isUnreduced ? group : nil
    }

    /// Whether it was cancelled, or a group that it was a part of, so that what it has sent no longer counts. In the
    /// turn.
    var hasLostActions: Bool {
        isCancelled || formerGroup != nil && sequence(first: self, next: \.formerGroup).contains(where: \.isCancelled)
    }

    /// Takes note that an action which it has sent was reduced, or will not be. In the turn.
    ///
    /// - Returns: Whether it was the last one of an effect that has ended.
    func endFeedback() -> Bool {
        let after = EffectWord(bits: word.subtractAcquiringAndReleasing(EffectWord.oneFeedback).newValue)
        return !after.hasFeedback && after.hasEnded
    }
}
