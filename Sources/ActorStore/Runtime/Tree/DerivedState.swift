/// A state that lies in no store's memory, because it is computed from others; made after each turn as long as somebody
/// observes it.
@usableFromInline
class DerivedStorage: ObservableStorage, @unchecked Sendable {
    // Sound: constants, and what is touched only in the turn of the tree.
    @usableFromInline final let root: TreeRoot
    /// The store with whose end it ends.
    final let node: any StoreNode
    /// The element of a collection that it is made of, and with which it ends, if there is one.
    final let element: (any DependentObserverHost)?
    private var isRegistered = false

    init(root: TreeRoot, node: any StoreNode, element: (any DependentObserverHost)?) {
        self.root = root
        self.node = node
        self.element = element
    }

    /// With whose end it ends.
    final var end: any DependentObserverHost { element ?? node }

    /// The sources of state with any of which it ends.
    final var ends: [ObjectIdentifier] { [ObjectIdentifier(node)] + (element.map { [ObjectIdentifier($0)] } ?? []) }

    /// Whether that which it is made of has ended. In the turn.
    final var hasEnded: Bool { node.isFinished || element?.isFinished == true }

    /// Tells the observers whose parts have changed. In the turn.
    func check() { withState { detectChanges($0) } }

    override func detectorsChanged() {
        guard detectors.isEmpty == isRegistered else { return }
        isRegistered.toggle()
        if isRegistered { root.derived.append(self) } else { root.derived.remove(self) }
    }
}

/// A state that is computed once for all that observe it.
final class DerivedState<State: Sendable>: DerivedStorage, @unchecked Sendable {
    // Sound: see there.
    private let load: @Sendable () -> State

    init(
        root: TreeRoot,
        node: any StoreNode,
        element: (any DependentObserverHost)?,
        load: @escaping @Sendable () -> State
    ) {
        self.load = load
        super.init(root: root, node: node, element: element)
    }

    override func withState(_ body: (UnsafeRawPointer) -> Void) {
        withUnsafePointer(to: load()) { body($0) }
    }
}
