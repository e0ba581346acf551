/// A reducer that does nothing.
public struct EmptyReducer<State: Sendable, Action: Sendable>: Reducer {
    /// Creates a reducer that does nothing.
    @inlinable
    public init() {}

    /// Leaves the state alone.
    @inlinable
    public func reduce(into state: inout State, action: Action) -> Effect<Action> { .none }
}
