/// The scope of an optional part of a state; see ``Store/scopeIfLet(state:fileID:line:action:extract:)``.
///
/// This object retains the scope while the part is not nil. When the part becomes nil, the scope ends, even if it is
/// still retained: it keeps showing the last value, its observations end, and it refuses actions. Actions that it had
/// accepted and that were not reduced by then are dropped and counted in ``StoreStatistics/lateActions``, or their
/// dispatch throws. When the part has a value again, there is a new scope. A scope also ends when this object is
/// released. If the part belongs to a child, this object retains the child, too.
///
/// The part is read within the store's turn. If the store is busy when this object is created, or if it is created
/// within one of the store's turns, such as by an observer, there is no scope until its turn has come; ``Store/state``
/// waits for it.
///
/// The part can belong to a scope that itself depends on an entry or an optional part. When that scope ends, this one
/// ends permanently.
public final class OptionalScope<State: Equatable & Sendable, Action: Sendable>: Sendable {
    private let presence: OptionalPresence<State, Action>
    /// The node of the store. It retains the store if that is a child.
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

    /// The scope, or nil while the part is nil.
    public var store: Store<State, Action>? { presence.current.store }

    /// A sequence of the scopes: the current one first, then each change; nil while the part is nil. A busy observer
    /// receives only the newest.
    ///
    /// The sequence finishes with the store, or, after nil, with the entry or optional part that the scope depends on.
    /// It retains the scope while the part is not nil, and with it the child that the part belongs to; it retains no
    /// other store.
    public var stores: StoreSequence<Store<State, Action>?> {
        StoreSequence { [presence] in presence.current.subscribe(keeping: presence) }
    }

    /// Calls `onSome` with each new scope, and `onNil` when the part becomes nil. One of them is called at once.
    ///
    /// The calls run within the store's turn, on the thread that reduces: the closures must not block, and must not
    /// take a lock that a sender may hold while it sends.
    ///
    /// If the part belongs to another scope of an entry or an optional part, and that scope is released, `onNil` is
    /// called later, in a turn of a background task, and not on the releasing thread.
    ///
    /// - Parameters:
    ///   - onSome: A closure that receives each new scope.
    ///   - onNil: A closure that is called when the part is nil.
    /// - Returns: A token. Releasing or cancelling it ends the observation. It retains the scope while the part is not
    ///   nil, and with it the child that the part belongs to; it retains no other store.
    public func observe(
        onSome: @escaping @Sendable (_ store: Store<State, Action>) -> Void,
        onNil: @escaping @Sendable () -> Void = {}
    ) -> StoreObservation {
        presence.current.observe { [presence] store in
            withExtendedLifetime(presence) { if let store { onSome(store) } else { onNil() } }
        }
    }
}

/// Ends the scopes of an optional part when there are no more users. Observers retain this object instead of the
/// ``OptionalScope``, so that they do not retain a child.
private final class OptionalPresence<State: Sendable, Action: Sendable>: Sendable {
    let current: OptionalStore<State, Action>
    private let observation: StoreObservation

    init(_ current: OptionalStore<State, Action>, _ observation: StoreObservation) {
        self.current = current
        self.observation = observation
    }

    deinit { current.release(observation) }
}

/// The store of an optional part, and its observers.
@usableFromInline
final class OptionalStore<State: Sendable, Action: Sendable>: @unchecked Sendable {
    // Sound: `source` is accessed only within the turn of the tree, and `currentStore` only under the lock.
    private let root: TreeRoot
    /// The node whose state contains the part.
    private let node: any StoreNode
    private let presence: Broadcast<Store<State, Action>?>
    private let lock = Lock()
    private var currentStore: Store<State, Action>?
    /// The memory that observers of the store read.
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

    /// Publishes a new store, because the part has a value. Call it within a turn.
    @usableFromInline
    func enter(_ store: Store<State, Action>, _ source: ElementStorage<State>) {
        self.source = source
        replace(by: store)
    }

    /// Ends the store, if there is one, and publishes nil, because the part is nil. The store ends after its observers
    /// have been notified of the change that removes the part. Called within a turn, by the observer of the part.
    @usableFromInline
    func leave() {
        if let gone = takeSource() {
            // Actions that an observer sends to the store from now on would not be reduced.
            gone.beginEnding()
            root.endWhenAllAreTold(gone) { [root] in gone.finishObservations(in: root) }
        } else if presence.hasNewest {
            // Nil has already been published.
            return
        }
        replace(by: nil)
    }

    private func takeSource() -> ElementStorage<State>? {
        defer { source = nil }
        return source
    }

    /// Finishes the sequence of stores, because the owner of the part has ended. The current store stays if the whole
    /// store has ended; otherwise it ends. Call it within a turn.
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

    /// Releases the store, because it has no more users. It refuses actions immediately, and ends when everything that
    /// the tree had accepted before is reduced; until then the part is kept up to date. Can be called from any thread.
    ///
    /// - Parameter observation: The observation that keeps the part up to date.
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

    /// - Returns: The previous store, which the caller releases after it has ended the turn.
    private func exchange(with store: Store<State, Action>?) -> Store<State, Action>? {
        lock.withLock {
            defer { currentStore = store }
            return currentStore
        }
    }

    /// - Parameter scope: An object that the subscription retains.
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
