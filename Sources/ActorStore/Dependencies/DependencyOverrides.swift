/// What is overridden for reducers and effects, by key: what the engine knows of dependencies, whose keys and values
/// are those of ActorStoreComposition.
@usableFromInline
package struct DependencyOverrides: Sendable {
    /// Each in an object, so that reading it needs no cast of the value itself.
    private var values: [ObjectIdentifier: any AnyObject & Sendable] = [:]
    /// Whether a reducer that overrides something, or a store, has put these in force, so that they count in reducers
    /// inside of it.
    package var areInReducer = false

    /// Those in force in this task.
    @TaskLocal package static var current = DependencyOverrides()

    /// Creates overrides of nothing.
    package init() {}

    package var isEmpty: Bool { values.isEmpty }

    /// The same for code of users that is no reducer: what it sends to another store is not inside one.
    package var outsideReducers: DependencyOverrides {
        var overrides = self
        overrides.areInReducer = false
        return overrides
    }

    /// The override of a key, which is the identity of a type.
    package subscript(key key: ObjectIdentifier) -> (any AnyObject & Sendable)? {
        get { values[key] }
        set { values[key] = newValue }
    }

    /// These, with others instead of the own ones where both have some.
    package func merging(_ others: DependencyOverrides) -> DependencyOverrides {
        guard !isEmpty else { return others }
        guard !others.isEmpty else { return self }
        var merged = self
        merged.values.merge(others.values) { $1 }
        merged.areInReducer = others.areInReducer
        return merged
    }
}
