/// An effect as a store carries it out: each piece of work has got its job, so that it can be cancelled before it
/// begins.
///
/// It knows no types of actions: code that does not know them when it is compiled takes several times as long.
indirect enum EffectPlan: Sendable {
    // Some with a job, if they have to wait and can be cancelled meanwhile.
    case send(any Sendable, EffectScope, EffectJob?, number: UInt64)
    case cancel(EffectID, EffectPlace?, EffectJob?, number: UInt64)
    case report(StoreFailure, EffectJob?)
    case job(EffectJob)
    case merge([EffectPlan])
    case concatenate([EffectPlan])
    /// Begun when a wait has come to its end, or not at all.
    case delayed(by: EffectJob, EffectPlan)

    /// Kept in place of a plan that has been begun.
    static let nothing = EffectPlan.merge([])
}

/// Whose effect a plan is a part of.
struct EffectScope: Sendable {
    var path = EffectPath()
    /// How many steps of the path lead to the nearest child that is presented; 0 if none is.
    var presentationDepth = 0
    /// Whether it takes that child away.
    var isDismissal = false
    /// Whether it goes on when the child is gone.
    var isDetached = false
    /// Whether it has to wait until something before it has ended.
    var waits = false
    /// Whether it is part of a group that can be cancelled as one.
    var isInGroup = false

    /// Whether it can be cancelled by the end of a child.
    var endsWithChild: Bool { !path.isEmpty && !isDetached }

    /// Whether something can become of a step of it that has no work of its own before its time has come: it is
    /// cancelled, or its child goes.
    var needsJob: Bool { isInGroup || waits && (!path.isEmpty || isDismissal) }

    /// Goes on to a child.
    mutating func enter(_ inner: EffectPath, isPresentation: Bool) {
        path = path + inner
        if isPresentation { presentationDepth = path.steps.count }
    }
}

/// The place of a sequence of plans in the whole: what comes next, and how much of what was begun still runs.
final class EffectNode: @unchecked Sendable {
    // Sound: tasks carry nodes, but only the owner of the store's turn looks into them.
    let parent: EffectNode?
    /// The group that these plans are, which ends with them.
    let group: EffectJob?
    let tracker: EffectTracker
    private(set) var rest: ArraySlice<EffectPlan>
    var running = 0
    /// Whether it is a wait and what is begun when that has come to its end, or not at all.
    private let isDelay: Bool
    /// Whether all of it has been cancelled, for the parts that have no job. Of the outermost one.
    var isCancelled = false
    /// The number of the last part. Of the outermost one.
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

    /// Takes the next of its plans out. What is sent by one must not live as long as those after it.
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

    /// Takes out what was to begin after a wait that has not come to its end.
    ///
    /// - Parameter job: What has ended, or will not begin.
    func takeVain(after job: EffectJob) -> EffectPlan? {
        guard isDelay, !job.isDelayOver || job.isCancelled else { return nil }
        return takeNext()
    }

    /// The number of the last part of the whole.
    var lastNumber: UInt64 { root.ownLastNumber }

    /// Whether the whole has been cancelled, through its ``StoreTask`` or by its store.
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

    /// The groups with this identity that it is a part of. None of them is other work to what is in it.
    func groups(of id: EffectID, at place: EffectPlace) -> [EffectJob] {
        groups.filter { $0.id == id && $0.place === place }
    }

    /// The outermost one: the whole effect of an action.
    var root: EffectNode {
        var node = self
        while let parent = node.parent { node = parent }
        return node
    }
}

extension EffectRegistry {
    /// Gives each piece of work in an effect its job, so that it can be cancelled before it begins.
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
            // At once, because it has happened, whatever this is a part of.
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
            // At once, because it is decided, whatever this is a part of.
            tracker.give(answer)
            return .merge([])
        }
    }

    /// The job of a step without work of its own, if something can become of it before its time has come.
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

    /// The job of a piece of work.
    ///
    /// - Parameter isPlanned: Whether it is a part of an effect, and not the whole of it, which begins at once.
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

    /// The job of a group, after those of its members have got theirs.
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

    /// Where that is known which is cancelled; nil if there is nothing, and will not be when it is.
    private mutating func place(of scope: EffectScope, _ job: EffectJob?) -> EffectPlace? {
        scope.path.isEmpty ? makePlace(at: scope.path) : job?.place ?? place(at: scope.path)
    }

    private mutating func add(_ job: EffectJob, isPlanned: Bool = true) -> EffectJob {
        insert(job, isPlanned: isPlanned)
        job.tracker.add(job)
        return job
    }
}
