/// The scope of an optional part of a state; see
/// ``Store/scopeIfLet(state:fileID:line:action:extract:)``.
///
/// It holds the scope as long as there is something to show. When that goes, those who hold the scope still see the
/// last it was, their observations of it end, and it refuses actions. What it had accepted and was not reduced by then
/// is dropped and counted in ``StoreStatistics/lateActions``, or its dispatch throws. When something comes again it
/// gets a new scope. A scope ends also when this is released. If the part is one of a child, this holds the child, too.
///
/// It looks at the part in the store's turn. If the store is busy when this is made, or it is made in one of its turns,
/// as by an observer, there is nothing to show until its turn has come; ``Store/state`` waits for that.
///
/// The part can be one of a scope that comes and goes itself. When that goes there is nothing to show any more, for
/// good.
public final class OptionalScope<State: Equatable & Sendable, Action: Sendable>: Sendable {
    private let presence: OptionalPresence<State, Action>
    /// The way to the store, which keeps that alive if it is a child.
    private let scopeNode: any AnyObject & Sendable

    @usableFromInline
    init(
        _ current: OptionalStore<State, Action>,
        _ observation: StoreObservation,
        keeping scopeNode: any AnyObject & Sendable
    ) {
        presence = OptionalPresence(current, observation)
        self.scopeNode = scopeNode
    }

    /// The scope, or nil if there is nothing to show.
    public var store: Store<State, Action>? { presence.current.store }

    /// The scope that there is, and then each coming and going: nil when there is nothing to show any more. An observer
    /// that is busy meanwhile gets the newest only.
    ///
    /// Ends with the store, or, after nil, with the scope that comes and goes of which this is a part. The sequence
    /// holds the scope as long as there is something to show, and with it the child whose part that is; otherwise it
    /// keeps no store alive.
    public var stores: StoreSequence<Store<State, Action>?> {
        StoreSequence { [presence] in presence.current.subscribe(keeping: presence) }
    }

    /// Calls `onSome` with the scope when there comes something to show, and `onNil` when there is nothing any more;
    /// one of them at once. In the store's turn: see
    /// ``Store/observe(_:fileID:line:_:)-(KeyPath<State,Value>Sendable,_,_,_)``.
    ///
    /// If this is the scope of a part of another scope that comes and goes, and that is released, `onNil` is called
    /// later, in a turn of a background task, and not by whoever releases it.
    ///
    /// - Returns: a token; the observation ends when it is released or cancelled. It holds the scope as long as there
    ///   is something to show, and with it the child whose part that is; otherwise it keeps no store alive.
    public func observe(
        onSome: @escaping @Sendable (_ store: Store<State, Action>) -> Void,
        onNil: @escaping @Sendable () -> Void = {}
    ) -> StoreObservation {
        presence.current.observe { [presence] store in
            withExtendedLifetime(presence) { if let store { onSome(store) } else { onNil() } }
        }
    }
}

/// Ends the scopes of an optional part when nobody is left who asks for them. Those who are told of their coming and
/// going hold this, by which no child is kept alive, and not the ``OptionalScope``.
private final class OptionalPresence<State: Sendable, Action: Sendable>: Sendable {
    let current: OptionalStore<State, Action>
    private let observation: StoreObservation

    init(_ current: OptionalStore<State, Action>, _ observation: StoreObservation) {
        self.current = current
        self.observation = observation
    }

    deinit { current.release(observation) }
}
