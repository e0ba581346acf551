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
