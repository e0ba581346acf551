import ActorStore

/// The values of all dependencies, with the overrides that are in force.
///
/// Read them with ``Dependency``. Override them with `withDependencies(_:operation:)` for the current task and its
/// children, with `Reducer.dependency(_:_:)` for a reducer, and with
/// `Store.init(initialState:loading:reducer:interceptors:configuration:dependencies:)` for a store.
public struct DependencyValues: Sendable {
    package var overrides: DependencyOverrides

    /// The values in force in this task.
    package static var current: DependencyValues { DependencyValues(.current) }

    /// Creates dependencies without overrides.
    public init() { overrides = DependencyOverrides() }

    package init(_ overrides: DependencyOverrides) { self.overrides = overrides }

    /// The value of a dependency: the override, or the default for ``context``.
    ///
    /// - Complexity: O(1)
    public subscript<Key: DependencyKey>(key: Key.Type) -> Key.Value {
        get {
            if let override = overrides[key: ObjectIdentifier(key)] as? DependencyOverride<Key.Value> {
                return override.value
            }
            switch context {
            case .live: return Key.liveValue
            case .test: return Key.testValue
            }
        }
        set { overrides[key: ObjectIdentifier(key)] = DependencyOverride(value: newValue) }
    }

    /// The context that determines the defaults. Unless it is overridden: test values in a process that runs tests,
    /// live values in all others.
    public var context: DependencyContext {
        get {
            let override = overrides[key: ObjectIdentifier(DependencyContext.self)]
            return (override as? DependencyOverride<DependencyContext>)?.value ?? .ofProcess
        }
        set { overrides[key: ObjectIdentifier(DependencyContext.self)] = DependencyOverride(value: newValue) }
    }
}

/// The value of an override. It is a class, so that reading it does not need a cast of the value itself.
private final class DependencyOverride<Value: Sendable>: Sendable {
    let value: Value

    init(value: Value) {
        self.value = value
    }
}
