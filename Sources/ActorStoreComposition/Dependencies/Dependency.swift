import ActorStore

/// A property wrapper that reads a dependency by its key path.
///
/// ```swift
/// struct Convert: Reducer {
///     @Dependency(\.rates) var rates
///
///     func reduce(into state: inout State, action: Action) -> Effect<Action> {
///         .run { send in send(.loaded(try await rates.load())) }
///     }
/// }
/// ```
///
/// The value is the override that is in force where the property is used; without one, the override that was in force
/// where the value with the property was created; and without that, the key's live or test value.
///
/// For reducers and effects, put overrides around the creation of the store, of the child, of the children of a table
/// or of the `StoreGroup`, which keep them for everything in them; or use `Reducer.dependency(_:_:)`. In a store that
/// keeps overrides, and inside such a reducer, overrides around a dispatch have no effect. In a store that keeps none,
/// they are unsuitable for reducers, too: they are those of the task that reduces, and with several senders, the task
/// that reduces an action is not determined. They do apply to the effects of the dispatched action, because effects
/// inherit the context of the dispatcher.
@propertyWrapper
public struct Dependency<Value: Sendable>: Sendable {
    private let read: @Sendable (DependencyValues) -> Value
    /// The overrides in force where this was created. If that was inside a reducer, they do not mark later reads as
    /// inside it.
    private let initial = DependencyOverrides.current.outsideReducers

    /// Creates a dependency from its property of ``DependencyValues``.
    public init(_ keyPath: KeyPath<DependencyValues, Value> & Sendable) {
        read = { $0[keyPath: keyPath] }
    }

    /// Creates a dependency from its key.
    public init<Key: DependencyKey<Value>>(_ key: Key.Type) {
        read = { $0[key] }
    }

    /// The value of the dependency.
    public var wrappedValue: Value {
        guard !initial.isEmpty else { return read(.current) }
        let overrides = initial.merging(.current)
        // Values that depend on others see the same overrides.
        return DependencyOverrides.$current.withValue(overrides) { read(DependencyValues(overrides)) }
    }
}

/// A property wrapper that reads a store that a type depends on, by its key path.
///
/// ```swift
/// enum SessionStoreKey: DependencyKey {
///     static let liveValue = Store(initialState: Session.State(), reducer: Session())
///     static var testValue: Store<Session.State, Session.Action> {
///         Store(initialState: .signedOut, reducer: Session())
///     }
/// }
/// extension DependencyValues {
///     var session: Store<Session.State, Session.Action> {
///         get { self[SessionStoreKey.self] }
///         set { self[SessionStoreKey.self] = newValue }
///     }
/// }
/// struct Handler { @StoreOf(\.session) var session }
/// ```
///
/// The store of a live value is created when it is first read, and lives as long as the process. It keeps the
/// dependencies that are in force there, unless `liveValue` overrides them. This is ``Dependency`` for a dependency
/// that is a store.
public typealias StoreOf<State: Sendable, Action: Sendable> = Dependency<Store<State, Action>>
