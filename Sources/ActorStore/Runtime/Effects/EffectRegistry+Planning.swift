extension EffectRegistry {
    /// Gives each piece of work in an effect its handle, so that it can be cancelled before it begins.
    mutating func makePlan<Action>(
        _ operation: Effect<Action>.Operation,
        _ scope: EffectScope,
        _ tracker: EffectTracker,
        _ body: (EffectWork<Action>) -> EffectJob.Body
    ) -> EffectPlan {
        switch operation {
        case .send(let action):
            let handle = makeHandle(scope, tracker)
            return .send(action, scope, handle, number: handle?.number ?? nextNumber())
        case .cancel(let id):
            let handle = makeHandle(scope, tracker)
            return .cancel(id, place(of: scope, handle), handle, number: handle?.number ?? nextNumber())
        case .run(let work):
            return .job(makeJob(PlannedWork(work, body: body(work)), scope, tracker))
        case .group(let group, let inner):
            return .job(makeJob(group, inner, scope, tracker, body))
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
                makeHandle(scope, tracker)
            )
        case .report(let failure):
            return .report(failure, makeHandle(scope, tracker))
        }
    }

    /// The handle of a step without work of its own, if something can become of it before its time has come.
    private mutating func makeHandle(_ scope: EffectScope, _ tracker: EffectTracker) -> EffectHandle? {
        guard scope.needsHandle else { return nil }
        let handle = EffectHandle(
            number: nextNumber(),
            id: nil,
            place: scope.path.isEmpty ? nil : makePlace(at: scope.path),
            presentationDepth: scope.presentationDepth,
            isDetached: scope.isDetached,
            source: .nowhere,
            tracker: tracker
        )
        add(handle)
        return handle
    }

    /// Gives a piece of work its handle.
    mutating func makeJob(_ work: PlannedWork, _ scope: EffectScope, _ tracker: EffectTracker) -> EffectJob {
        let job = EffectJob(
            .work(work.body),
            policy: work.policy,
            timing: work.timing,
            priority: work.priority,
            executor: work.executor,
            number: nextNumber(),
            id: work.id,
            source: work.source,
            scope: scope,
            place: work.id == nil && scope.path.isEmpty ? nil : makePlace(at: scope.path),
            tracker: tracker
        )
        add(job)
        return job
    }

    /// Gives a group its handle, and its members theirs.
    private mutating func makeJob<Action>(
        _ group: EffectGroup,
        _ operation: Effect<Action>.Operation,
        _ scope: EffectScope,
        _ tracker: EffectTracker,
        _ body: (EffectWork<Action>) -> EffectJob.Body
    ) -> EffectJob {
        let number = nextNumber()
        let place = makePlace(at: scope.path)
        var inner = scope
        inner.isInGroup = true
        let job = EffectJob(
            .group(makePlan(operation, inner, tracker, body)),
            policy: group.policy,
            timing: group.timing,
            number: number,
            id: group.id,
            source: group.source,
            scope: scope,
            place: place,
            tracker: tracker
        )
        job.lastMember = lastNumber
        add(job)
        return job
    }

    /// Where that is known which is cancelled; nil if there is nothing, and will not be when it is.
    private mutating func place(of scope: EffectScope, _ handle: EffectHandle?) -> EffectPlace? {
        scope.path.isEmpty ? makePlace(at: scope.path) : handle?.place ?? place(at: scope.path)
    }

    private mutating func add(_ handle: EffectHandle) {
        insert(handle)
        handle.tracker.add(handle)
    }
}

extension SourceLocation {
    /// The place of what cannot fail.
    fileprivate static let nowhere = SourceLocation(fileID: "", line: 0)
}
