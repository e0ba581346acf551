/// The dependencies that are overridden for reducers and effects, by key. The engine stores them; their keys and values
/// are types of ActorStoreComposition.
@usableFromInline
package struct DependencyOverrides: Sendable {
    /// Each value is in an object, so that reading it needs no cast of the value itself.
    private var values: [ObjectIdentifier: any AnyObject & Sendable] = [:]
    /// Whether a reducer that overrides something, or a store, has set these overrides, so that they apply to the
    /// reducers inside it.
    package var areInReducer = false

    /// The overrides of the current task.
    @TaskLocal package static var current = DependencyOverrides()

    /// Creates an empty set of overrides.
    package init() {}

    package var isEmpty: Bool { values.isEmpty }

    /// A copy for user code that is not a reducer: what it sends to another store is not inside a reducer.
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

    /// Returns these overrides merged with others, which take precedence.
    ///
    /// - Complexity: O(*n*), where *n* is the number of overrides.
    package func merging(_ others: DependencyOverrides) -> DependencyOverrides {
        guard !isEmpty else { return others }
        guard !others.isEmpty else { return self }
        var merged = self
        merged.values.merge(others.values) { $1 }
        merged.areInReducer = others.areInReducer
        return merged
    }
}
