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
    /// Whether it keeps the actions that it passes on, so that the state can be made of them again: that of a log.
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

/// What an interceptor can see and do besides passing an action on.
public struct InterceptorContext<State: Sendable, Action: Sendable>: Sendable {
    /// Where the interceptor stands.
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

    /// The state: before the interceptor calls `next` the one before the action, afterwards the one after it.
    @inlinable public var state: State {
        switch place {
        case .root(let core): core.snapshot()
        case .child(let child): child.snapshot()
        }
    }

    /// How many actions have been reduced.
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

    /// Sends an action, which is reduced after all that the store has accepted so far.
    @discardableResult
    public func send(_ action: Action) -> SendOutcome {
        switch place {
        case .root(let core): core.send(action)
        case .child(let child): child.actions.send(action)
        }
    }

    /// Has a value released when the turn has been passed on.
    package func retire<Value>(_ value: Value) {
        switch place {
        case .root(let core): core.retire(value)
        case .child(let child): child.root.retire(value)
        }
    }

    /// Looks at the state where it stands, for the owner of the turn, while no reducer runs.
    package func withState<Result>(_ body: (UnsafePointer<State>) -> Result) -> Result {
        switch place {
        case .root(let core): core.withStateAtRest(body)
        case .child(let child): withUnsafePointer(to: child.states.load(), body)
        }
    }
}

/// Where in the chain an interceptor that is added to a store takes its place.
public enum InterceptorPosition: Sendable, Equatable {
    /// Before all that are there: it sees what senders sent, and what the others made of it in the end.
    case outermost
    /// After all that are there: it sees what they let through, as they let it through.
    case innermost
}

/// The use of an interceptor by a store, from ``Store/use(_:at:)`` on; the way to end that.
///
/// It can be ignored: an interceptor stays until ``remove()`` is called or the store ends, so that one that guards a
/// store does not go because somebody lost a token. It does not keep the store alive.
public final class Interception: Sendable {
    private let identity: InterceptorIdentity
    private let removal: @Sendable (InterceptorIdentity) -> Void

    @usableFromInline
    init(_ identity: InterceptorIdentity, removal: @escaping @Sendable (InterceptorIdentity) -> Void) {
        self.identity = identity
        self.removal = removal
    }

    /// Takes the interceptor out of the chain, after all actions that were accepted before, which still pass through
    /// it; none that is sent afterwards does. From within a turn it is taken out after that turn. Calling it again does
    /// nothing.
    public func remove() { removal(identity) }
}

/// Tells one use of an interceptor from all others.
@usableFromInline
final class InterceptorIdentity: Sendable {
    @usableFromInline
    init() {}
}

/// One use of something that stands around what a store does, or looks on.
protocol IdentifiedUse {
    var identity: InterceptorIdentity { get }
}

extension Array where Element: IdentifiedUse {
    /// Takes a use out.
    ///
    /// - Returns: it; nil if it has gone before.
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

    /// Has the interceptor prepare itself. In the turn.
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

    /// Has its last closure called, and what it holds released, when the turn has been passed on. In the turn.
    ///
    /// By a background task: whoever removes it, or ends the store, may hold locks that deinitialisers take.
    func retire(in root: TreeRoot) {
        active.whenRemoved?()
        if let onRemoval = active.onRemoval { root.deferCall(onRemoval) }
        root.deferred.abandon(self)
    }
}
