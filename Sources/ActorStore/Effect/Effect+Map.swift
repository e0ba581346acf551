extension Effect {
    /// The same work, with every action that it sends transformed; how a parent embeds the effects of a child.
    ///
    /// - Complexity: O(*n*), where *n* is the number of effects of which this one is composed.
    public func map<NewAction: Sendable>(
        _ transform: @escaping @Sendable (Action) -> NewAction
    ) -> Effect<NewAction> {
        Effect<NewAction>(operation: operation?.map(transform))
    }
}

extension Effect.Operation {
    fileprivate func map<NewAction: Sendable>(
        _ transform: @escaping @Sendable (Action) -> NewAction
    ) -> Effect<NewAction>.Operation {
        switch self {
        case .send(let action): .send(transform(action))
        case .run(let work): .run(work.map(transform))
        case .cancel(let id): .cancel(id)
        case .merge(let operations): .merge(operations.map { $0.map(transform) })
        case .concatenate(let operations): .concatenate(operations.map { $0.map(transform) })
        }
    }
}
