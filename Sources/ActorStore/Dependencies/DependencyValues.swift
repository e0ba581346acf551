/// The dependencies that code can ask for, with the overrides that are in force.
///
/// ``Dependency`` reads them, `withDependencies(_:operation:)` overrides them for the current task and
/// its children, ``Reducer/dependency(_:_:)`` for a reducer, and
/// ``Store/init(initialState:reducer:interceptors:configuration:dependencies:)`` for a store.
public struct DependencyValues: Sendable {
    /// The overrides, by key.
    private var overrides: [ObjectIdentifier: any AnyDependencyOverride] = [:]
    private var chosenContext: DependencyContext?
    /// Whether a reducer that overrides them, or a store, has put them in force, so that they count in reducers inside
    /// of it.
    var areInReducer = false

    /// The same for code of users that is no reducer: what it sends to another store is not inside one.
    var outsideReducers: DependencyValues {
        var values = self
        values.areInReducer = false
        return values
    }

    /// Those in force in this task.
    @TaskLocal static var current = DependencyValues()

    /// Creates dependencies without an override.
    public init() {}

    /// The value of a dependency: that of the override, or the default of ``context``.
    ///
    /// - Complexity: O(1)
    public subscript<Key: DependencyKey>(key: Key.Type) -> Key.Value {
        get {
            if let override = overrides[ObjectIdentifier(key)] as? DependencyOverride<Key.Value> {
                return override.value
            }
            switch context {
            case .live: return Key.liveValue
            case .test: return Key.testValue
            }
        }
        set { overrides[ObjectIdentifier(key)] = DependencyOverride(value: newValue) }
    }

    /// Which defaults count: the test values in a process that runs tests, the live ones in all others, unless it is
    /// overridden.
    public var context: DependencyContext {
        get { chosenContext ?? .ofProcess }
        set { chosenContext = newValue }
    }

    var hasOverrides: Bool { !overrides.isEmpty || chosenContext != nil }

    /// These, with the overrides of others instead of the own ones where both have some.
    func merging(_ others: DependencyValues) -> DependencyValues {
        guard hasOverrides else { return others }
        guard others.hasOverrides else { return self }
        var merged = self
        merged.overrides.merge(others.overrides) { $1 }
        merged.chosenContext = others.chosenContext ?? chosenContext
        merged.areInReducer = others.areInReducer
        return merged
    }
}

/// The value of an override. A class, so that reading it needs no cast of the value itself.
private final class DependencyOverride<Value: Sendable>: AnyDependencyOverride {
    let value: Value

    init(value: Value) {
        self.value = value
    }
}

private protocol AnyDependencyOverride: AnyObject, Sendable {}
