/// An effect as a store runs it: each operation has a job, so that it can be cancelled before it begins.
///
/// The plan does not know the types of actions: code that is compiled without them takes several times as long.
indirect enum EffectPlan: Sendable {
    // These have a job if they must wait and can be cancelled meanwhile.
    case send(any Sendable, EffectScope, EffectJob?, number: UInt64)
    case cancel(EffectID, EffectPlace?, EffectJob?, number: UInt64)
    case report(StoreFailure, EffectJob?)
    case job(EffectJob)
    case merge([EffectPlan])
    case concatenate([EffectPlan])
    /// A plan that begins after a delay has elapsed, or is discarded.
    case delayed(by: EffectJob, EffectPlan)

    /// Replaces a plan that has begun.
    static let nothing = EffectPlan.merge([])
}

/// The context of a part of a plan: its child, its group, and what cancels it.
struct EffectScope: Sendable {
    var path = EffectPath()
    /// The number of steps of the path that lead to the nearest presented child; 0 if there is no such child.
    var presentationDepth = 0
    /// Whether it dismisses that child.
    var isDismissal = false
    /// Whether it continues after the child has been removed.
    var isDetached = false
    /// Whether it must wait for the end of something before it.
    var waits = false
    /// Whether it is part of a group that can be cancelled as a whole.
    var isInGroup = false

    /// Whether the removal of a child can cancel it.
    var endsWithChild: Bool { !path.isEmpty && !isDetached }

    /// Whether a step without its own work can be cancelled before it is due: directly, or by the removal of its child.
    var needsJob: Bool { isInGroup || waits && (!path.isEmpty || isDismissal) }

    /// Descends to a child.
    mutating func enter(_ inner: EffectPath, isPresentation: Bool) {
        path = path + inner
        if isPresentation { presentationDepth = path.steps.count }
    }
}

/// A sequence of plans within the whole effect: what comes next, and how much of what has begun still runs.
final class EffectNode: @unchecked Sendable {
    // Sound: tasks retain nodes, but only the owner of the store's turn reads them.
    let parent: EffectNode?
    /// The group that consists of these plans, and ends with them.
    let group: EffectJob?
    let tracker: EffectTracker
    private(set) var rest: ArraySlice<EffectPlan>
    var running = 0
    /// Whether this is a delay, followed by what begins after it has elapsed.
    private let isDelay: Bool
    /// Whether the whole effect has been cancelled, for parts without a job. Used in the root.
    var isCancelled = false
    /// The number of the last part. Used in the root.
    private let ownLastNumber: UInt64

    init(
        parent: EffectNode?,
        group: EffectJob? = nil,
        tracker: EffectTracker,
        plans: [EffectPlan],
        isDelay: Bool = false,
        lastNumber: UInt64 = 0
    ) {
        self.isDelay = isDelay
        ownLastNumber = lastNumber
        self.parent = parent
        self.group = group
        self.tracker = tracker
        rest = plans[...]
    }

    /// Removes and returns the next plan. What it sends must not live as long as the plans after it.
    func takeNext() -> EffectPlan? {
        guard let plan = rest.first else { return nil }
        if rest.count == 1 {
            rest = []
        } else {
            rest[rest.startIndex] = .nothing
            rest.removeFirst()
        }
        return plan
    }

    /// Removes and returns the plan that was to begin after a delay that has not elapsed.
    ///
    /// - Parameter job: The job that has ended, or will not begin.
    func takeVain(after job: EffectJob) -> EffectPlan? {
        guard isDelay, !job.isDelayOver || job.isCancelled else { return nil }
        return takeNext()
    }

    /// The number of the last part of the whole effect.
    var lastNumber: UInt64 { root.ownLastNumber }

    /// Whether the whole effect has been cancelled, through its ``StoreTask`` or by its store.
    var isCancelledAsWhole: Bool { tracker.isCancelled || root.isCancelled }

    /// The groups that it is a part of, the smallest first.
    var groups: [EffectJob] {
        var groups: [EffectJob] = []
        var place: EffectNode? = self
        while let node = place {
            if let group = node.group { groups.append(group) }
            place = node.parent
        }
        return groups
    }

    /// The smallest group that it is a part of.
    var nearestGroup: EffectJob? {
        var place: EffectNode? = self
        while let node = place {
            if let group = node.group { return group }
            place = node.parent
        }
        return nil
    }

    /// Returns the groups with this identity that it is a part of. A policy does not count them as other effects.
    func groups(of id: EffectID, at place: EffectPlace) -> [EffectJob] {
        groups.filter { $0.id == id && $0.place === place }
    }

    /// The outermost node: the whole effect of an action.
    var root: EffectNode {
        var node = self
        while let parent = node.parent { node = parent }
        return node
    }
}

extension EffectRegistry {
    /// Creates a job for each operation in an effect, so that it can be cancelled before it begins.
    mutating func makePlan<Action>(
        _ operation: Effect<Action>.Operation,
        _ scope: EffectScope,
        _ tracker: EffectTracker,
        _ body: (EffectWork<Action>) -> EffectJob.Body
    ) -> EffectPlan {
        switch operation {
        case .send(let action):
            let job = makeStep(scope, tracker)
            return .send(action, scope, job, number: job?.number ?? nextNumber())
        case .cancel(let id):
            let job = makeStep(scope, tracker)
            return .cancel(id, place(of: scope, job), job, number: job?.number ?? nextNumber())
        case .run(let work):
            return .job(makeJob(work.options, body(work), scope, tracker))
        case .group(let group, let inner):
            return .job(makeGroup(group, inner, scope, tracker, body))
        case .merge(let operations):
            return .merge(operations.map { makePlan($0, scope, tracker, body) })
        case .concatenate(let operations):
            return .concatenate(
                operations.indices.map { index in
                    var scope = scope
                    if index > operations.startIndex { scope.waits = true }
                    return makePlan(operations[index], scope, tracker, body)
                }
            )
        case .delayed(let wait, let operation):
            let job = makeJob(wait.options, body(wait), scope, tracker)
            var scope = scope
            scope.waits = true
            return .delayed(by: job, makePlan(operation, scope, tracker, body))
        case .dismissal(let action):
            var scope = scope
            scope.isDismissal = true
            return makePlan(.send(action), scope, tracker, body)
        case .scoped(let path, let inner, let isPresentation):
            var scope = scope
            scope.enter(path, isPresentation: isPresentation)
            return makePlan(inner, scope, tracker, body)
        case .detached(let inner):
            var scope = scope
            scope.isDetached = true
            return makePlan(inner, scope, tracker, body)
        case .cancelAll(let cancellation):
            // At once, because the removal has already happened, whatever this is a part of.
            leave(cancellation.prefixed(with: scope.path))
            return .merge([])
        case .dismiss(let source):
            return .report(
                StoreFailure(error: NotPresented(), origin: .reducer(at: source)),
                makeStep(scope, tracker)
            )
        case .report(let failure):
            return .report(failure, makeStep(scope, tracker))
        case .answer(let answer):
            // At once, because the answer is already decided, whatever this is a part of.
            tracker.give(answer)
            return .merge([])
        }
    }

    /// Creates the job of a step without its own work, if the step can be cancelled before it is due.
    private mutating func makeStep(_ scope: EffectScope, _ tracker: EffectTracker) -> EffectJob? {
        guard scope.needsJob else { return nil }
        return add(
            EffectJob(
                .nothing,
                EffectOptions(source: .nowhere),
                number: nextNumber(),
                scope: scope,
                place: scope.path.isEmpty ? nil : makePlace(at: scope.path),
                tracker: tracker
            )
        )
    }

    /// Creates the job of an operation.
    ///
    /// - Parameter isPlanned: Whether it is a part of an effect; otherwise it is the whole effect, which begins at
    ///   once.
    mutating func makeJob(
        _ options: EffectOptions,
        _ body: @escaping EffectJob.Body,
        _ scope: EffectScope,
        _ tracker: EffectTracker,
        isPlanned: Bool = true
    ) -> EffectJob {
        add(
            EffectJob(
                .work(body),
                options,
                number: nextNumber(),
                scope: scope,
                place: options.id == nil && scope.path.isEmpty ? nil : makePlace(at: scope.path),
                tracker: tracker
            ),
            isPlanned: isPlanned
        )
    }

    /// Creates the job of a group, after the jobs of its members.
    private mutating func makeGroup<Action>(
        _ options: EffectOptions,
        _ operation: Effect<Action>.Operation,
        _ scope: EffectScope,
        _ tracker: EffectTracker,
        _ body: (EffectWork<Action>) -> EffectJob.Body
    ) -> EffectJob {
        let number = nextNumber()
        let place = makePlace(at: scope.path)
        var inner = scope
        inner.isInGroup = true
        let plan = makePlan(operation, inner, tracker, body)
        let job = EffectJob(.group(plan), options, number: number, scope: scope, place: place, tracker: tracker)
        job.lastMember = lastNumber
        return add(job)
    }

    /// Returns the place of the effects to cancel; nil if the place does not exist, and will not at the cancellation.
    private mutating func place(of scope: EffectScope, _ job: EffectJob?) -> EffectPlace? {
        scope.path.isEmpty ? makePlace(at: scope.path) : job?.place ?? place(at: scope.path)
    }

    private mutating func add(_ job: EffectJob, isPlanned: Bool = true) -> EffectJob {
        insert(job, isPlanned: isPlanned)
        job.tracker.add(job)
        return job
    }
}
