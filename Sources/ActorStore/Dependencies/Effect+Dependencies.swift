extension Effect {
    /// The same work, with dependencies in force.
    func withDependencies(_ values: DependencyValues) -> Effect {
        // What an effect dispatches to another store is no longer inside this reducer.
        var values = values
        values.areInReducer = false
        return mapWork { [values] work in work = work.binding(DependencyValues.$current) { _ in values } }
    }
}
