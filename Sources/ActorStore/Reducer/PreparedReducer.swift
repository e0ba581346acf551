/// A reducer as stores run it; made by ``Reducer/prepared()``.
///
/// A reducer that wraps another one without a ``Reducer/body`` runs that as it is, and so makes its body anew for each
/// action, unless it prepares it:
///
/// ```swift
/// struct Logged<Base: Reducer>: Reducer {
///     let base: Base
///
///     func reduce(into state: inout Base.State, action: Base.Action) -> Effect<Base.Action> {
///         log(action)
///         return base.reduce(into: &state, action: action)
///     }
///
///     func prepared() -> PreparedReducer<Base.State, Base.Action> {
///         let logged = Logged<PreparedReducer<Base.State, Base.Action>>(base: base.prepared())
///         return PreparedReducer { logged.reduce(into: &$0, action: $1) }
///     }
/// }
/// ```
public struct PreparedReducer<State: Sendable, Action: Sendable>: Reducer {
    @usableFromInline let run: @Sendable (inout State, Action) -> Effect<Action>

    /// Creates a reducer that does as a closure does.
    @inlinable
    public init(_ run: @escaping @Sendable (_ state: inout State, _ action: Action) -> Effect<Action>) {
        self.run = run
    }

    /// Runs the reducer.
    @inlinable
    public func reduce(into state: inout State, action: Action) -> Effect<Action> { run(&state, action) }

    /// The same: it is prepared already.
    @inlinable
    public func prepared() -> PreparedReducer { self }

    /// A reducer that runs this one and then another, and merges their effects.
    package func followed(by next: PreparedReducer) -> PreparedReducer {
        ReducerPair(first: self, second: next).prepared()
    }
}
