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

/// The store of what an optional holds, and those who observe its coming and going.
@usableFromInline
final class OptionalStore<State: Sendable, Action: Sendable>: @unchecked Sendable {
    // Sound: `source` is touched only in the turn of the tree, and `currentStore` under the lock.
    private let root: TreeRoot
    /// The store of the tree in whose state the part is.
    private let node: any StoreNode
    private let presence: Broadcast<Store<State, Action>?>
    private let lock = Lock()
    private var currentStore: Store<State, Action>?
    /// The memory that the store's observers look at.
    @usableFromInline private(set) var source: ElementStorage<State>?

    @usableFromInline
    init(root: TreeRoot, node: any StoreNode) {
        self.root = root
        self.node = node
        presence = Broadcast(
            areEqual: { $0 === $1 },
            keepsNewest: true,
            subject: .unshared,
            deferred: root.deferred
        )
    }

    var store: Store<State, Action>? { lock.withLock { currentStore } }

    /// There is something to show. In the turn.
    @usableFromInline
    func enter(_ store: Store<State, Action>, _ source: ElementStorage<State>) {
        self.source = source
        replace(by: store)
    }

    /// There is nothing to show, any more or at first. What there was ends when its observers have been told of the
    /// change with which it goes. In the turn, by the observer of the part.
    @usableFromInline
    func leave() {
        if let gone = takeSource() {
            // What an observer sends to it now would not be reduced.
            gone.beginEnding()
            root.endWhenAllAreTold(gone) { [root] in gone.finishObservations(in: root) }
        } else if presence.hasNewest {
            // Which is that there is nothing to show.
            return
        }
        replace(by: nil)
    }

    private func takeSource() -> ElementStorage<State>? {
        defer { source = nil }
        return source
    }

    /// Nothing comes any more, because that has ended which the part is one of. What there is to show stays if that is
    /// the store; otherwise it has gone. In the turn.
    @usableFromInline
    func finish() {
        if node.hasEnded {
            source?.finishObservations(in: root)
            presence.finish()
        } else if let gone = takeSource() {
            gone.finishObservations(in: root)
            let previous = exchange(with: nil)
            presence.finish(with: nil) { root.tellOfEnd($0) }
            root.deferred.retire(previous)
        } else {
            presence.finish()
        }
    }

    /// Lets the store go, because nobody can ask for it any more. It refuses actions at once, and ends when what the
    /// tree had accepted before is reduced, up to which the part is brought up to date. From anywhere.
    ///
    /// - Parameter observation: What brings it up to date.
    func release(_ observation: StoreObservation) {
        if case .view(let scopeNode)? = store?.backing { scopeNode.states.element?.refuseFurtherActions() }
        root.inTurn { [self] in
            observation.cancel()
            finish()
        }
    }

    private func replace(by store: Store<State, Action>?) {
        let previous = exchange(with: store)
        presence.publish(store)
        root.deferred.retire(previous)
    }

    /// - Returns: what there was to show before, for the caller to release when the turn has been passed on.
    private func exchange(with store: Store<State, Action>?) -> Store<State, Action>? {
        lock.withLock {
            defer { currentStore = store }
            return currentStore
        }
    }

    /// - Parameter scope: kept as long as the subscription.
    func subscribe(keeping scope: any AnyObject & Sendable) -> Subscription<Store<State, Action>?> {
        let subscriber = Subscriber<Store<State, Action>?>(policy: .latest)
        root.observerCount.addRelaxed(1)
        root.inTurn { [presence, root] in
            presence.activate(subscriber, withNewest: true, revision: root.revision.loadRelaxed())
        }
        return Subscription(broadcast: presence, subscriber: subscriber, root: root, keeping: scope)
    }

    func observe(_ body: @escaping @Sendable (Store<State, Action>?) -> Void) -> StoreObservation {
        let observer = ClosureObserver(group: presence, root: root, source: 0, body)
        root.observerCount.addRelaxed(1)
        root.inTurn { [presence, root] in
            presence.add(observer, revision: root.revision.loadRelaxed())
        }
        return StoreObservation(of: observer)
    }
}
