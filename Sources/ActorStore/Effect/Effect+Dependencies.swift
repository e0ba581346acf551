extension Effect {
    /// The same work, with dependencies in force.
    func overriding(_ overrides: DependencyOverrides) -> Effect {
        let overrides = overrides.outsideReducers
        return mapWork { work in work = work.binding(DependencyOverrides.$current) { _ in overrides } }
    }
}
