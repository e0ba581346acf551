import ActorStore

/// A reducer with its own dependencies, as returned by `Reducer.dependency(_:_:)` and similar methods.
public struct DependencyReducer<Base: Reducer>: Reducer {
    private let base: Base
    private let update: @Sendable (inout DependencyValues) -> Void
    /// The overrides in force where this was created.
    private let initial: DependencyOverrides
    /// The overrides in force if this is the outermost reducer with overrides.
    private let overrides: DependencyOverrides

    init(base: Base, update: @escaping @Sendable (inout DependencyValues) -> Void) {
        self.base = base
        self.update = update
        var values = DependencyValues.current
        initial = values.overrides
        update(&values)
        values.overrides.areInReducer = true
        overrides = values.overrides
    }

    private init(base: Base, sameAs other: DependencyReducer<some Reducer>) {
        self.base = base
        update = other.update
        initial = other.initial
        overrides = other.overrides
    }

    /// Runs the reducer with the overrides in force. They also apply to the effects that it returns.
    public func reduce(into state: inout Base.State, action: Base.Action) -> Effect<Base.Action> {
        guard DependencyOverrides.current.areInReducer else {
            return base.reduce(into: &state, action: action, with: overrides)
        }
        var values = DependencyValues(initial.merging(.current))
        update(&values)
        return base.reduce(into: &state, action: action, with: values.overrides)
    }

    /// Returns the same reducer, whose body is evaluated once, with the overrides in force.
    public func prepared() -> PreparedReducer<Base.State, Base.Action> {
        let reducer = DependencyReducer<PreparedReducer<Base.State, Base.Action>>(
            base: base.prepared(),
            sameAs: self
        )
        return PreparedReducer { state, action in reducer.reduce(into: &state, action: action) }
    }
}

extension Reducer {
    /// Returns a reducer that runs this reducer, and its effects, with one dependency overridden.
    ///
    /// ```swift
    /// Convert().dependency(\.rates, .fixed)
    /// ```
    ///
    /// The override applies to everything inside, unless an inner reducer overrides it again.
    ///
    /// - Parameters:
    ///   - keyPath: The dependency.
    ///   - value: The overriding value.
    /// - Returns: A reducer with the override.
    public func dependency<Value: Sendable>(
        _ keyPath: WritableKeyPath<DependencyValues, Value> & Sendable,
        _ value: Value
    ) -> DependencyReducer<Self> {
        dependencies { values in
            // An assignment through a key path reads the old value first, for which a key without a test value would
            // report an issue.
            StoreIssueReporter.$scoped.withValue(StoreIssueReporter { _ in }) { values[keyPath: keyPath] = value }
        }
    }

    /// Returns a reducer that runs this reducer, and its effects, with one dependency changed.
    ///
    /// - Parameters:
    ///   - keyPath: The dependency.
    ///   - transform: Changes the value that is in force outside. Called when this is created; inside a reducer that
    ///     overrides dependencies, called for each action.
    /// - Returns: A reducer with the changed dependency.
    public func transformDependency<Value: Sendable>(
        _ keyPath: WritableKeyPath<DependencyValues, Value> & Sendable,
        _ transform: @escaping @Sendable (_ value: inout Value) -> Void
    ) -> DependencyReducer<Self> {
        dependencies { transform(&$0[keyPath: keyPath]) }
    }

    /// Returns a reducer that runs this reducer, and its effects, with several dependencies overridden.
    ///
    /// - Parameter update: Sets the overrides. Called when this is created; inside a reducer that overrides
    ///   dependencies, called for each action.
    /// - Returns: A reducer with the overrides.
    public func dependencies(
        _ update: @escaping @Sendable (_ values: inout DependencyValues) -> Void
    ) -> DependencyReducer<Self> {
        DependencyReducer(base: self, update: update)
    }
}
