import Synchronization

/// A store of a tree that is not its root: what it is to the others, who know neither its state nor its actions.
///
/// ``ChildNode``, which adds both, is its only subclass.
@usableFromInline
class TreeNode: GuestHost, @unchecked Sendable {
    // Sound: constants, atomics, and what is touched only in the turn of the tree.

    @usableFromInline final let root: TreeRoot
    /// For diagnostics.
    @usableFromInline final let name: String
    /// The next one on the way up; nil if that is the root.
    @usableFromInline final let parent: TreeNode?
    /// The dependencies that it keeps: its own over those of its parent, or of the root. Nil if there are none.
    @usableFromInline final let dependencies: DependencyContainer?
    /// The parent, for the way that each action goes, on which references are not counted: the node keeps its parent alive.
    private let nextNode: Unmanaged<TreeNode>?
    /// Its number in the tree, in the order in which the stores joined; no other store of the tree ever has it.
    @exclusivity(unchecked) final var number: UInt64 = 0
    /// The numbers of the stores right below it that are in the tree.
    @exclusivity(unchecked) final var children: Set<UInt64> = []
    /// The shutdowns that wait until all its effects, and those of the stores below it, have ended.
    @exclusivity(unchecked) final var effectWaiters: [EffectWaiter] = []
    /// Those who wait for its end.
    @exclusivity(unchecked) final var endWaiters: [Settlement<Void>] = []
    /// Whether it was among the observed ones when that was considered last.
    @exclusivity(unchecked) private final var wasObserved = false
    /// Whether it has been shut down, or nobody is left who could use it.
    @exclusivity(unchecked) @usableFromInline final var isEnded = false
    /// Whether nobody stands between an action and the reducer, or wants to know of it afterwards. One flag, so that an
    /// action asks one question.
    @exclusivity(unchecked) @usableFromInline final var isPlain = true
    /// Whether it takes no more actions from outside.
    @exclusivity(unchecked) @usableFromInline final var isRefusing = false
    /// Its effects, if there ever were any. In the turn.
    @exclusivity(unchecked) @usableFromInline final var effectRuntime: EffectRuntime?
    /// Whether its effects are cancelled as soon as they begin.
    @exclusivity(unchecked) final var cancelsEffects = false
    /// How far it has come in its life, as far as that is its own and not that of the tree.
    ///
    /// Pairs: `advance` with the loads. `refuseFurtherActions(of:)` advances it, and `post(_:of:)` loads it, under the
    /// lock of the mailbox.
    final let phase = AtomicValue<PhaseCode>(.ready)

    @usableFromInline
    init(root: TreeRoot, name: String, parent: TreeNode?, dependencies: DependencyContainer?) {
        self.root = root
        self.name = name
        self.parent = parent
        self.dependencies = dependencies
        nextNode = parent.map(Unmanaged.passUnretained)
    }

    /// Whether somebody observes its actions. In the turn.
    var hasActionLog: Bool { missing() }

    /// Whether its actions pass through interceptors. In the turn.
    var hasInterceptors: Bool { missing() }

    final override var tree: TreeRoot { root }

    override func watchersChanged() { updateFlags() }

    /// Tells those who observe its actions. In the turn.
    func publishActions() { missing() }

    /// Takes on the effects that its reducer has asked for in this turn; see ``TreeRoot/takeOnEffects(at:of:_:)``.
    func takeOnEffects(into launch: inout EffectLaunch, of count: Int, _ action: (Int) -> any Sendable) { missing() }

    /// Ends its effects, and those who observe its actions. In the turn.
    func finish() { missing() }

    private func missing(_ function: StaticString = #function) -> Never {
        preconditionFailure("\(function) is missing in a store of a tree.")
    }
}

extension TreeRoot {
    /// A child and the stores below it; all but the root for nil. In the turn.
    final func stores(of branch: TreeNode?) -> [TreeNode] {
        guard let branch else { return Array(nodes.values) }
        var stores = [branch]
        var next = 0
        while next < stores.count {
            stores += stores[next].children.compactMap { nodes[$0] }
            next += 1
        }
        return stores
    }
}

extension TreeNode {
    /// Calls `body` with this node and those above it.
    func withPath(_ body: (TreeNode) -> Void) {
        body(self)
        var next = nextNode
        while let node = next {
            next = node._withUnsafeGuaranteedRef { node in
                body(node)
                return node.nextNode
            }
        }
    }

    /// Reconsiders ``isPlain``, and counts the node among the observed ones, or no longer.
    final func updateFlags() {
        isPlain = !hasActionLog && !hasInterceptors
        let isObserved = !filters.isEmpty || hasActionLog
        guard isObserved != wasObserved else { return }
        wasObserved = isObserved
        root.observedNodes += isObserved ? 1 : -1
    }

    /// Joins the tree. In the turn.
    final func begin() {
        // A deadline can have ended it before its turn came.
        if isEnded { return }
        if root.lifecycle.isEnded || parent?.isRefusing == true { return end() }
        number = root.nextNodeNumber()
        root.nodes[number] = self
        parent?.children.insert(number)
    }

    /// Leaves the tree, when nobody is left who could use it, or the tree ends: its effects are cancelled, except those
    /// that have shut it down, and its observers' sequences end. In the turn. The tree keeps it until its effects have
    /// ended.
    final func end() {
        guard !isEnded else { return }
        isEnded = true
        isRefusing = true
        phase.advance(to: .ended)
        finish()
        finishWatchers()
        root.tellEnd(&endWaiters)
        leaveIfDone()
    }

    /// Whether it takes no more actions from outside, because it is being shut down, or a store above it.
    final var isClosed: Bool {
        phase.loadAcquiring().rawValue >= PhaseCode.shuttingDown.rawValue || parent?.isClosed == true
    }

    /// How far it has come in its life, in that of the stores above it.
    final func phaseInTree(_ rootPhase: PhaseCode) -> PhaseCode {
        let above = parent?.phaseInTree(rootPhase) ?? rootPhase
        let own = phase.loadAcquiring()
        return own.rawValue > above.rawValue ? own : above
    }

    /// Whether it is the store given, or below it. All are below nil, which is the root.
    final func isAtOrBelow(_ other: TreeNode?) -> Bool {
        guard let other else { return true }
        var node: TreeNode? = self
        while let current = node {
            if current === other { return true }
            node = current.parent
        }
        return false
    }

    /// Leaves the tree when it has ended, the last effect has, and the stores below it have left.
    final func leaveIfDone() {
        guard isEnded, children.isEmpty, !effectRuntime.hasEffects(except: .none) else { return }
        root.nodes[number] = nil
        parent?.children.remove(number)
        parent?.leaveIfDone()
    }
}
