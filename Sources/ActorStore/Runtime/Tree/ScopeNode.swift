import Synchronization

/// The way to a store that is not the root of its tree: a child, or a scope.
///
/// It is made of closures, because these are made in inlinable code, where the types of the stores on the way are
/// known.
@usableFromInline
final class ScopeNode<State: Sendable, Action: Sendable>: Sendable {
    @usableFromInline let root: TreeRoot
    /// The store with a state of its own that it leads to, or that it is a scope of.
    @usableFromInline let node: any StoreNode
    @usableFromInline let name: String
    @usableFromInline let actions: ActionSink<Action>
    @usableFromInline let states: StateReader<State>
    /// Where reducers can be attached to the state, if it can be written.
    @usableFromInline let host: AttachmentHost<State, Action>?
    /// The same for a child's own state: an `AttachmentHost` of that.
    let localHost: (any Sendable)?
    private let detachLocal: (@Sendable (EffectID) -> Void)?
    /// Called with an action and what makes the state after it, if that is asked for; or with nil, when the state may
    /// have changed otherwise.
    @usableFromInline typealias ActionObserver = @Sendable (_ action: Action?, _ state: () -> State) -> Void
    /// Has a closure called with each action, and another one at the end of the store, or of what it observes through.
    @usableFromInline typealias ActionObservation =
        @Sendable (
            _ asksForChanges: Bool, _ host: (any DependentObserverHost)?, _ body: @escaping ActionObserver,
            _ end: @escaping @Sendable () -> Void
        ) -> StoreObservation
    @usableFromInline let observeActions: ActionObservation
    /// Where the state is, if it lies in one piece in the memory of a root or a child, so that it can be read there.
    /// (`states` keeps the source alive.)
    @usableFromInline let source: Unmanaged<ObservableStorage>?
    @usableFromInline let offset: Int
    /// What must live as long as it.
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
        // What must be captured is not protected by the gate.
        let place = states.capture == nil ? states.locate(whole) : nil
        source = (place?.source).map(Unmanaged.passUnretained)
        offset = place?.offset ?? 0
        self.keeping = keeping
        self.host = host
        self.localHost = localHost
        self.detachLocal = detachLocal
        self.observeActions = observeActions
    }

    /// The dependencies of what belongs to the store.
    @usableFromInline var dependencies: DependencyContainer? { node.dependencies }

    /// Whether it leads to a child, and not to a scope of one.
    var isChild: Bool { detachLocal != nil }

    /// Whether the element of a table, or what the optional held, is there no longer of which this shows a part.
    @usableFromInline var hasLeft: Bool { states.element?.hasLeft == true }

    /// Whether it takes no more actions, because that has gone, or nobody can ask for it any more. From anywhere.
    var isRefusing: Bool { states.element?.isRefusing == true }

    /// Where a part of the state is observed.
    @usableFromInline
    func place(of byteRange: ByteRange) -> StateLocation {
        let locate = states.deduplicated?.locate ?? states.locate
        return locate(byteRange) ?? StateLocation(source: derived)
    }

    /// Where a part of the state is observed with all of its changes, also those that count as none where the state is
    /// deduplicated.
    @usableFromInline
    func undeduplicatedPlace(of byteRange: ByteRange) -> StateLocation {
        // The memory of an element, also of one whose child this is, changes with what observers see of it.
        if let place = states.locate(byteRange), !(place.source is any AnyElementStorage) { return place }
        return StateLocation(source: DerivedState(root: root, node: node, element: states.element, load: states.load))
    }

    /// The state as the observations see it that are made by way of this; see ``ofOneObserver``. In the turn.
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

    /// Keeps the way for a sequence, whose store may be kept by nobody else, and no child.
    var retainer: Retainer<ScopeNode> { Retainer(withoutHold, until: states.element ?? node) }

    /// The same way, by which nobody's child is kept alive.
    @usableFromInline var withoutHold: ScopeNode { keeping([]) }

    /// The same way, by which nobody's child is kept alive, for one observer: all that it observes by way of this is
    /// seen with one memory. What is computed for others as well is computed once with them.
    @usableFromInline var ofOneObserver: ScopeNode {
        let scopeNode = withoutHold
        let whole = ByteRange(offset: 0, size: MemoryLayout<State>.size)
        if states.deduplicated != nil || states.locate(whole) == nil {
            _ = scopeNode.lazyDerived.storeIfNil(derived.ofOneObserver)
        }
        return scopeNode
    }

    /// The same way, which keeps something else alive.
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

    /// The same way, which keeps one more object alive.
    func alsoKeeping(_ object: any AnyObject & Sendable) -> ScopeNode {
        keeping([KeptWay(original: self, other: object)])
    }

    /// The way that this is the same as, if it only keeps more alive; otherwise this. It lasts as long as any of these
    /// does.
    var original: ScopeNode { (keeping.first as? KeptWay<State, Action>)?.original.original ?? self }

    /// Detaches a reducer from a child's own state.
    func detachLocally(_ key: EffectID) { detachLocal?(key) }

    /// A copy of the state between two turns.
    @inlinable
    func snapshot() -> State {
        if let source { return whileAtRest { source._withUnsafeGuaranteedRef { $0.load(at: offset) } } }
        guard let capture = states.capture else { return whileAtRest(states.load) }
        return whileAtRest(capture)()
    }

    /// A copy of a stored part of the state between two turns.
    @inlinable
    func snapshot<Value>(of part: StoredPart<State, Value>, in source: Unmanaged<ObservableStorage>) -> Value {
        whileAtRest { source._withUnsafeGuaranteedRef { $0.load(at: offset + part.offset) } }
    }

    @inlinable
    func whileAtRest<Result>(_ body: () -> Result) -> Result { root.whileAtRest(body) }

    /// A copy of the state after everything that was accepted before.
    @usableFromInline
    func settledState(isolation: isolated (any Actor)? = #isolation) async -> State {
        guard states.capture == nil, root.gate.beginReadingIfQuiet() else { return await root.perform(states.load) }
        defer { root.gate.endReading() }
        return states.load()
    }

    /// A part of the state after everything that was accepted before.
    @usableFromInline
    func settledValue<Value: Sendable>(
        of keyPath: KeyPath<State, Value> & Sendable,
        isolation: isolated (any Actor)? = #isolation
    ) async -> Value {
        await root.perform { [states] in states.load()[keyPath: keyPath] }
    }

    /// Begins to observe actions.
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

    /// Begins to observe actions with the states around them.
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
            // Nil for what comes before the first look, and was sent by others before this was asked for.
            guard let old = last.replace(by: new), let action, let root else { return }
            let revision = root.revision.loadRelaxed()
            group.publish(StateTransition(action: action, old: old, new: new, revision: revision))
        } _: {
            group.finish()
            last.replace(by: nil)
        }
        // Not if it has ended before this: then nobody lets it go.
        root.inTurn { [states] in if !group.isFinished { last.replace(by: states.load()) } }
        return Subscription(broadcast: group, subscriber: subscriber, root: nil, keeping: observation)
    }
}

/// The way to a store of any kind.
protocol ChildHolder: AnyObject, Sendable {
    /// The way to the nearest child, which keeps that alive; nil if there is none.
    var holder: (any ChildHolder)? { get }
}

extension ScopeNode: ChildHolder {
    var holder: (any ChildHolder)? {
        keeping.last is ChildLifetime ? self : (keeping.first as? any ChildHolder)?.holder
    }
}

/// What a way to a store keeps that also keeps something else: the way that it was made of, by which others may have
/// found the store, and that.
private final class KeptWay<State: Sendable, Action: Sendable>: ChildHolder {
    let original: ScopeNode<State, Action>
    let other: any AnyObject & Sendable

    init(original: ScopeNode<State, Action>, other: any AnyObject & Sendable) {
        (self.original, self.other) = (original, other)
    }

    var holder: (any ChildHolder)? { original.holder }
}

/// The way to a store for those who keep no child alive, but use one that others keep.
@usableFromInline
struct WeakScopeNode<State: Sendable, Action: Sendable>: Sendable {
    private let unheld: ScopeNode<State, Action>
    private let isOfChild: Bool
    private weak let original: ScopeNode<State, Action>?
    private weak let holder: (any ChildHolder)?

    @usableFromInline
    init(_ scopeNode: ScopeNode<State, Action>) {
        let holder = scopeNode.holder
        (original, isOfChild, self.holder) = (scopeNode.original, holder != nil, holder)
        unheld = isOfChild ? scopeNode.withoutHold : scopeNode
    }

    /// The way that keeps the child alive; nil if nobody is left who uses it.
    @usableFromInline var held: ScopeNode<State, Action>? {
        guard isOfChild else { return unheld }
        // Of a scope that has been released the child may still be there.
        return original ?? holder.map { unheld.keeping([$0]) }
    }
}

extension ScopeNode {
    /// Reduces an action with all that belongs to a turn. In the turn.
    func reduceInTurn(_ action: Action) -> DispatchResult {
        if root.lifecycle.isEnded || node.lifecycle.isEnded || hasLeft { return .failure(.shutDown) }
        return root.reduceInTurn(action, of: node) { actions.propagate(action) {} }
    }
}
