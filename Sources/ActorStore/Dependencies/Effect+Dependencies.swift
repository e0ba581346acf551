extension Effect {
    /// The same work, with dependencies in force.
    func withDependencies(_ values: DependencyValues) -> Effect {
        // What an effect dispatches to another store is no longer inside this reducer.
        var values = values
        values.areInReducer = false
        return mapWork { [values] work in work = work.withDependencies(values) }
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
