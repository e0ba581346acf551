import ActorStore

/// A reducer that applies ``BindingAction``s, and ignores other actions.
///
/// Reducers after it see the new value of the part; reducers before it see the old one.
public struct BindingReducer<State: Sendable, Action: Sendable>: Reducer {
    @usableFromInline let path: CasePath<Action, BindingAction<State>>

    /// Creates a reducer for the case `binding`.
    @inlinable
    public init() where Action: BindableAction<State> { path = Action.bindingPath }

    /// Creates a reducer for a case of the actions.
    ///
    /// - Parameter action: The case. A case path with both an embedding and an extraction avoids reflection.
    @inlinable
    public init(action: CasePath<Action, BindingAction<State>>) { path = action }

    /// Sets the part, if the action is a binding action.
    @inlinable
    public func reduce(into state: inout State, action: Action) -> Effect<Action> {
        path.extract(from: action)?(&state)
        return .none
    }
}
