/// Reducers that all see each action, in the order in which they are written.
///
/// ```swift
/// let app = Combine {
///     Accounting()
///     Reduce { state, action in state.lastAction = action }
/// }
/// ```
///
/// Each sees the state as those before it left it. Their effects are merged.
public struct Combine<State: Sendable, Action: Sendable>: Reducer {
    @usableFromInline let content: PreparedReducer<State, Action>

    /// Creates a reducer of those in `content`.
    @inlinable
    public init(@ReducerBuilder<State, Action> content: () -> some Reducer<State, Action>) {
        self.content = content().prepared()
    }

    /// Runs the reducers in order, and merges their effects.
    @inlinable
    public func reduce(into state: inout State, action: Action) -> Effect<Action> {
        content.reduce(into: &state, action: action)
    }

    /// The reducers in order, with their bodies made once.
    @inlinable
    public func prepared() -> PreparedReducer<State, Action> { content }
}
