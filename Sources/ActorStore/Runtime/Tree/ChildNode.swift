/// The reducer of a child, or of several, and the dependencies that they keep.
@usableFromInline
struct NodeReducer<State: Sendable, Action: Sendable>: Sendable {
    @usableFromInline let run: @Sendable (inout State, Action) -> Effect<Action>
    @usableFromInline let dependencies: DependencyContainer?

    /// With the dependencies in force here, over those of the parent. Called where users ask for children, and not
    /// where a child of an entry is made: that is in the turn, on whatever thread has it.
    @inlinable
    init(_ reducer: some Reducer<State, Action>, below parent: DependencyContainer?) {
        let dependencies = DependencyContainer.here(below: parent)
        run = reducer.prepared().run(in: dependencies)
        self.dependencies = dependencies
    }
}

/// What is behind a child: its own state, its reducer, and the way up.
@usableFromInline
final class ChildNode<State: Sendable, Action: Sendable>: TreeNode, @unchecked Sendable {
    // Sound: constants, and what is touched only in the turn of the tree. `state` is also read by those whom the gate
    // lets read. Exclusivity follows from that, and is not checked again.

    @usableFromInline let root: TreeRoot
    @usableFromInline let name: String
    /// The next one on the way up, for as long as this one lives.
    private let keptParent: TreeNode
    @usableFromInline let reducer: @Sendable (inout State, Action) -> Effect<Action>
    /// Passes an action on to the parent, who does what is `below` first; or only does that, if the action goes no
    /// further.
    @usableFromInline let forwardToParent: @Sendable (_ action: Action, _ below: () -> Void) -> Result<Void, StoreError>
    @exclusivity(unchecked) @usableFromInline var state: State
    @exclusivity(unchecked) @usableFromInline var attached = AttachedReducers<State, Action>()
    /// The effects of the turn's actions, with the places of these in their batch, until they are taken on.
    @exclusivity(unchecked) @usableFromInline var newEffects: [(effect: Effect<Action>, placeInBatch: UInt32)] = []
    /// Those who observe its actions, if there are any.
    @exclusivity(unchecked) @usableFromInline var pendingActions: (any PendingActions<Action>)?
    /// For the child of an entry, or of what an optional holds: has that remembered as it is, so that the child goes on
    /// to show both of its states as they were together.
    @exclusivity(unchecked) @usableFromInline var rememberElement: (@Sendable () -> Void)?
    /// Its interceptors, if there are any.
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

    /// Reduces an action, here and then further up, after what is `below`. In the turn.
    @inlinable
    func propagate(_ action: Action, _ below: () -> Void) -> Result<Void, StoreError> {
        extras.containsAny(of: .aroundReducer) ? propagateOnSlowPath(action, below) : pass(action, below)
    }

    /// The rest of ``propagate(_:_:)`` for a child with interceptors, or whose actions are observed.
    @inlinable
    func propagateOnSlowPath(_ action: Action, _ below: () -> Void) -> Result<Void, StoreError> {
        guard let interception else { return passAndRecord(action, below) }
        // For those below it is one action, whatever the interceptors make of it.
        var hasReducedBelow = false
        let refusal = interception.run(action) { action in
            let isFurther = hasReducedBelow
            if isFurther {
                root.lookAtTablesBetweenActions()
                // As the rest of a batch.
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
            if isFurther { root.lookAtTablesBetweenActions() }
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

    /// Reduces an action that has come through the interceptors.
    @inlinable
    func pass(_ action: Action, _ below: () -> Void) -> Result<Void, StoreError> {
        // Before the closure that makes an action of the parent of this one, so that it is the same for it whether the
        // store was busy or not: it is told when it reads a snapshot, and what it sends waits.
        root.progress.remove(.atRest)
        root.beginWriting()
        return forwardToParent(action) {
            below()
            // What each turn has made of the element is remembered at its end. This is about turns of several actions.
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

    /// Takes note of whose element it is.
    @inlinable
    func rememberElement<Shown>(of states: StateReader<Shown>) {
        rememberElement = { _ = states.load() }
    }

    /// Has it end with an element of its parent's state, or with one in which that is.
    @usableFromInline
    func end(with element: any AnyElementStorage) {
        let stay = DependentRegistration(of: ElementChild(self), at: element)
        root.inTurn { [self] in note(element, stay) }
    }

    /// Notes what belongs to a turn of the child, and counts it among the observed ones, or no longer.
    @usableFromInline
    func note(_ extra: TurnExtras, isPresent: Bool) {
        let wasObserved = extras.containsAny(of: .notified)
        extras.set(extra, to: isPresent)
        let isObserved = extras.containsAny(of: .notified)
        if isObserved != wasObserved { root.observedNodes += isObserved ? 1 : -1 }
    }

    /// Keeps an effect until it is taken on.
    @usableFromInline
    func keep(_ effect: Effect<Action>, of action: Action) {
        newEffects.append((effect, root.placeInBatch))
        root.progress.insert(.newEffects)
    }

    // MARK: What a node has to do

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
        // Taken out before they are told: what they do then finds the child without them.
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

/// The side of a child that ends with an element.
private final class ElementChild: DependentObserver, Sendable {
    private weak let node: (any StoreNode)?

    init(_ node: any StoreNode) { self.node = node }

    func end() { if let node { node.root.end(node) } }
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
            // Both are asked, because the second one counts along.
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

    /// Takes note that an action which a reducer has asked to be sent was reduced, or will not be. In the turn.
    private func endReply() {
        effects.waitingReplies -= 1
        guard effects.waitingReplies == 0 else { return }
        continueAfterEnd(of: nil)
    }

}
