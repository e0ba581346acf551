import ActorStore

/// Applies those actions of an open store that are ``StateUpdater``s of its state; it leaves all others alone.
///
/// ```swift
/// struct Deposit: Dispatchable, StateUpdater { … }
/// let store = OpenStore(initialState: Account(), reducer: OpenCommands())
/// ```
public struct OpenCommands<State: Sendable, Action: Sendable>: Reducer {
    /// Creates a reducer that applies updaters.
    public init() {}

    /// Applies the action if it is an updater of this state.
    public func reduce(into state: inout State, action: Action) -> Effect<Action> {
        (action as? any StateUpdater<State>)?.update(&state)
        return .none
    }
}
