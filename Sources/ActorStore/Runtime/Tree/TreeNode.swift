import Synchronization

/// A store of a tree, root or child, as far as its types do not matter: its place in the tree, its life and its
/// effects.
///
/// ``StoreNode`` is what its subclasses add, which know the types.
@usableFromInline
class TreeNode: ObservableStorage, @unchecked Sendable {
    // Sound: constants, atomics, and what is touched only in the turn of the tree.

    /// The next one on the way up, which a child keeps alive; nil for a root. Without counting references, because each
    /// action goes this way.
    private let parentReference: Unmanaged<TreeNode>?
    @exclusivity(unchecked) @usableFromInline final var lifecycle = Lifecycle()
    @exclusivity(unchecked) @usableFromInline final var extras: TurnExtras = []
    /// How far it has come in its life, as far as that is its own and not that of the tree.
    ///
    /// Pairs: `advance` with the loads. For a child `refuseFurtherActions(of:)` advances it, and `post(_:of:)` loads
    /// it, under the lock of the mailbox. For a root what a failed loading has noted comes before ``PhaseCode/failed``;
    /// where the mailbox tells more, by its lock: it is closed after `advance`, and `refusal` loads this after it was
    /// found closed.
    @usableFromInline final let phase = AtomicValue<PhaseCode>(.ready)
    /// Its effects, if there ever were any.
    @exclusivity(unchecked) @usableFromInline final var effectRuntime: EffectRuntime?
    /// The dependencies that it keeps: those that it was created with, over those of its parent. Nil if there are none.
    /// Set before the first action, and only read afterwards.
    @exclusivity(unchecked) @usableFromInline final var dependencies: DependencyContainer?
    /// What few stores need, once it is needed.
    @exclusivity(unchecked) private final var lazyParts: NodeParts?

    @usableFromInline
    init(parent: TreeNode?) { parentReference = parent.map(Unmanaged.passUnretained) }

    /// Notifies the observers of its actions. In the turn.
    func publishActions() {}

    /// Takes on the effects that its reducer has asked for in this turn; see ``TreeRoot/takeOnEffects(at:of:_:)``.
    @usableFromInline
    func takeOnEffects(into pending: inout PendingTasks, of count: Int, _ action: (Int) -> any Sendable) {}

    /// Ends its interceptors, and the observations of its actions. In the turn.
    func finish() {}
}

/// What few stores need, in an object of its own, so that it takes no room in the others. In the turn.
private final class NodeParts {
    /// The stores right below it that are in the tree.
    var children = ArrivalTable<ObjectIdentifier, TreeNode>()
    /// The shutdowns that wait until all its effects, and those of the stores below it, have ended.
    var effectWaiters = EffectWaiterList()
    /// Those that do not wait for the effects that have asked for them.
    var ownShutdownsByEffects = EffectWaiterList()
    /// Those who wait for its end.
    var endWaiters: [Promise<Void>] = []
    /// Those that end with it.
    var dependents = DependentObserverList()
    /// The element with which it ends, because it was made in a store of that.
    var element: (any AnyElementStorage)?
    /// By which it does.
    var stay: DependentRegistration?
}

extension TreeNode {
    private final var parts: NodeParts {
        if let lazyParts { return lazyParts }
        let parts = NodeParts()
        lazyParts = parts
        return parts
    }

    /// The stores right below it that are in the tree. In the turn.
    final var children: ArrivalTable<ObjectIdentifier, TreeNode> {
        get { lazyParts?.children ?? ArrivalTable() }
        _modify { yield &parts.children }
    }

    /// The shutdowns that wait until all its effects, and those of the stores below it, have ended. In the turn.
    final var effectWaiters: EffectWaiterList {
        get { lazyParts?.effectWaiters ?? EffectWaiterList() }
        _modify { yield &parts.effectWaiters }
    }

    /// Its shutdowns that do not wait for the effects that have asked for them. In the turn.
    final var ownShutdownsByEffects: EffectWaiterList {
        get { lazyParts?.ownShutdownsByEffects ?? EffectWaiterList() }
        _modify { yield &parts.ownShutdownsByEffects }
    }

    /// Those who wait for its end. In the turn.
    final var endWaiters: [Promise<Void>] {
        get { lazyParts?.endWaiters ?? [] }
        _modify { yield &parts.endWaiters }
    }

    /// Those that end with it. In the turn.
    @usableFromInline final var dependents: DependentObserverList {
        get { lazyParts?.dependents ?? DependentObserverList() }
        _modify { yield &parts.dependents }
    }

    /// The next one on the way up; nil for a root.
    final var parent: TreeNode? { parentReference?.takeUnretainedValue() }

    /// Whether it is the root of its tree.
    @usableFromInline final var isRoot: Bool { parentReference == nil }

    /// Accepts no more actions from outside. In the turn.
    final func beginShutdown() {
        lifecycle.beginShutdown()
        extras.insert(.closed)
    }

    /// Accepts nothing any more. In the turn.
    ///
    /// - Returns: Whether its life had not ended before.
    final func endLife() -> Bool {
        guard lifecycle.end() else { return false }
        extras.insert(.closed)
        phase.advance(to: .ended)
        return true
    }

    /// Calls `body` with this node, those above it, and the root.
    @usableFromInline
    final func withPath(_ body: (TreeNode) -> Void) {
        body(self)
        withAncestors(body)
    }

    /// Calls `body` with the nodes above this one, the root last.
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

    /// This store, and all below it that are in the tree, from above, as they came. In the turn.
    final var subtree: [TreeNode] {
        var stores = [self]
        var next = 0
        while next < stores.count {
            stores += stores[next].children.inOrder
            next += 1
        }
        return stores
    }

    /// Its effects, and those of the stores below it, that are on hand. In the turn.
    final var effectJobs: [EffectJob] { subtree.flatMap(\.effectRuntime.jobs) }

    /// Whether it is the store given, or below it.
    final func isAtOrBelow(_ other: TreeNode) -> Bool {
        var isBelow = false
        withPath { if $0 === other { isBelow = true } }
        return isBelow
    }

    /// Whether it has ended, alone or with one above it. In the turn.
    final var hasEnded: Bool {
        var hasEnded = false
        withPath { if $0.lifecycle.isEnded { hasEnded = true } }
        return hasEnded
    }

    /// Whether the entry of a table has gone to which it belongs, or an element in a store of which it was made, or so
    /// for a store above it, so that it ends at the end of the turn at the latest. In the turn.
    @usableFromInline final var hasLeft: Bool {
        var hasLeft = false
        withPath { node in
            if node.extras.contains(.departure) || node.lazyParts?.element?.hasLeft == true { hasLeft = true }
        }
        return hasLeft
    }

    /// Has it end with the element in a store of which it was made. In the turn.
    final func note(_ element: any AnyElementStorage, _ stay: DependentRegistration) {
        (parts.element, parts.stay) = (element, stay)
        stay.begin()
    }

    /// How far it has come in its life, in that of the stores above it.
    final var phaseInTree: PhaseCode {
        var phase = PhaseCode.ready
        withPath { node in
            let own = node.phase.loadAcquiring()
            if own.rawValue > phase.rawValue { phase = own }
        }
        return phase
    }

    /// Whether it takes no more actions from outside, because it is being shut down, or a store above it.
    final var isRefusing: Bool { phaseInTree.rawValue >= PhaseCode.shuttingDown.rawValue }
}
