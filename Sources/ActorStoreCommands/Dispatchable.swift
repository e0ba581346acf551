import ActorStore

/// An action of an open store: any type that says so.
///
/// ```swift
/// struct Deposit: Dispatchable { let amount: Int }
/// struct Closed: Dispatchable {}
///
/// let store = OpenStore(initialState: Account(), reducer: Combine {
///     On(Deposit.self) { state, deposit in state.balance += deposit.amount }
///     On(Closed.self) { state, _ in state.isOpen = false }
/// })
/// try await store.dispatch(Deposit(amount: 3))
/// ```
///
/// An open store takes whatever modules dispatch that do not know each other. Actions that no reducer knows are legal,
/// and change nothing. What it costs: the compiler cannot tell whether anybody handles an action, and each ``On`` asks
/// each action for its type.
public protocol Dispatchable: Sendable {}

/// A store that takes actions of any type that is ``Dispatchable``.
public typealias OpenStore<State: Sendable> = Store<State, any Dispatchable>

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
