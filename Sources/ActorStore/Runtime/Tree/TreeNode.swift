import Synchronization

/// A store of a tree, root or child, without its types: its place in the tree, its lifecycle and its effects.
///
/// Subclasses conform to ``StoreNode``, which adds what needs the types.
@usableFromInline
class TreeNode: ObservableStorage, @unchecked Sendable {
    // Sound: constants, atomics, and what is accessed only in the turn of the tree.

    /// The parent, which a child retains; `nil` for a root. Unmanaged, because each action takes this path, and must
    /// not pay for reference counting.
    private let parentReference: Unmanaged<TreeNode>?
    @exclusivity(unchecked) @usableFromInline final var lifecycle = Lifecycle()
    @exclusivity(unchecked) @usableFromInline final var extras: TurnExtras = []
    /// The store's own phase, as opposed to that of the tree.
    ///
    /// Pairs: `advance` with the loads. For a child, `refuseFurtherActions(of:)` advances it and `post(_:of:)` loads it
    /// under the lock of the mailbox. For a root, what a failed loading has recorded comes before ``PhaseCode/failed``.
    /// Where the mailbox says more, its lock pairs: the mailbox is closed after `advance`, and `refusal` loads the
    /// phase after the mailbox was found closed.
    @usableFromInline final let phase = AtomicValue<PhaseCode>(.ready)
    /// The store's effects, if it ever had any.
    @exclusivity(unchecked) @usableFromInline final var effectRuntime: EffectRuntime?
    /// The dependencies that the store keeps: those that it was created with, on top of those of its parent, if any.
    /// Set before the first action, and only read afterwards.
    @exclusivity(unchecked) @usableFromInline final var dependencies: DependencyContainer?
    /// What few stores need, created when needed.
    @exclusivity(unchecked) private final var lazyParts: NodeParts?

    @usableFromInline
    init(parent: TreeNode?) { parentReference = parent.map(Unmanaged.passUnretained) }

    /// Notifies the observers of the store's actions. Called within the turn.
    func publishActions() {}

    /// Registers the effects that the store's reducer returned in this turn; see ``TreeRoot/takeOnEffects(at:of:_:)``.
    @usableFromInline
    func takeOnEffects(into pending: inout PendingTasks, of count: Int, _ action: (Int) -> any Sendable) {}

    /// Ends the store's interceptors and the observations of its actions. Called within the turn.
    func finish() {}
}

/// What few stores need, in a separate object, so that it takes no room in the other stores. Used within the turn.
private final class NodeParts {
    /// The stores directly below that are in the tree.
    var children = ArrivalTable<ObjectIdentifier, TreeNode>()
    /// The shutdowns that wait until all effects of the store and of the stores below it have ended.
    var effectWaiters = EffectWaiterList()
    /// The shutdowns that do not wait for the effects that requested them.
    var ownShutdownsByEffects = EffectWaiterList()
    /// The promises of the tasks that wait for the store's end.
    var endWaiters: [Promise<Void>] = []
    /// The observers that end with the store.
    var dependents = DependentObserverList()
    /// The element that the store ends with, because it was created in a store of that element.
    var element: (any AnyElementStorage)?
    /// The registration with that element.
    var stay: DependentRegistration?
}

extension TreeNode {
    private final var parts: NodeParts {
        if let lazyParts { return lazyParts }
        let parts = NodeParts()
        lazyParts = parts
        return parts
    }

    /// The stores directly below that are in the tree. Used within the turn.
    final var children: ArrivalTable<ObjectIdentifier, TreeNode> {
        get { lazyParts?.children ?? ArrivalTable() }
        _modify { yield &parts.children }
    }

    /// The shutdowns that wait until all effects of the store and of the stores below it have ended. Used within the
    /// turn.
    final var effectWaiters: EffectWaiterList {
        get { lazyParts?.effectWaiters ?? EffectWaiterList() }
        _modify { yield &parts.effectWaiters }
    }

    /// The shutdowns of the store that do not wait for the effects that requested them. Used within the turn.
    final var ownShutdownsByEffects: EffectWaiterList {
        get { lazyParts?.ownShutdownsByEffects ?? EffectWaiterList() }
        _modify { yield &parts.ownShutdownsByEffects }
    }

    /// The promises of the tasks that wait for the store's end. Used within the turn.
    final var endWaiters: [Promise<Void>] {
        get { lazyParts?.endWaiters ?? [] }
        _modify { yield &parts.endWaiters }
    }

    /// The observers that end with the store. Used within the turn.
    @usableFromInline final var dependents: DependentObserverList {
        get { lazyParts?.dependents ?? DependentObserverList() }
        _modify { yield &parts.dependents }
    }

    /// The parent; `nil` for a root.
    final var parent: TreeNode? { parentReference?.takeUnretainedValue() }

    /// Whether this is the root of its tree.
    @usableFromInline final var isRoot: Bool { parentReference == nil }

    /// Stops accepting actions from outside. Called within the turn.
    final func beginShutdown() {
        lifecycle.beginShutdown()
        extras.insert(.closed)
    }

    /// Stops accepting anything. Called within the turn.
    ///
    /// - Returns: Whether the store had not ended before.
    final func endLife() -> Bool {
        guard lifecycle.end() else { return false }
        extras.insert(.closed)
        phase.advance(to: .ended)
        return true
    }

    /// Calls `body` with this node and each node above it, the root last.
    ///
    /// - Complexity: O(*d*), where *d* is the depth of the node.
    @usableFromInline
    final func withPath(_ body: (TreeNode) -> Void) {
        body(self)
        withAncestors(body)
    }

    /// Calls `body` with each node above this one, the root last.
    ///
    /// - Complexity: O(*d*), where *d* is the depth of the node.
    @usableFromInline
    final func withAncestors(_ body: (TreeNode) -> Void) {
        var next = parentReference
        while let node = next {
            next = node._withUnsafeGuaranteedRef { node in
                body(node)
                return node.parentReference
            }
        }
    }

    /// This store and all stores below it that are in the tree, from the top down, in the order in which they were
    /// added. Used within the turn.
    final var subtree: [TreeNode] {
        var stores = [self]
        var next = 0
        while next < stores.count {
            stores += stores[next].children.inOrder
            next += 1
        }
        return stores
    }

    /// The effects of this store and of the stores below it that have not ended. Used within the turn.
    final var effectJobs: [EffectJob] { subtree.flatMap(\.effectRuntime.jobs) }

    /// Returns whether this is the given store, or a store below it.
    final func isAtOrBelow(_ other: TreeNode) -> Bool {
        var isBelow = false
        withPath { if $0 === other { isBelow = true } }
        return isBelow
    }

    /// Whether this store or one above it has ended. Used within the turn.
    final var hasEnded: Bool {
        var hasEnded = false
        withPath { if $0.lifecycle.isEnded { hasEnded = true } }
        return hasEnded
    }

    /// Whether the table entry that the store belongs to was removed, or an element that contains the store it was
    /// created in, or the same is true of a store above it. It then ends at the end of the turn at the latest. Used
    /// within the turn.
    @usableFromInline final var hasLeft: Bool {
        var hasLeft = false
        withPath { node in
            if node.extras.contains(.departure) || node.lazyParts?.element?.hasLeft == true { hasLeft = true }
        }
        return hasLeft
    }

    /// Ends the store when the element is removed that the store was created in. Called within the turn.
    final func note(_ element: any AnyElementStorage, _ stay: DependentRegistration) {
        (parts.element, parts.stay) = (element, stay)
        stay.begin()
    }

    /// The furthest phase of this store and those above it.
    final var phaseInTree: PhaseCode {
        var phase = PhaseCode.ready
        withPath { node in
            let own = node.phase.loadAcquiring()
            if own.rawValue > phase.rawValue { phase = own }
        }
        return phase
    }

    /// Whether the store refuses actions from outside, because it or a store above it is being shut down or has ended.
    final var isRefusing: Bool { phaseInTree.rawValue >= PhaseCode.shuttingDown.rawValue }
}
