import ActorStore

/// A reducer with dependencies of its own. Made by `Reducer.dependency(_:_:)` and its relatives.
public struct DependencyReducer<Base: Reducer>: Reducer {
    private let base: Base
    private let update: @Sendable (inout DependencyValues) -> Void
    /// What was in force where this was created.
    private let initial: DependencyOverrides
    /// What is in force where this is the outermost reducer that overrides something.
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

    /// Runs the reducer with the overrides in force, which also count for the effects that it asks for.
    public func reduce(into state: inout Base.State, action: Base.Action) -> Effect<Base.Action> {
        guard DependencyOverrides.current.areInReducer else {
            return base.reduce(into: &state, action: action, with: overrides)
        }
        var values = DependencyValues(initial.merging(.current))
        update(&values)
        return base.reduce(into: &state, action: action, with: values.overrides)
    }

    /// The same, with the body of the reducer made once, with the overrides in force.
    public func prepared() -> PreparedReducer<Base.State, Base.Action> {
        let reducer = DependencyReducer<PreparedReducer<Base.State, Base.Action>>(
            base: base.prepared(),
            sameAs: self
        )
        return PreparedReducer { state, action in reducer.reduce(into: &state, action: action) }
    }
}

extension Reducer {
    /// Runs this reducer, and its effects, with one dependency overridden.
    ///
    /// ```swift
    /// Convert().dependency(\.rates, .fixed)
    /// ```
    ///
    /// The override counts for everything inside, unless a reducer further inside overrides it again.
    public func dependency<Value: Sendable>(
        _ keyPath: WritableKeyPath<DependencyValues, Value> & Sendable,
        _ value: Value
    ) -> DependencyReducer<Self> {
        dependencies { values in
            // An assignment through a key path reads the old value first, and a key without a test value reports that.
            StoreIssueReporter.$scoped.withValue(StoreIssueReporter { _ in }) { values[keyPath: keyPath] = value }
        }
    }

    /// Runs this reducer, and its effects, with one dependency changed.
    ///
    /// - Parameters:
    ///   - keyPath: The dependency.
    ///   - transform: Changes the value that counts outside. Called when this is created, and inside a reducer that
    ///     overrides dependencies for each action.
    public func transformDependency<Value: Sendable>(
        _ keyPath: WritableKeyPath<DependencyValues, Value> & Sendable,
        _ transform: @escaping @Sendable (_ value: inout Value) -> Void
    ) -> DependencyReducer<Self> {
        dependencies { transform(&$0[keyPath: keyPath]) }
    }

    /// Runs this reducer, and its effects, with several dependencies overridden.
    ///
    /// - Parameter update: Sets what is overridden. Called when this is created, and inside a reducer that overrides
    ///   dependencies for each action.
    public func dependencies(
        _ update: @escaping @Sendable (_ values: inout DependencyValues) -> Void
    ) -> DependencyReducer<Self> {
        DependencyReducer(base: self, update: update)
    }
}
