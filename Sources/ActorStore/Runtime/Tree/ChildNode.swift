/// The reducer of one child or of several, with its dependencies.
@usableFromInline
struct NodeReducer<State: Sendable, Action: Sendable>: Sendable {
    @usableFromInline let run: @Sendable (inout State, Action) -> Effect<Action>
    @usableFromInline let dependencies: DependencyContainer?

    /// Creates the reducer with the dependencies in effect here, on top of those of the parent. Called where users
    /// create children, and not where the child of an entry is created, because that happens in the turn, on an
    /// arbitrary thread.
    @inlinable
    init(_ reducer: some Reducer<State, Action>, below parent: DependencyContainer?) {
        let dependencies = DependencyContainer.here(below: parent)
        run = reducer.prepared().run(in: dependencies)
        self.dependencies = dependencies
    }
}

/// The implementation of a child: its own state, its reducer, and the connection to its parent.
@usableFromInline
final class ChildNode<State: Sendable, Action: Sendable>: TreeNode, @unchecked Sendable {
    // Sound: constants, and what is accessed only in the turn of the tree. `state` is also accessed by readers that the
    // gate admits. That implies exclusivity, which is not checked again.

    @usableFromInline let root: TreeRoot
    @usableFromInline let name: String
    /// The parent, retained while this node lives.
    private let keptParent: TreeNode
    @usableFromInline let reducer: @Sendable (inout State, Action) -> Effect<Action>
    /// Forwards an action to the parent, which calls `below` first. Only calls `below` if the action does not go
    /// further.
    @usableFromInline let forwardToParent: @Sendable (_ action: Action, _ below: () -> Void) -> Result<Void, StoreError>
    @exclusivity(unchecked) @usableFromInline var state: State
    @exclusivity(unchecked) @usableFromInline var attached = AttachedReducers<State, Action>()
    /// The effects of the turn's actions, with each action's position in its batch, until they are registered.
    @exclusivity(unchecked) @usableFromInline var newEffects: [(effect: Effect<Action>, placeInBatch: UInt32)] = []
    /// The observers of the child's actions, if there are any.
    @exclusivity(unchecked) @usableFromInline var pendingActions: (any PendingActions<Action>)?
    /// For the child of a table entry or of an optional's value: records that element, so that the child keeps showing
    /// both of its states as they were at the same time.
    @exclusivity(unchecked) @usableFromInline var rememberElement: (@Sendable () -> Void)?
    /// The child's interceptors, if there are any.
    @exclusivity(unchecked) @usableFromInline var interception: ChildInterception<Action>? {
        didSet { note(.interceptors, isPresent: interception != nil) }
    }

    @usableFromInline
    init(
        state: State,
        reducer: NodeReducer<State, Action>,
        forwardToParent: @escaping @Sendable (_ action: Action, _ below: () -> Void) -> Result<Void, StoreError>,
        root: TreeRoot,
        name: String,
        parent: TreeNode
    ) {
        self.state = state
        self.reducer = reducer.run
        self.forwardToParent = forwardToParent
        self.root = root
        self.name = name
        keptParent = parent
        super.init(parent: parent)
        dependencies = reducer.dependencies
        withUnsafePointer(to: &self.state) { noteState(at: $0) }
        root.inTurn { [self] in root.add(self) }
    }

    /// Reduces an action here and in the stores above, after calling `below`. Called within the turn.
    @inlinable
    func propagate(_ action: Action, _ below: () -> Void) -> Result<Void, StoreError> {
        extras.containsAny(of: .aroundReducer) ? propagateOnSlowPath(action, below) : pass(action, below)
    }

    /// The slow path of ``propagate(_:_:)``, for a child with interceptors or with observed actions.
    @inlinable
    func propagateOnSlowPath(_ action: Action, _ below: () -> Void) -> Result<Void, StoreError> {
        guard let interception else { return passAndRecord(action, below) }
        // The stores below see one action, even if interceptors turn it into several.
        var hasReducedBelow = false
        let refusal = interception.run(action) { action in
            let isFurther = hasReducedBelow
            if isFurther {
                root.checkTablesBetweenActions()
                // Dropped like the rest of a batch.
                if root.progress.contains(.endings), hasLeft {
                    root.dropLate(1)
                    return .shutDown
                }
            }
            let result = passAndRecord(action) {
                if hasReducedBelow { return }
                hasReducedBelow = true
                below()
            }
            if isFurther { root.checkTablesBetweenActions() }
            return if case .failure(let error) = result { error } else { nil }
        }
        return refusal.map { .failure($0) } ?? .success(())
    }

    @inlinable
    func passAndRecord(_ action: Action, _ below: () -> Void) -> Result<Void, StoreError> {
        guard let pendingActions else { return pass(action, below) }
        pendingActions.prepare(in: root)
        let revision = root.nextRevision
        let result = pass(action, below)
        if case .success = result { pendingActions.record(action, revision: revision, in: root) }
        return result
    }

    /// Reduces an action that passed the interceptors.
    @inlinable
    func pass(_ action: Action, _ below: () -> Void) -> Result<Void, StoreError> {
        // Before the closure that embeds the action in a parent action runs. It then behaves the same whether or not
        // the store was busy: reading a snapshot traps, and actions that it sends are queued.
        root.progress.remove(.atRest)
        root.beginWriting()
        return forwardToParent(action) {
            below()
            // The result of each turn is recorded at its end. This is for turns of several actions.
            if let rememberElement {
                if root.progress.contains(.changedElement) {
                    rememberElement()
                    root.noteMemory(of: self, rememberElement)
                }
                root.progress.insert(.changedElement)
            }
            root.progress.remove(.atRest)
            root.beginWriting()
            var effect = reducer(&state, action)
            if !attached.isEmpty { effect = effect.merged(with: attached.reduce(into: &state, action: action)) }
            if !effect.isNone { keep(effect, of: action) }
        }
    }

    /// Sets the closure that records the element that the child belongs to.
    @inlinable
    func rememberElement<Shown>(of states: StateReader<Shown>) {
        rememberElement = { _ = states.load() }
    }

    /// Ends the child when an element of its parent's state, or one that contains it, is removed.
    @usableFromInline
    func end(with element: any AnyElementStorage) {
        let stay = DependentRegistration(of: ElementChild(self), at: element)
        root.inTurn { [self] in note(element, stay) }
    }

    /// Sets whether `extra` is part of the child's turns, and updates the number of observed stores.
    @usableFromInline
    func note(_ extra: TurnExtras, isPresent: Bool) {
        let wasObserved = extras.containsAny(of: .notified)
        extras.set(extra, to: isPresent)
        let isObserved = extras.containsAny(of: .notified)
        if isObserved != wasObserved { root.observedNodes += isObserved ? 1 : -1 }
    }

    /// Keeps an effect until it is registered.
    @usableFromInline
    func keep(_ effect: Effect<Action>, of action: Action) {
        newEffects.append((effect, root.placeInBatch))
        root.progress.insert(.newEffects)
    }

    // MARK: Overrides

    override func detectorsChanged() { note(.observers, isPresent: !filters.isEmpty) }

    override func dismiss(_ dependent: any DependentObserver) { remove(dependent) }

    override func finishDependents() { endDependents() }

    override func publishActions() { pendingActions?.publish(in: root) }

    @inlinable
    override func takeOnEffects(into pending: inout PendingTasks, of count: Int, _ action: (Int) -> any Sendable) {
        takeOn(&newEffects, into: &pending, of: count, action)
    }

    override func finish() {
        pendingActions?.finish()
        pendingActions = nil
        note(.actionObservers, isPresent: false)
        // Removed before they are notified, so that code that they run finds the child without them.
        let removed = interception
        interception = nil
        removed?.interceptors.removeAll()
    }

    override func actionObserverLeft() {
        if pendingActions?.observerLeft() == true { pendingActions = nil }
        note(.actionObservers, isPresent: pendingActions != nil)
    }

    override var observedGroups: [any ObservedGroup] {
        super.observedGroups + (pendingActions.map { [$0.group] } ?? [])
    }
}

extension ChildNode: InterceptableNode {}

/// Ends a child when its element is removed.
private final class ElementChild<Node: StoreNode>: DependentObserver, Sendable {
    private let node: WeakReference<Node>

    init(_ node: Node) { self.node = WeakReference(node) }

    func end() { if let node = node.object { node.root.end(node) } }
}

extension ChildNode: StoreNode {
    @usableFromInline var lookedAtState: Any { state }

    @usableFromInline
    func attachedReducersChanged() {}

    @usableFromInline
    func postReply(_ action: Action, _ origin: ReplyOrigin?) {
        effects.waitingReplies += 1
        let message = ForwardedMessage(weight: 0) { [self] in
            defer { endReply() }
            defer { if let tracker = origin?.tracker { root.end(tracker) } }
            // Both are evaluated, because the second one also counts.
            let isTooLate = origin.map(isTooLate) == true
            if isTooLate || dropsReply() { return nil }
            return reduceAndStart(action, joining: origin?.tracker)
        }
        root.append(message)
    }

    @usableFromInline
    func postFeedback(_ action: Action, from job: EffectJob, isDismissal: Bool) -> SendOutcome {
        let message = ForwardedMessage(weight: 1) { [self] in
            defer { endFeedback(of: job) }
            if root.isStale(job, isDismissal: isDismissal) || lifecycle.isEnded { return nil }
            if hasGoneUnseen(job, isDismissal: isDismissal) { return nil }
            return reduceAndStart(action, joining: job.tracker.tracksFeedback ? job.tracker : nil)
        } refuse: { [self] _ in
            loseFeedback(of: job)
        }
        return root.post(message, whenClosed: true)
    }

    @usableFromInline
    func reduceUnlessEnded(_ action: Action) -> DispatchResult { reduceFully(action) }

    /// Records that an action that a reducer asked to send was reduced or dropped. Called within the turn.
    private func endReply() {
        effects.waitingReplies -= 1
        guard effects.waitingReplies == 0 else { return }
        continueAfterEnd(of: nil)
    }

}
