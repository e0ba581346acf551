extension Effect {
    /// The same work, with every action that it sends transformed; how a parent embeds the effects of a child whose
    /// reducer it calls itself.
    ///
    /// If the child has children of its own, their effects are no longer looked for in the state; see
    /// ``ChildEffects/endWithChild``. So call it for each child, also for one that has the types of its parent, as in a
    /// recursive state, and then with `{ $0 }`: otherwise the child's children are looked for in the state of the
    /// store.
    ///
    /// The identities of the child's effects become those of the parent. Two children of one type share them, and those
    /// of their children: ``cancel(id:)`` in one reaches the effects of the other, and a grandchild that goes from one
    /// takes the effects of its counterpart in the other with it. To keep them apart, compose each child by a
    /// ``Scope``.
    ///
    /// - Complexity: O(*n*), where *n* is the number of effects of which this one is composed.
    public func map<NewAction: Sendable>(
        _ transform: @escaping @Sendable (Action) -> NewAction
    ) -> Effect<NewAction> {
        // Of another state, perhaps, in which the children are not known whose effects these are.
        Effect<NewAction>(operation: operation?.map(transform, nil, keepsWays: false))
    }

    /// The same for effects of the same state, or with the way to it.
    @usableFromInline
    package func mapped<NewAction: Sendable>(
        _ transform: @escaping @Sendable (Action) -> NewAction
    ) -> Effect<NewAction> {
        mapped(transform, dismissal: nil)
    }

    /// The same; and where the work asks for the child to be taken away, `dismissal` is sent if there is one.
    func mapped<NewAction: Sendable>(
        _ transform: @escaping @Sendable (Action) -> NewAction,
        dismissal: NewAction?
    ) -> Effect<NewAction> {
        Effect<NewAction>(operation: operation?.map(transform, dismissal, keepsWays: true))
    }
}

extension Effect.Operation {
    fileprivate func map<NewAction: Sendable>(
        _ transform: @escaping @Sendable (Action) -> NewAction,
        _ dismissal: NewAction?,
        keepsWays: Bool
    ) -> Effect<NewAction>.Operation {
        switch self {
        case .send(let action): .send(transform(action))
        case .run(let work): .run(work.map(transform, dismissal))
        case .cancel(let id): .cancel(id)
        case .merge(let operations): .merge(operations.map { $0.map(transform, dismissal, keepsWays: keepsWays) })
        case .concatenate(let operations):
            .concatenate(operations.map { $0.map(transform, dismissal, keepsWays: keepsWays) })
        case .delayed(let wait, let operation):
            .delayed(
                by: wait.map(transform, dismissal),
                operation.map(transform, dismissal, keepsWays: keepsWays)
            )
        case .group(let group, let operation): .group(group, operation.map(transform, dismissal, keepsWays: keepsWays))
        case .scoped(let path, let operation, let isPresentation):
            .scoped(
                keepsWays ? path : path.withUnknownWay,
                operation.map(transform, dismissal, keepsWays: keepsWays),
                isPresentation: isPresentation
            )
        case .detached(let operation): .detached(operation.map(transform, dismissal, keepsWays: keepsWays))
        case .cancelAll(let cancellation): .cancelAll(cancellation)
        case .dismiss(let source): dismissal.map { .dismissal($0) } ?? .dismiss(source)
        case .dismissal(let action): .dismissal(transform(action))
        case .report(let failure): .report(failure)
        case .answer(let answer): .answer(answer)
        }
    }
}
