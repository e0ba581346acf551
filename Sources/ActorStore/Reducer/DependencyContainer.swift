/// The dependencies of a store, made when the store is there.
@usableFromInline
final class DependencyContainer: @unchecked Sendable {
    // Sound: `values` is written once, before anybody has the container, or in the first turn of the store, before its
    // first action and before its initialiser returns.
    @usableFromInline private(set) var values = DependencyOverrides()

    /// The dependencies of a store that is created here: those in force, if there are any, and otherwise those of the
    /// store that it is a child of. Nil for a store without, which need not look at them for each action.
    @usableFromInline
    static func here(below parent: DependencyContainer? = nil) -> DependencyContainer? {
        let values = DependencyOverrides.current
        guard !values.isEmpty else { return parent }
        let container = DependencyContainer()
        container.fill(parent?.values.merging(values) ?? values)
        return container
    }

    /// Creates one that is filled later.
    @usableFromInline
    init() {}

    func fill(_ values: DependencyOverrides) {
        self.values = values
        self.values.areInReducer = true
    }
}

extension DependencyContainer? {
    /// The dependencies of a store for code that is no reducer; those in force if it keeps none.
    var valuesOutsideReducers: DependencyOverrides { (self?.values ?? .current).outsideReducers }

    /// Runs code of users that is no reducer with the dependencies of a store in force, if that keeps any.
    @usableFromInline
    func whileInForce<Result>(_ body: () -> Result) -> Result {
        guard let values = self?.values else { return body() }
        return DependencyOverrides.$current.withValue(values.outsideReducers, operation: body)
    }
}

extension PreparedReducer {
    /// How a store runs it that keeps dependencies, or keeps none.
    @inlinable
    func run(in dependencies: DependencyContainer?) -> @Sendable (inout State, Action) -> Effect<Action> {
        guard let dependencies else { return run }
        return { state, action in reduce(into: &state, action: action, with: dependencies.values) }
    }

    /// The same reducer as in a store that is created here: with the dependencies that are in force here.
    package var keepingDependencies: PreparedReducer { PreparedReducer(run(in: .here())) }
}

extension Reducer {
    /// Reduces with overrides in force, also for the effects.
    @usableFromInline
    package func reduce(into state: inout State, action: Action, with overrides: DependencyOverrides) -> Effect<Action>
    {
        DependencyOverrides.$current.withValue(overrides) {
            reduce(into: &state, action: action)
        }.overriding(overrides)
    }
}
