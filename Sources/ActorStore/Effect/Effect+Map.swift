extension Effect {
    /// The same work, with every action that it sends transformed; how a parent embeds the effects of a child.
    ///
    /// - Complexity: O(*n*), where *n* is the number of effects of which this one is composed.
    public func map<NewAction: Sendable>(
        _ transform: @escaping @Sendable (Action) -> NewAction
    ) -> Effect<NewAction> {
        map(transform, dismissal: nil)
    }

    /// The same; and where the work asks for the child to be taken away, `dismissal` is sent if there is one.
    func map<NewAction: Sendable>(
        _ transform: @escaping @Sendable (Action) -> NewAction,
        dismissal: NewAction?
    ) -> Effect<NewAction> {
        Effect<NewAction>(operation: operation?.map(transform, dismissal))
    }
}

extension Effect.Operation {
    fileprivate func map<NewAction: Sendable>(
        _ transform: @escaping @Sendable (Action) -> NewAction,
        _ dismissal: NewAction?
    ) -> Effect<NewAction>.Operation {
        switch self {
        case .send(let action): .send(transform(action))
        case .run(let work): .run(work.map(transform, dismissal))
        case .cancel(let id): .cancel(id)
        case .merge(let operations): .merge(operations.map { $0.map(transform, dismissal) })
        case .concatenate(let operations): .concatenate(operations.map { $0.map(transform, dismissal) })
        case .group(let group, let operation): .group(group, operation.map(transform, dismissal))
        case .scoped(let path, let operation, let isPresentation):
            .scoped(path, operation.map(transform, dismissal), isPresentation: isPresentation)
        case .detached(let operation): .detached(operation.map(transform, dismissal))
        case .cancelAll(let cancellation): .cancelAll(cancellation)
        case .dismiss(let source): dismissal.map { .dismissal($0) } ?? .dismiss(source)
        case .dismissal(let action): .dismissal(transform(action))
        case .report(let failure): .report(failure)
        case .answer(let answer): .answer(answer)
        }
    }
}
