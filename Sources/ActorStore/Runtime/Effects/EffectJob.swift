import Synchronization

/// A piece of work, or a group of them with one identity, from the moment it was asked for until it has ended.
@usableFromInline
final class EffectJob: EffectHandle, RunningEffect, @unchecked Sendable {
    // Sound: `owner` is set before the task is started, and from then on touched only under `lock`. `content` is touched
    // when the job is made, and afterwards only in the turn if it is a group, and only by its task if it is not; which of
    // the two it is never changes. `priorityOfWhole` is set before the task is started, and read by the task.
    // `sinceBeginning` is set before the wait has ended, by the one who ends it, and read in the turn by one who saw that
    // it has. Everything else is touched only in the turn, or before the task is started, or by the task before its end is
    // noted. Exclusivity follows from that, and is not checked again where each effect would pay for it.

    /// Does the work in the job's task; it returns the error that no one made an action of.
    @usableFromInline typealias Body = @Sendable (EffectJob) async -> (any Error)?

    /// What is to be done.
    enum Content {
        case work(Body)
        /// To be begun when the group may begin.
        case group(EffectPlan)
        case nothing
    }

    private var content: Content
    /// Whether it stands for others, which are begun when it may begin.
    let isGroup: Bool
    /// What decides about its beginning, besides its identity.
    let policy: EffectPolicy
    let timing: EffectTiming?
    let priority: TaskPriority?
    let executor: (any TaskExecutor)?
    /// What goes on when it has ended; nil if nothing does.
    @exclusivity(unchecked) var node: EffectNode?
    /// What its task has to wait for before it does anything.
    @exclusivity(unchecked) var wait: EffectWait?
    /// How long ago the first was asked for of those that it stands for, if it is debounced.
    var burst: Stopwatch?
    /// How long ago it began, if it is throttled and had to wait.
    private(set) var sinceBeginning: Stopwatch?
    /// What instruments were told of it, if there are any. Set before the task is started.
    var told: ToldEffect?
    /// Where it waits in a queue; nil if it does not.
    var queuePosition: SuspensionQueue<EffectJob>.Key?
    /// Whether it counts among those that a queue lets run.
    var holdsSlot = false
    /// The priority that the whole was started with which it is a part of, as a number: what begins after it has that as
    /// well. Set before the task is started, and only if its end can begin something.
    @exclusivity(unchecked) var priorityOfWhole: UInt8 = 0

    private let lock = Lock()
    private var currentOwner: (any EffectOwner)?
    /// Those of its store. Set before the task is started.
    private var lateActions: LateActions?

    init(
        _ content: Content,
        policy: EffectPolicy,
        timing: EffectTiming?,
        priority: TaskPriority? = nil,
        executor: (any TaskExecutor)? = nil,
        number: UInt64,
        id: EffectID?,
        source: SourceLocation,
        scope: EffectScope,
        place: EffectPlace?,
        tracker: EffectTracker
    ) {
        self.content = content
        isGroup = if case .group = content { true } else { false }
        self.policy = policy
        self.timing = timing
        self.priority = priority
        self.executor = executor
        super.init(
            number: number,
            id: id,
            place: place,
            presentationDepth: scope.presentationDepth,
            isDetached: scope.isDetached,
            source: source,
            tracker: tracker
        )
    }

    /// The store that runs it, as long as it does. What holds on to a job that has ended, such as a ``Send`` that was kept,
    /// does not hold on to the store.
    @usableFromInline var owner: (any EffectOwner)? { lock.withLock { currentOwner } }

    var storeExecutor: (any TaskExecutor)? { owner?.root.configuration.executor }

    /// Counts an action that it sends too late.
    @usableFromInline
    func dropLateAction() -> SendOutcome { lateActions?.drop() ?? .dropped }

    /// Whether a throttle decides when it begins.
    var isThrottled: Bool {
        if case .throttle = timing?.kind { true } else { false }
    }

    /// The groups that it is a part of, the smallest first. In the turn.
    var groups: [EffectJob] { node?.groups ?? [] }

    /// What is to be begun when it may begin, if it is a group. In the turn.
    var plan: EffectPlan? {
        guard isGroup, case .group(let plan) = content else { return nil }
        return plan
    }

    /// Whether its end can begin something, which its own task starts then, because only that has the context of the
    /// dispatcher.
    var canBeginOthers: Bool { isGroup || isQueued || node != nil }

    /// Also a group that has begun, which consists of others, and what is in a queue behind others.
    override var waitsForOthers: Bool {
        super.waitsForOthers || !hasEnded && (isGroup && wait == nil || waitsInQueue)
    }

    override var waitsForItsTime: Bool {
        if case .time = wait { isWaiting } else { false }
    }

    override var waitsInQueue: Bool { queuePosition != nil }

    /// Leaves the plan that it is a part of, which holds on to it. In the turn.
    ///
    /// - Returns: Its place in the plan.
    func leaveNode() -> EffectNode? {
        defer { node = nil }
        return node
    }

    /// Takes out what it consists of, because that holds on to it. In the turn, and only if it is a group or has not begun.
    func takeContent() -> Content {
        defer { content = .nothing }
        return content
    }

    /// Takes note of the store that runs it, before its task is started.
    func prepare(for owner: any EffectOwner, of root: TreeRoot) {
        currentOwner = owner
        lateActions = root.lateActions
    }

    /// What its task does. The task's closure calls it directly: each closure in between would cost every effect a frame.
    nonisolated(nonsending) func run() async {
        var failure: (any Error)?
        if wait == nil ? !isCancelled : await endOfWait(), !isGroup, case .work(let body) = content {
            effectBodies.addRelaxed(1)
            failure = await CurrentEffect.$effect.withValue(self) { await body(self) }
            effectBodies.subtractRelaxed(1)
        }
        await finish(failure)
    }

    /// - Returns: whether the work is to be done, after what it had to wait for.
    private nonisolated(nonsending) func endOfWait() async -> Bool {
        if !isCancelled, let wait { await wait() }
        // A group waits until the turn in which its members begin, and can give way or be cancelled until then.
        return !isGroup && endWaiting()
    }

    override func endWaiting() -> Bool {
        if isThrottled, isWaiting { sinceBeginning = timing?.stopwatch() }
        return super.endWaiting()
    }

    /// Brings the end of the work before the store's turn, which is where it ends for all that wait for it.
    private nonisolated(nonsending) func finish(_ failure: (any Error)?) async {
        if !isGroup {
            // A task that the body has started may still wait for others. That no longer holds any effect up.
            if endBody() { tracker.resumeShutdowns(heldUpBy: self) }
            // With everything that its closures hold.
            content = .nothing
        }
        let owner = lock.withLock {
            defer { currentOwner = nil }
            return currentOwner
        }
        guard let owner else { return }
        if canBeginOthers {
            await owner.finish(self, failure: failure)
        } else {
            owner.end(self, failure: failure)
        }
    }
}

/// What a piece of work waits for before it begins.
enum EffectWait: Sendable {
    case time(@Sendable () async throws -> Void)
    case admission(EffectAdmission)

    /// Waits for a time that counts from now on, and not from when the task comes to it.
    static func time(_ duration: Duration, _ clock: any Clock<Duration>) -> EffectWait {
        func wait<C: Clock<Duration>>(on clock: C) -> EffectWait {
            let end = clock.now.advanced(by: duration.boundedWait)
            return .time { try await clock.sleep(until: end, tolerance: nil) }
        }
        return wait(on: clock)
    }

    /// Returns when it is over, or the task is cancelled.
    nonisolated(nonsending) func callAsFunction() async {
        switch self {
        case .time(let sleep): try? await sleep()
        case .admission(let admission): await admission.wait()
        }
    }
}
