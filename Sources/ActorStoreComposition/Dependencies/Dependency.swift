import ActorStore

/// A dependency of a type, asked for by its key path.
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
/// An override counts if it is in force where the property is used; if there is none there, the one that was in force
/// where the value that has the property was created; and if there was none, the key's live or test value.
///
/// For reducers and effects, put overrides around the creation of the store, of the child, of the children of a table
/// or of the `StoreGroup`, which keep them for everything in them; or use `Reducer.dependency(_:_:)`. In a store
/// that keeps some, and inside such a reducer, overrides around a dispatch do not count at all. In a store that keeps
/// none they are no good for reducers either: they are those of the task that dispatches, and it is a matter of chance
/// who reduces an action when several send. But they count in the effects of what is dispatched there, because these
/// inherit the context of the dispatcher.
@propertyWrapper
public struct Dependency<Value: Sendable>: Sendable {
    private let read: @Sendable (DependencyValues) -> Value
    /// What was in force where this was created. If that was a reducer, this is not read inside of it later.
    private let initial = DependencyOverrides.current.outsideReducers

    /// Asks for a dependency by its property of ``DependencyValues``.
    public init(_ keyPath: KeyPath<DependencyValues, Value> & Sendable) {
        read = { $0[keyPath: keyPath] }
    }

    /// Asks for a dependency by its key.
    public init<Key: DependencyKey<Value>>(_ key: Key.Type) {
        read = { $0[key] }
    }

    /// The value that counts here.
    public var wrappedValue: Value {
        guard !initial.isEmpty else { return read(.current) }
        let overrides = initial.merging(.current)
        // Values that depend on others see the same overrides.
        return DependencyOverrides.$current.withValue(overrides) { read(DependencyValues(overrides)) }
    }
}

/// A store that a type depends on, asked for by its key path.
///
/// ```swift
/// enum SessionStoreKey: DependencyKey {
///     static let liveValue = Store(initialState: Session.State(), reducer: Session())
///     static var testValue: Store<Session.State, Session.Action> { Store(initialState: .signedOut, reducer: Session()) }
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
/// The store of a live value lives as long as the process, and is created when it is first asked for. It keeps the
/// dependencies that are in force there, unless `liveValue` overrides them. The same as ``Dependency``, for a
/// dependency that is a store.
public typealias StoreOf<State: Sendable, Action: Sendable> = Dependency<Store<State, Action>>
