import ActorStore

/// A change of a state that says itself what it does: an action and its reducer in one.
///
/// ```swift
/// struct Deposit: StateUpdater {
///     let amount: Int
///     func update(_ state: inout Account) { state.balance += amount }
/// }
/// let store = CommandStore(initialState: Account())
/// try await store.dispatch(Deposit(amount: 3))
/// ```
///
/// It is wrapped in a ``Command``, which is an action like any other: it passes through interceptors, is logged by its
/// name and properties, and is observed. A ``CommandStore`` takes nothing else; a store whose own actions have a case
/// for commands takes both, see ``CommandAction``.
public protocol StateUpdater<State>: Sendable {
    /// What it changes.
    associatedtype State: Sendable

    /// Changes the state. Like a reducer, it runs on whichever thread owns the store's turn, and must not block.
    func update(_ state: inout State)
}
