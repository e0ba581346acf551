extension EffectRegistry {
    /// Gives each piece of work in an effect its handle, so that it can be cancelled before it begins.
    mutating func makePlan<Action>(
        _ operation: Effect<Action>.Operation,
        _ scope: EffectScope,
        _ tracker: EffectTracker
    ) -> EffectPlan<Action> {
        switch operation {
        case .send(let action):
            guard scope.waits, scope.endsWithChild else { return .send(action, scope, nil, number: nextNumber()) }
            let handle = makeHandle(nil, .nowhere, scope, tracker)
            return .send(action, scope, handle, number: handle.number)
        case .cancel(let id):
            return .cancel(id, scope.path, number: nextNumber())
        case .run(let work):
            return .run(work, makeHandle(work.id, work.source, scope, tracker))
        case .merge(let operations):
            return .merge(operations.map { makePlan($0, scope, tracker) })
        case .concatenate(let operations):
            return .concatenate(
                operations.indices.map { index in
                    var scope = scope
                    if index > operations.startIndex { scope.waits = true }
                    return makePlan(operations[index], scope, tracker)
                }
            )
        case .scoped(let path, let inner):
            var scope = scope
            scope.path = scope.path + path
            return makePlan(inner, scope, tracker)
        case .detached(let inner):
            var scope = scope
            scope.isDetached = true
            return makePlan(inner, scope, tracker)
        case .cancelAll(let cancellation):
            return .cancelAll(cancellation.prefixed(with: scope.path), number: nextNumber())
        case .dismiss(let source):
            return .report(StoreFailure(error: NotPresented(), origin: .reducer(at: source)))
        case .report(let failure):
            return .report(failure)
        }
    }

    private mutating func makeHandle(
        _ id: EffectID?,
        _ source: SourceLocation,
        _ scope: EffectScope,
        _ tracker: EffectTracker
    ) -> EffectHandle {
        let handle = EffectHandle(
            number: nextNumber(),
            id: id,
            path: scope.path,
            isDetached: scope.isDetached,
            source: source,
            tracker: tracker
        )
        insert(handle)
        tracker.add(handle)
        return handle
    }
}

extension SourceLocation {
    /// The place of what cannot fail.
    fileprivate static let nowhere = SourceLocation(fileID: "", line: 0)
}
