/// The dependencies of a store.
@usableFromInline
final class DependencyContainer: @unchecked Sendable {
    // Sound: `values` is written once, before the container is shared, or in the first turn of the store, before its
    // first action and before its initializer returns.
    @usableFromInline private(set) var values = DependencyOverrides()

    /// Returns the dependencies of a store that is created here: those in force, if there are any, and otherwise those
    /// of its parent. Nil for a store without dependencies, which then need not look them up for each action.
    @usableFromInline
    static func here(below parent: DependencyContainer? = nil) -> DependencyContainer? {
        let values = DependencyOverrides.current
        guard !values.isEmpty else { return parent }
        let container = DependencyContainer()
        container.fill(parent?.values.merging(values) ?? values)
        return container
    }

    /// Creates a container that is filled later.
    @usableFromInline
    init() {}

    func fill(_ values: DependencyOverrides) {
        self.values = values
        self.values.areInReducer = true
    }
}

extension DependencyContainer? {
    /// The dependencies of a store for code outside reducers; those in force if the store has none itself.
    var valuesOutsideReducers: DependencyOverrides { (self?.values ?? .current).outsideReducers }

    /// Runs user code outside reducers with the dependencies of a store in force, if it has any.
    @usableFromInline
    func whileInForce<Result>(_ body: () -> Result) -> Result {
        guard let values = self?.values else { return body() }
        return DependencyOverrides.$current.withValue(values.outsideReducers, operation: body)
    }
}

extension PreparedReducer {
    /// Returns the closure that a store runs, with its dependencies in force if it has any.
    @inlinable
    func run(in dependencies: DependencyContainer?) -> @Sendable (inout State, Action) -> Effect<Action> {
        guard let dependencies else { return run }
        return { state, action in reduce(into: &state, action: action, with: dependencies.values) }
    }

    /// This reducer with the dependencies that are in force here, as in a store that is created here.
    package var keepingDependencies: PreparedReducer { PreparedReducer(run(in: .here())) }
}

extension Reducer {
    /// Reduces with overrides in force, which also apply to the effects.
    @usableFromInline
    package func reduce(into state: inout State, action: Action, with overrides: DependencyOverrides) -> Effect<Action>
    {
        DependencyOverrides.$current.withValue(overrides) {
            reduce(into: &state, action: action)
        }.overriding(overrides)
    }
}
