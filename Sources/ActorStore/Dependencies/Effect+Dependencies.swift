extension Effect {
    /// The same work, with dependencies in force.
    func withDependencies(_ values: DependencyValues) -> Effect {
        guard let operation else { return self }
        // What an effect dispatches to another store is no longer inside this reducer.
        var values = values
        values.areInReducer = false
        return Effect(operation: operation.withDependencies(values))
    }
}

extension Effect.Operation {
    fileprivate func withDependencies(_ values: DependencyValues) -> Effect<Action>.Operation {
        switch self {
        case .send, .cancel, .cancelAll, .dismiss, .report: self
        case .run(let work): .run(work.withDependencies(values))
        case .group(let group, let operation): .group(group, operation.withDependencies(values))
        case .scoped(let path, let operation): .scoped(path, operation.withDependencies(values))
        case .detached(let operation): .detached(operation.withDependencies(values))
        case .merge(let operations): .merge(operations.map { $0.withDependencies(values) })
        case .concatenate(let operations): .concatenate(operations.map { $0.withDependencies(values) })
        }
    }
}

extension EffectWork {
    fileprivate func withDependencies(_ values: DependencyValues) -> EffectWork {
        let body = body
        var newFailure: (@Sendable (any Error) -> Action?)?
        if let failure {
            newFailure = { error in DependencyValues.$current.withValue(values) { failure(error) } }
        }
        var work = self
        work.body = { send in try await DependencyValues.$current.withValue(values) { try await body(send) } }
        work.failure = newFailure
        return work
    }
}
