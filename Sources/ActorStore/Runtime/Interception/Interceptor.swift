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
/// - throw: then `dispatch` throws ``StoreError/rejected(by:)`` as well, or the ``StoreError`` that was thrown; other
///   errors reach ``Store/errors``;
/// - send further actions through the context; they are queued, never nested.
///
/// It must not block: everybody waits for it. Work that waits, such as asking another service whether an action is
/// allowed, belongs in a `SideEffect` that dispatches the action when it is.
///
/// Interceptors come with the store, or later, by ``Store/use(_:at:)``.
public struct Interceptor<State: Sendable, Action: Sendable>: Sendable {
    /// What an interceptor does with an action.
    public typealias Body =
        @Sendable (
            _ action: Action, _ context: InterceptorContext<State, Action>, _ next: (Action) throws -> Void
        ) throws -> Void

    /// Names it in errors.
    public let name: String
    /// Whether interceptors that are added to its store later stand outside of it, also `.innermost` ones: that of a
    /// test store, which records the actions that the reducer gets.
    package var staysInnermost = false
    /// Whether it keeps the actions that it passes on, so that the state can be made of them again: that of a journal.
    /// Then nothing else may change the state.
    package var keepsActions = false
    /// Called once for each store that uses it.
    let setUp: @Sendable (WeakStore<State, Action>) -> ActiveInterceptor<State, Action>

    /// Creates an interceptor.
    ///
    /// - Parameters:
    ///   - name: Names it in errors and in ``StoreError/rejected(by:)``.
    ///   - body: What it does with an action.
    public init(_ name: String, _ body: @escaping Body) {
        self.init(name: name) { _ in ActiveInterceptor(body) }
    }

    private init(
        name: String,
        setUp: @escaping @Sendable (WeakStore<State, Action>) -> ActiveInterceptor<State, Action>
    ) {
        self.name = name
        self.setUp = setUp
    }

    /// Creates an interceptor that has something to prepare.
    ///
    /// ```swift
    /// let heartbeat = Interceptor<State, Action>.settingUp("heartbeat") { store in
    ///     let task = Task { while !Task.isCancelled { store.send(.beat); try? await Task.sleep(for: .seconds(1)) } }
    ///     return ActiveInterceptor { action, _, next in try next(action) } onRemoval: { task.cancel() }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - name: Names it in errors and in ``StoreError/rejected(by:)``.
    ///   - setUp: Called once for each store that uses the interceptor, in its turn, before the first action that
    ///     passes through it. What it sends is queued. A store that loads its first state calls it when it is ready.
    public static func settingUp(
        _ name: String,
        _ setUp: @escaping @Sendable (_ store: WeakStore<State, Action>) -> ActiveInterceptor<State, Action>
    ) -> Interceptor {
        Interceptor(name: name, setUp: setUp)
    }
}

/// An interceptor as one store uses it.
public struct ActiveInterceptor<State: Sendable, Action: Sendable>: Sendable {
    @usableFromInline let body: Interceptor<State, Action>.Body
    let onRemoval: (@Sendable () -> Void)?
    /// Called in the turn in which it is removed.
    package var whenRemoved: (@Sendable () -> Void)?

    /// Creates what ``Interceptor/settingUp(_:_:)`` returns.
    ///
    /// - Parameters:
    ///   - body: What it does with an action.
    ///   - onRemoval: Called once, by a background task, after the interceptor has been removed or the store has ended.
    public init(_ body: @escaping Interceptor<State, Action>.Body, onRemoval: (@Sendable () -> Void)? = nil) {
        self.body = body
        self.onRemoval = onRemoval
    }
}
