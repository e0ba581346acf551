import Synchronization

/// The node of a store that is not the root of its tree: of a child or a scope.
///
/// It consists of closures, because these are created in inlinable code, where the types of all stores on the path are
/// known.
@usableFromInline
final class ScopeNode<State: Sendable, Action: Sendable>: Sendable {
    @usableFromInline let root: TreeRoot
    /// The node with a state of its own: that of the child, or of the store that this is a scope of.
    @usableFromInline let node: any StoreNode
    @usableFromInline let name: String
    @usableFromInline let actions: ActionSink<Action>
    @usableFromInline let states: StateReader<State>
    /// Attaches reducers to the state, if the state is writable.
    @usableFromInline let host: AttachmentHost<State, Action>?
    /// The `AttachmentHost` of a child's own state.
    let localHost: (any Sendable)?
    private let detachLocal: (@Sendable (EffectID) -> Void)?
    /// Receives an action and a closure that creates the state after it; or `nil` when the state may have changed in
    /// another way.
    @usableFromInline typealias ActionObserver = @Sendable (_ action: Action?, _ state: () -> State) -> Void
    /// Calls one closure with each action, and another one when the store or the host ends.
    @usableFromInline typealias ActionObservation =
        @Sendable (
            _ asksForChanges: Bool, _ host: (any DependentObserverHost)?, _ body: @escaping ActionObserver,
            _ end: @escaping @Sendable () -> Void
        ) -> StoreObservation
    @usableFromInline let observeActions: ActionObservation
    /// The storage of the state, if the state is stored in one piece in a root or a child and can be read there.
    /// `states` retains it.
    @usableFromInline let source: Unmanaged<ObservableStorage>?
    @usableFromInline let offset: Int
    /// What must live as long as this node.
    private let keeping: [any AnyObject & Sendable]
    private let lazyDerived = LazyReference<ObservableStorage>()

    @usableFromInline
    init(
        root: TreeRoot,
        node: any StoreNode,
        name: String,
        actions: ActionSink<Action>,
        states: StateReader<State>,
        keeping: [any AnyObject & Sendable],
        host: AttachmentHost<State, Action>? = nil,
        localHost: (any Sendable)? = nil,
        detachLocal: (@Sendable (EffectID) -> Void)? = nil,
        observeActions: @escaping ActionObservation
    ) {
        self.root = root
        self.node = node
        self.name = name
        self.actions = actions
        self.states = states
        let whole = ByteRange(offset: 0, size: MemoryLayout<State>.size)
        // A state that has to be captured is not protected by the gate.
        let place = states.capture == nil ? states.locate(whole) : nil
        source = (place?.source).map(Unmanaged.passUnretained)
        offset = place?.offset ?? 0
        self.keeping = keeping
        self.host = host
        self.localHost = localHost
        self.detachLocal = detachLocal
        self.observeActions = observeActions
    }

    /// The dependencies of the store.
    @usableFromInline var dependencies: DependencyContainer? { node.dependencies }

    /// Whether this is the node of a child, and not of a scope.
    var isChild: Bool { detachLocal != nil }

    /// Whether the table entry or the optional's value that contains the state was removed.
    @usableFromInline var hasLeft: Bool { states.element?.hasLeft == true }

    /// Whether the store refuses actions, because that element was removed or can no longer be obtained. Can be read on
    /// any thread.
    var isRefusing: Bool { states.element?.isRefusing == true }

    /// Returns the location at which a part of the state is observed.
    @usableFromInline
    func place(of byteRange: ByteRange) -> StateLocation {
        let locate = states.deduplicated?.locate ?? states.locate
        return locate(byteRange) ?? StateLocation(source: derived)
    }

    /// Returns the location at which a part of the state is observed with all its changes, including duplicates if the
    /// state is deduplicated.
    @usableFromInline
    func undeduplicatedPlace(of byteRange: ByteRange) -> StateLocation {
        // The memory of an element, also if this is a child of the element, changes with what observers see of it.
        if let place = states.locate(byteRange), !(place.source is any AnyElementStorage) { return place }
        return StateLocation(source: DerivedState(root: root, node: node, element: states.element, load: states.load))
    }

    /// The state as seen by the observations made through this node; see ``ofOneObserver``. Used within the turn.
    var observedState: State {
        guard states.deduplicated != nil, let seen = lazyDerived.load(), !seen.detectors.isEmpty else {
            return states.load()
        }
        return seen.load(at: 0)
    }

    private var derived: ObservableStorage { lazyDerived.load() ?? lazyDerived.storeIfNil(makeDerived()) }

    private func makeDerived() -> ObservableStorage {
        let element = states.element
        guard let deduplicated = states.deduplicated else {
            return DerivedState(root: root, node: node, element: element, load: states.load)
        }
        return DeduplicatedStorage(root: root, node: node, element: element, deduplicated, isOfOneObserver: false)
    }

    /// Retains this node, but no child, for a sequence that may be the only user of the store.
    var retainer: Retainer<ScopeNode> { Retainer(withoutHold, until: states.element ?? node) }

    /// A copy that does not keep the child alive.
    @usableFromInline var withoutHold: ScopeNode { keeping([]) }

    /// A copy for one observer, which does not keep the child alive. Everything that is observed through it shares one
    /// memory. What is also computed for others is computed once.
    @usableFromInline var ofOneObserver: ScopeNode {
        let scopeNode = withoutHold
        let whole = ByteRange(offset: 0, size: MemoryLayout<State>.size)
        if states.deduplicated != nil || states.locate(whole) == nil {
            _ = scopeNode.lazyDerived.storeIfNil(derived.ofOneObserver)
        }
        return scopeNode
    }

    /// Returns a copy that retains other objects instead.
    func keeping(_ objects: [any AnyObject & Sendable]) -> ScopeNode {
        ScopeNode(
            root: root,
            node: node,
            name: name,
            actions: actions,
            states: states,
            keeping: objects,
            host: host,
            localHost: localHost,
            detachLocal: detachLocal,
            observeActions: observeActions
        )
    }

    /// Returns a copy that retains one more object.
    func alsoKeeping(_ object: any AnyObject & Sendable) -> ScopeNode {
        keeping([KeptWay(original: self, other: object)])
    }

    /// The node that this is a copy of, if the copy only retains more; otherwise this node. It lives as long as any of
    /// the copies.
    var original: ScopeNode { (keeping.first as? KeptWay<State, Action>)?.original.original ?? self }

    /// Detaches a reducer from a child's own state.
    func detachLocally(_ key: EffectID) { detachLocal?(key) }

    /// Returns a copy of the state between two turns.
    @inlinable
    func snapshot() -> State {
        if let source { return whileAtRest { source._withUnsafeGuaranteedRef { $0.load(at: offset) } } }
        guard let capture = states.capture else { return whileAtRest(states.load) }
        return whileAtRest(capture)()
    }

    /// Returns a copy of a stored part of the state between two turns.
    @inlinable
    func snapshot<Value>(of part: StoredPart<State, Value>, in source: Unmanaged<ObservableStorage>) -> Value {
        whileAtRest { source._withUnsafeGuaranteedRef { $0.load(at: offset + part.offset) } }
    }

    @inlinable
    func whileAtRest<Result>(_ body: () -> Result) -> Result { root.whileAtRest(body) }

    /// Returns a copy of the state after everything that was accepted before.
    @usableFromInline
    func settledState(isolation: isolated (any Actor)? = #isolation) async -> State {
        guard states.capture == nil, root.gate.beginReadingIfQuiet() else { return await root.perform(states.load) }
        defer { root.gate.endReading() }
        return states.load()
    }

    /// Returns a part of the state after everything that was accepted before.
    @usableFromInline
    func settledValue<Value: Sendable>(
        of keyPath: KeyPath<State, Value> & Sendable,
        isolation: isolated (any Actor)? = #isolation
    ) async -> Value {
        await root.perform { [states] in states.load()[keyPath: keyPath] }
    }

    /// Begins an observation of actions.
    func subscribeToActions(
        _ policy: BufferingPolicy,
        _ source: CodeLocation?
    ) -> Subscription<(action: Action, state: State)> {
        typealias Pair = (action: Action, state: State)
        let group = Broadcast<Pair>(areEqual: nil, keepsNewest: false, subject: .actions, deferred: root.deferred)
        let subscriber = root.makeSubscriber(of: Pair.self, policy, source)
        root.inTurn { [root] in
            if subscriber.suspension != nil { root.extras.insert(.suspension) }
            group.activate(subscriber, withNewest: false, revision: root.revision.loadRelaxed())
        }
        let observation = observeActions(false, nil) { action, state in
            if let action { group.publish((action, state())) }
        } _: {
            group.finish()
        }
        return Subscription(broadcast: group, subscriber: subscriber, root: nil, keeping: observation)
    }

    /// Begins an observation of actions with the states before and after them.
    func subscribeToTransitions(
        _ policy: BufferingPolicy,
        _ source: CodeLocation?
    ) -> Subscription<StateTransition<State, Action>> {
        let group = Broadcast<StateTransition<State, Action>>(
            areEqual: nil,
            keepsNewest: false,
            subject: .actions,
            deferred: root.deferred
        )
        let subscriber = root.makeSubscriber(of: StateTransition<State, Action>.self, policy, source)
        root.inTurn { [root] in
            if subscriber.suspension != nil { root.extras.insert(.suspension) }
            group.activate(subscriber, withNewest: false, revision: root.revision.loadRelaxed())
        }
        let last = LastValue<State>(retiringTo: root.deferred)
        let observation = observeActions(true, nil) { [weak root] action, state in
            let new = state()
            // `nil` for actions before the first look, which were sent before this observation was requested.
            guard let old = last.replace(by: new), let action, let root else { return }
            let revision = root.revision.loadRelaxed()
            group.publish(StateTransition(action: action, old: old, new: new, revision: revision))
        } _: {
            group.finish()
            last.replace(by: nil)
        }
        // Not if the observation has ended: nothing would release the state.
        root.inTurn { [states] in if !group.isFinished { last.replace(by: states.load()) } }
        return Subscription(broadcast: group, subscriber: subscriber, root: nil, keeping: observation)
    }
}

/// The node of any store, which may keep a child alive.
protocol ChildHolder: AnyObject, Sendable {
    /// The node that keeps the nearest child alive, if any.
    var holder: (any ChildHolder)? { get }
}

extension ScopeNode: ChildHolder {
    var holder: (any ChildHolder)? {
        keeping.last is ChildLifetime ? self : (keeping.first as? any ChildHolder)?.holder
    }
}

/// Retained by a copy of a node that retains one more object: the node that was copied, through which the store may
/// have been found, and the object.
private final class KeptWay<State: Sendable, Action: Sendable>: ChildHolder {
    let original: ScopeNode<State, Action>
    let other: any AnyObject & Sendable

    init(original: ScopeNode<State, Action>, other: any AnyObject & Sendable) {
        (self.original, self.other) = (original, other)
    }

    var holder: (any ChildHolder)? { original.holder }
}

/// A reference to a node that keeps no child alive, but uses one that others keep alive.
@usableFromInline
struct WeakScopeNode<State: Sendable, Action: Sendable>: Sendable {
    private let unheld: ScopeNode<State, Action>
    private let isOfChild: Bool
    private weak var original: ScopeNode<State, Action>?
    private weak var holder: (any ChildHolder)?

    @usableFromInline
    init(_ scopeNode: ScopeNode<State, Action>) {
        let holder = scopeNode.holder
        (original, isOfChild, self.holder) = (scopeNode.original, holder != nil, holder)
        unheld = isOfChild ? scopeNode.withoutHold : scopeNode
    }

    /// The node, keeping the child alive; `nil` if the child is no longer in use.
    @usableFromInline var held: ScopeNode<State, Action>? {
        guard isOfChild else { return unheld }
        // The child of a released scope may still be in use.
        return original ?? holder.map { unheld.keeping([$0]) }
    }
}

extension ScopeNode {
    /// Reduces an action in a complete turn. Called within the turn.
    func reduceInTurn(_ action: Action) -> DispatchResult {
        if root.lifecycle.isEnded || node.lifecycle.isEnded || hasLeft { return .failure(.shutDown) }
        return root.reduceInTurn(action, of: node) { actions.propagate(action) {} }
    }
}
