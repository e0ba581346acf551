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
