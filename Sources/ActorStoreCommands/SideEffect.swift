import ActorStore

/// A piece of asynchronous work around a store that returns a value, or throws.
///
/// ```swift
/// struct RefreshUser: SideEffect {
///     let id: Int
///     func run(_ context: SideEffectContext<AppState, AppAction>) async throws -> User {
///         let user = try await context.dependencies.users.load(id)
///         try await context.dispatch(.loaded(user))
///         return user
///     }
/// }
/// let user = try await store.dispatch(RefreshUser(id: 7))
/// ```
///
/// Where an `Effect` is asked for by a reducer, and talks to the store alone, a side effect is dispatched by somebody
/// who wants its result. It may read the state, dispatch actions and other side effects, and wait for them, one after
/// the other or several at once.
public protocol SideEffect<State, Action, Value>: Sendable {
    /// The state of the stores that it can be dispatched to.
    associatedtype State: Sendable
    /// The actions of the stores that it can be dispatched to.
    associatedtype Action: Sendable
    /// What it returns.
    associatedtype Value: Sendable

    /// Does the work, off the store, in a task of its own.
    ///
    /// - Parameter context: The store, as long as the work runs.
    /// - Returns: what the dispatcher gets.
    /// - Throws: what the dispatcher gets.
    func run(_ context: SideEffectContext<State, Action>) async throws -> Value
}
