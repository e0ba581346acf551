import ActorStore

/// Sets what ``BindingAction``s ask for, and leaves other actions alone.
///
/// In a body, the reducers behind it see the part as it was set, and those before it as it was.
public struct BindingReducer<State: Sendable, Action: Sendable>: Reducer {
    @usableFromInline let path: CasePath<Action, BindingAction<State>>

    /// Creates a reducer of the case `binding` of actions.
    @inlinable
    public init() where Action: BindableAction<State> { path = Action.bindingPath }

    /// Creates a reducer of a case of actions.
    ///
    /// - Parameter action: The case; made of both ways it costs no reflection.
    @inlinable
    public init(action: CasePath<Action, BindingAction<State>>) { path = action }

    /// Sets the part, if the action asks for that.
    @inlinable
    public func reduce(into state: inout State, action: Action) -> Effect<Action> {
        path.extract(from: action)?(&state)
        return .none
    }
}
