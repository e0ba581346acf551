import ActorStore

/// A marker protocol for the actions of an open store.
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
/// Use an open store when modules that do not depend on each other dispatch to one store. An action that no reducer
/// handles is legal, and changes nothing. The cost: the compiler cannot check that an action is handled, and each
/// ``On`` tests the type of each action.
public protocol Dispatchable: Sendable {}

/// A store that takes actions of any ``Dispatchable`` type.
public typealias OpenStore<State: Sendable> = Store<State, any Dispatchable>

/// A reducer that applies the actions of an open store that are ``StateUpdater``s of its state. It ignores all others.
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
