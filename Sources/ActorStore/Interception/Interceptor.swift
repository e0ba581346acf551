/// Stands between those who send actions and the reducer.
///
/// ```swift
/// let authorise = Interceptor<Shop.State, Shop.Action>("authorise") { action, context, next in
///     if case .refund = action, !context.state.clerkIsManager { return }    // swallowed
///     try next(action)
/// }
/// let store = Store(initialState: Shop.State(), reducer: Shop(), interceptors: [authorise])
/// ```
///
/// Interceptors run in the store's turn, in the order of the array, each around the ones after it and the reducer. One
/// may
/// - pass the action on, or another one in its place, by calling `next`; when that returns, the reducer has run, and
///   the observers have not been told yet;
/// - not call `next`: then `dispatch` throws ``StoreError/rejected(by:)`` with the interceptor's name;
/// - throw: then `dispatch` throws the same, or the ``StoreError`` if it is one, and other errors reach
///   ``Store/errors``;
/// - send further actions through the context; they are queued, never nested.
///
/// It must not block: everybody waits for it.
public struct Interceptor<State: Sendable, Action: Sendable>: Sendable {
    /// What an interceptor does with an action.
    public typealias Body =
        @Sendable (
            _ action: Action, _ context: InterceptorContext<State, Action>, _ next: (Action) throws -> Void
        ) throws -> Void

    /// Names it in errors.
    public let name: String
    let body: Body

    /// Creates an interceptor.
    ///
    /// - Parameters:
    ///   - name: Names it in errors and in ``StoreError/rejected(by:)``.
    ///   - body: What it does with an action.
    public init(_ name: String, _ body: @escaping Body) {
        self.name = name
        self.body = body
    }
}

/// What an interceptor can see and do besides passing an action on.
public struct InterceptorContext<State: Sendable, Action: Sendable>: Sendable {
    let core: StoreCore<State, Action>

    /// The state: before the interceptor calls `next` the one before the action, afterwards the one after it.
    public var state: State { core.snapshot() }

    /// Sends an action, which is reduced after all that the store has accepted so far.
    @discardableResult
    public func send(_ action: Action) -> SendOutcome { core.send(action) }
}
