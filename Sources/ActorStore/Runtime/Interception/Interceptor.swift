/// Middleware between the senders of a store's actions and its reducer.
///
/// ```swift
/// let authorise = Interceptor<Shop.State, Shop.Action>("authorise") { action, context, next in
///     if case .refund = action, !context.state.clerkIsManager { return }    // swallowed
///     try next(action)
/// }
/// let store = Store(initialState: Shop.State(), reducer: Shop(), interceptors: [authorise])
/// ```
///
/// Interceptors run within the store's turn, in the order of the array. Each wraps the interceptors after it and the
/// reducer. An interceptor can
/// - pass on the action, or another one in its place, by calling `next`. When `next` returns, the reducer has run, and
///   observers have not been notified yet;
/// - not call `next`: `dispatch` then throws ``StoreError/rejected(by:)`` with the interceptor's name;
/// - throw a ``StoreError``: `dispatch` then throws that error;
/// - throw any other error: `dispatch` then throws ``StoreError/rejected(by:)``, and ``Store/errors`` publishes the
///   error;
/// - send more actions through the context. They are queued, never nested.
///
/// An interceptor must not block, because the whole store waits for it. Work that waits, such as asking another service
/// whether an action is allowed, belongs in a `SideEffect` that dispatches the action once it is allowed.
///
/// Pass interceptors to the store's initializer, or add them later with ``Store/use(_:at:)``.
public struct Interceptor<State: Sendable, Action: Sendable>: Sendable {
    /// Handles an action: passes it to `next`, replaces it or rejects it.
    public typealias Body =
        @Sendable (
            _ action: Action, _ context: InterceptorContext<State, Action>, _ next: (Action) throws -> Void
        ) throws -> Void

    /// The name of the interceptor in errors.
    public let name: String
    /// Whether interceptors that are added to the store later, including `.innermost` ones, wrap this one. Used by test
    /// stores to record the actions that the reducer receives.
    package var staysInnermost = false
    /// Whether it records the actions that it passes on, so that the state can be recreated from them, as a log does.
    /// Nothing but actions may then change the state.
    package var keepsActions = false
    /// Called once for each store that uses it.
    let setUp: @Sendable (WeakStore<State, Action>) -> ActiveInterceptor<State, Action>

    /// Creates an interceptor.
    ///
    /// - Parameters:
    ///   - name: The name of the interceptor in errors and in ``StoreError/rejected(by:)``.
    ///   - body: The closure that handles each action.
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

    /// Creates an interceptor that needs setup for each store.
    ///
    /// ```swift
    /// let heartbeat = Interceptor<State, Action>.settingUp("heartbeat") { store in
    ///     let task = Task { while !Task.isCancelled { store.send(.beat); try? await Task.sleep(for: .seconds(1)) } }
    ///     return ActiveInterceptor { action, _, next in try next(action) } onRemoval: { task.cancel() }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name of the interceptor in errors and in ``StoreError/rejected(by:)``.
    ///   - setUp: Called once for each store that uses the interceptor, within the store's turn, before the first
    ///     action passes through it. Actions that it sends are queued. A store that loads its first state calls it once
    ///     the state is loaded.
    /// - Returns: An interceptor that calls `setUp` for each store that uses it.
    public static func settingUp(
        _ name: String,
        _ setUp: @escaping @Sendable (_ store: WeakStore<State, Action>) -> ActiveInterceptor<State, Action>
    ) -> Interceptor {
        Interceptor(name: name, setUp: setUp)
    }
}

/// An interceptor in use by one store.
public struct ActiveInterceptor<State: Sendable, Action: Sendable>: Sendable {
    @usableFromInline let body: Interceptor<State, Action>.Body
    let onRemoval: (@Sendable () -> Void)?
    /// Called within the turn that removes the interceptor.
    package var whenRemoved: (@Sendable () -> Void)?

    /// Creates the value to return from the closure of ``Interceptor/settingUp(_:_:)``.
    ///
    /// - Parameters:
    ///   - body: The closure that handles each action.
    ///   - onRemoval: Called once, by a background task, after the interceptor has been removed or the store has ended.
    public init(_ body: @escaping Interceptor<State, Action>.Body, onRemoval: (@Sendable () -> Void)? = nil) {
        self.body = body
        self.onRemoval = onRemoval
    }
}

/// Gives an interceptor access to its store.
public struct InterceptorContext<State: Sendable, Action: Sendable>: Sendable {
    /// The store that the interceptor belongs to.
    @usableFromInline
    enum Place: Sendable {
        case root(StoreCore<State, Action>)
        case child(ChildInterceptors<State, Action>)
    }

    @usableFromInline let place: Place

    @inlinable
    init(_ place: Place) {
        self.place = place
    }

    /// The state. Before the interceptor calls `next`, this is the state before the action; afterwards, the state after
    /// it.
    ///
    /// - Complexity: That of copying a `State`.
    @inlinable public var state: State {
        switch place {
        case .root(let core): core.snapshot()
        case .child(let child): child.snapshot()
        }
    }

    /// The number of actions that the store's tree has reduced.
    public var revision: UInt64 {
        switch place {
        case .root(let core): core.revision.loadAcquiring()
        case .child(let child): child.root.revision.loadAcquiring()
        }
    }

    /// The name of the store.
    public var storeName: String {
        switch place {
        case .root(let core): core.configuration.name
        case .child(let child): child.name
        }
    }

    /// Sends an action, which is reduced after everything that the store has accepted so far.
    ///
    /// - Parameter action: The action to reduce.
    /// - Returns: Whether the action was accepted, dropped or refused.
    @discardableResult
    public func send(_ action: Action) -> SendOutcome {
        switch place {
        case .root(let core): core.send(action)
        case .child(let child): child.actions.send(action)
        }
    }

    /// Releases a value after the turn has been passed on.
    package func retire<Value>(_ value: Value) {
        switch place {
        case .root(let core): core.retire(value)
        case .child(let child): child.root.retire(value)
        }
    }

    /// Gives access to the state in place. Called within the turn, while no reducer runs.
    package func withState<Result>(_ body: (UnsafePointer<State>) -> Result) -> Result {
        switch place {
        case .root(let core): core.withStateAtRest(body)
        case .child(let child): withUnsafePointer(to: child.states.load(), body)
        }
    }
}

/// The position at which an interceptor is added to a store's chain.
public enum InterceptorPosition: Sendable, Equatable {
    /// Before all present interceptors. It receives the actions as they were sent, and the final outcome of the others.
    case outermost
    /// After all present interceptors. It receives only the actions that they pass on, as they pass them on.
    case innermost
}

/// The registration of an interceptor with a store, as returned by ``Store/use(_:at:)``.
///
/// You can ignore it: an interceptor stays registered until you call ``remove()`` or the store ends, so a lost token
/// never disables an interceptor that guards a store. It does not retain the store.
public final class Interception: Sendable {
    private let identity: InterceptorIdentity
    private let removal: @Sendable (InterceptorIdentity) -> Void

    @usableFromInline
    init(_ identity: InterceptorIdentity, removal: @escaping @Sendable (InterceptorIdentity) -> Void) {
        self.identity = identity
        self.removal = removal
    }

    /// Removes the interceptor after all actions accepted before this call, which still pass through it. Actions sent
    /// afterwards do not.
    ///
    /// If you call it within a turn, the interceptor is removed after that turn. Further calls have no effect.
    public func remove() { removal(identity) }
}

/// The identity of one registration of an interceptor.
@usableFromInline
final class InterceptorIdentity: Sendable {
    @usableFromInline
    init() {}
}

/// One registration of an interceptor or an instrument.
protocol IdentifiedUse {
    var identity: InterceptorIdentity { get }
}

extension Array where Element: IdentifiedUse {
    /// Removes a registration.
    ///
    /// - Returns: The registration; `nil` if it was removed before.
    mutating func uninstall(_ identity: InterceptorIdentity) -> Element? {
        firstIndex { $0.identity === identity }.map { remove(at: $0) }
    }
}

/// An interceptor in a store's chain.
@usableFromInline
struct InstalledInterceptor<State: Sendable, Action: Sendable>: IdentifiedUse, Sendable {
    @usableFromInline let name: String
    let identity: InterceptorIdentity
    @usableFromInline let active: ActiveInterceptor<State, Action>
    let staysInnermost: Bool

    /// Sets the interceptor up. Called within the turn.
    @usableFromInline
    init(
        _ interceptor: Interceptor<State, Action>,
        _ identity: InterceptorIdentity,
        in store: WeakStore<State, Action>
    ) {
        name = interceptor.name
        self.identity = identity
        staysInnermost = interceptor.staysInnermost
        active = interceptor.setUp(store)
    }

    /// Calls `onRemoval` and releases the interceptor after the turn has been passed on. Called within the turn.
    ///
    /// A background task does both: the caller that removes the interceptor or ends the store may hold locks that
    /// deinitialisers take.
    func retire(in root: TreeRoot) {
        active.whenRemoved?()
        if let onRemoval = active.onRemoval { root.deferCall(onRemoval) }
        root.deferred.abandon(self)
    }
}
