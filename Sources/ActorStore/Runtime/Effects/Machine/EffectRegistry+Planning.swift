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
