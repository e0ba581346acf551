/// The observers of a child's actions, and the actions that they have not received yet. Used within the turn.
@usableFromInline
protocol PendingActions<Action>: AnyObject {
    associatedtype Action
    var group: any ObservedGroup { get }
    /// Records the state before an action, if an observer requests it.
    func prepare(in root: TreeRoot)
    /// Records an action with the state after it, which is the current state.
    ///
    /// - Parameter revision: The revision of the first action that interceptors above derived from it.
    func record(_ action: Action, revision: UInt64, in root: TreeRoot)
    func publish(in root: TreeRoot)
    func finish()
    /// Records that an observer is gone.
    ///
    /// - Returns: Whether no observers are left.
    func observerLeft() -> Bool
}

/// Pending actions with the state that the child shows to the outside. Only this class has the type of that state.
final class ChildPendingActions<Action: Sendable, State: Sendable>: PendingActions {
    /// Without an action, this is the state before the next action.
    typealias Pair = (action: Action?, state: State)
    let broadcast: Broadcast<Pair>
    private let load: () -> State
    private var unpublished: [(pair: Pair, revisions: (action: UInt64, state: UInt64))] = []
    var observers = 0
    /// The observers that request the state before an action. It can differ from the state after the previous action,
    /// because it combines the states of several stores.
    var askingForChanges: [ClosureObserver<Pair>] = []

    init(_ broadcast: Broadcast<Pair>, load: @escaping () -> State) {
        self.broadcast = broadcast
        self.load = load
    }

    var group: any ObservedGroup { broadcast }

    func prepare(in root: TreeRoot) {
        if !askingForChanges.isEmpty { append(nil, revision: 0, in: root) }
    }

    func record(_ action: Action, revision: UInt64, in root: TreeRoot) { append(action, revision: revision, in: root) }

    private func append(_ action: Action?, revision: UInt64, in root: TreeRoot) {
        unpublished.append(((action, load()), (revision, root.revision.loadRelaxed())))
    }

    func publish(in root: TreeRoot) {
        guard !unpublished.isEmpty else { return }
        for (pair, revisions) in unpublished {
            root.published = revisions
            broadcast.publish(pair)
        }
        broadcast.deferred.retire(unpublished)
        unpublished = []
    }

    func finish() { broadcast.finish() }

    func observerLeft() -> Bool {
        observers -= 1
        if let index = askingForChanges.firstIndex(where: \.isCancelled) {
            // This can be the last reference to what its closure captured.
            broadcast.deferred.retire(askingForChanges.remove(at: index))
        }
        return observers == 0
    }
}

extension ChildNode {
    /// Calls `body` with each action and the state after it, and `end` at the end.
    ///
    /// - Parameters:
    ///   - load: Creates the state that the child shows.
    ///   - asksForChanges: Whether `body` is also called with the state before each action.
    ///   - host: The storage through which the actions are observed. Its end also ends the observation.
    @usableFromInline
    func observeActions<Shown: Sendable>(
        load: @escaping @Sendable () -> Shown,
        asksForChanges: Bool,
        through host: (any DependentObserverHost)?,
        _ body: @escaping @Sendable (_ action: Action?, _ state: () -> Shown) -> Void,
        _ end: @escaping @Sendable () -> Void
    ) -> StoreObservation {
        let group: Broadcast<(action: Action?, state: Shown)> = groups.actionGroup(of: self, deferred: root.deferred)
        let observer = ClosureObserver(group: group, root: root, source: 0, host: host, finish: end) { pair in
            body(pair.action) { pair.state }
        }
        root.observerCount.addRelaxed(1)
        root.inTurn { [self] in
            guard !lifecycle.isEnded else { return observer.end() }
            let pending =
                pendingActions as? ChildPendingActions<Action, Shown> ?? ChildPendingActions(group, load: load)
            pending.observers += 1
            if asksForChanges { pending.askingForChanges.append(observer) }
            pendingActions = pending
            note(.actionObservers, isPresent: true)
            group.add(observer, revision: root.revision.loadRelaxed())
            host?.admit(observer)
        }
        return StoreObservation(of: observer)
    }
}
