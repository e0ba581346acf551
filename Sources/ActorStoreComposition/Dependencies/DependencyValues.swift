import ActorStore

/// The dependencies that code can ask for, with the overrides that are in force.
///
/// ``Dependency`` reads them, `withDependencies(_:operation:)` overrides them for the current task and
/// its children, `Reducer.dependency(_:_:)` for a reducer, and
/// `Store.init(initialState:reducer:interceptors:configuration:dependencies:)` for a store.
public struct DependencyValues: Sendable {
    package var overrides: DependencyOverrides

    /// Those in force in this task.
    package static var current: DependencyValues { DependencyValues(.current) }

    /// Creates dependencies without an override.
    public init() { overrides = DependencyOverrides() }

    package init(_ overrides: DependencyOverrides) { self.overrides = overrides }

    /// The value of a dependency: that of the override, or the default of ``context``.
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

    /// Which defaults count: the test values in a process that runs tests, the live ones in all others, unless it is
    /// overridden.
    public var context: DependencyContext {
        get {
            let override = overrides[key: ObjectIdentifier(DependencyContext.self)]
            return (override as? DependencyOverride<DependencyContext>)?.value ?? .ofProcess
        }
        set { overrides[key: ObjectIdentifier(DependencyContext.self)] = DependencyOverride(value: newValue) }
    }
}

/// The value of an override. A class, so that reading it needs no cast of the value itself.
private final class DependencyOverride<Value: Sendable>: Sendable {
    let value: Value

    init(value: Value) {
        self.value = value
    }
}
