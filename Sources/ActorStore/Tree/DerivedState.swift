/// A state that lies in no store's memory, because it is computed from others; made after each turn as long as somebody
/// observes it.
@usableFromInline
class DerivedSource: StateSource, @unchecked Sendable {
    // Sound: constants, and what is touched only in the turn of the tree.
    @usableFromInline final let root: TreeRoot
    /// The store with whose end it ends; nil for the root.
    final let node: TreeNode?
    private var isRegistered = false

    init(root: TreeRoot, node: TreeNode?) {
        self.root = root
        self.node = node
    }

    final override var tree: TreeRoot { root }

    /// Tells the observers whose parts have changed. In the turn.
    func check() { withState { notifyWatchers($0) } }

    final override func watchersChanged() {
        guard watchers.isEmpty == isRegistered else { return }
        isRegistered.toggle()
        if isRegistered { root.derived.append(self) } else { root.derived.removeAll { $0 === self } }
        root.updateFlags()
    }
}

/// See ``DerivedSource``.
final class DerivedState<State: Sendable>: DerivedSource, @unchecked Sendable {
    // Sound: see there.
    private let load: @Sendable () -> State
    private let areSame: (@Sendable (State, State) -> Bool)?
    private var last: State?

    init(
        root: TreeRoot,
        node: TreeNode?,
        areSame: (@Sendable (State, State) -> Bool)? = nil,
        load: @escaping @Sendable () -> State
    ) {
        self.load = load
        self.areSame = areSame
        super.init(root: root, node: node)
    }

    override func withState(_ body: (UnsafeRawPointer) -> Void) {
        var state = load()
        if let areSame {
            if let last {
                if areSame(last, state) { state = last } else { root.retire(last) }
            }
            last = state
        }
        withUnsafePointer(to: state) { body($0) }
    }
}
