/// Decides on an action before the store accepts it, and may take its time: ask another service whether it is allowed,
/// or complete it with what that knows.
///
/// ```swift
/// let authorise = AsyncInterceptor<Shop.State, Shop.Action>("authorise") { action, _ in
///     guard case .refund(let order) = action else { return action }
///     return try await permissions.mayRefund(order) ? action : nil
/// }
/// store.use(authorise)
/// ```
///
/// It runs in the task that dispatches, outside the store's turn: nobody waits for it but that task. It may
/// - return the action, or another one in its place, with which the dispatch goes on;
/// - return nil: then `dispatch` throws ``StoreError/rejected(by:)`` with the interceptor's name;
/// - throw: a ``StoreError`` is thrown by `dispatch`, too; for other errors that is ``StoreError/rejected(by:)``, and
///   they reach ``Store/errors``.
///
/// If the task that dispatches is cancelled meanwhile, `dispatch` throws ``StoreError/cancelled`` whatever the
/// interceptor throws or returns, unless it returns nil. If it was cancelled before, only a `CancellationError` becomes
/// that.
///
/// What it decides on may be different when the action is reduced: others act meanwhile. What must hold then belongs
/// into the reducer, or into an ``Interceptor``, which an action comes to afterwards.
///
/// ## Which actions it sees
///
/// Those that somebody dispatches to the store, or to a scope of it, from outside, after
/// ``Store/use(_:)-(AsyncInterceptor<State,Action>)``, because a dispatch is the one who can wait. The order per sender
/// stays what it is: a task that dispatches goes on only when its action has been reduced, so what it does next comes
/// after. What it does not see:
/// - what is *sent*: ``Store/send(_:)-(Action)`` never waits, and were sent actions held back until they may pass,
///   either all would wait for the slowest, or they would overtake each other;
/// - what effects and side effects send and dispatch, which are the store's own;
/// - what comes up from children, which is in the middle of a turn by then.
///
/// So what must not get past at all is for an ``Interceptor``, which sees everything.
///
/// What it dispatches to its own store passes through it again.
public struct AsyncInterceptor<State: Sendable, Action: Sendable>: Sendable {
    /// Names it in errors.
    public let name: String
    let body: @Sendable (Action, WeakStore<State, Action>) async throws -> Action?

    /// Creates an interceptor.
    ///
    /// - Parameters:
    ///   - name: Names it in errors and in ``StoreError/rejected(by:)``.
    ///   - body: What it does with an action. It is given a handle to the store, to read the state; it must not wait
    ///     for an action of its own task.
    public init(
        _ name: String,
        _ body: @escaping @Sendable (_ action: Action, _ store: WeakStore<State, Action>) async throws -> Action?
    ) {
        self.name = name
        self.body = body
    }
}
