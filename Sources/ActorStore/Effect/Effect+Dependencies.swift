extension Effect {
    /// The same work, with dependencies in force.
    func withDependencies(_ values: DependencyValues) -> Effect {
        let values = values.outsideReducers
        return mapWork { work in work = work.binding(DependencyValues.$current) { _ in values } }
    }
}
