/// The memory of one element of a collection, or of what an optional holds, for those who observe parts of it.
///
/// It is brought up to date by an observation of the element, so that it costs nothing while other elements change.
@usableFromInline
final class ElementSource<Element: Sendable>: StateSource, @unchecked Sendable {
    // Sound: `element` is touched only in the turn of the tree, and `last` under its lock.
    private let root: TreeRoot
    private var element: Element
    private let lock = Lock()
    private var lastElement: Element

    @usableFromInline
    init(_ element: Element, root: TreeRoot) {
        self.root = root
        self.element = element
        lastElement = element
    }

    override var tree: TreeRoot { root }

    override func withState(_ body: (UnsafeRawPointer) -> Void) {
        withUnsafePointer(to: &element) { body($0) }
    }

    override func watchersChanged() {
        root.elements[ObjectIdentifier(self)] = watchers.isEmpty ? nil : self
    }

    /// Takes note of a change, and tells the observers. In the turn.
    @usableFromInline
    func update(_ element: Element) {
        self.element = element
        let previous = lock.withLock {
            defer { lastElement = element }
            return lastElement
        }
        root.retire(previous)
        withUnsafePointer(to: &self.element) { notifyWatchers($0) }
    }

    /// The element as it is, or was when it went; from anywhere.
    @usableFromInline var last: Element { lock.withLock { lastElement } }
}

extension StateDoor {
    /// For an element of the state, or for what that was when it went.
    @inlinable
    func element<Element: Sendable>(
        _ source: ElementSource<Element>,
        _ find: @escaping @Sendable (State) -> Element?
    ) -> StateDoor<Element> {
        StateDoor<Element> {
            find(load()) ?? source.last
        } capture: {
            let state = captured()
            return { find(state()) ?? source.last }
        } locate: { _ in
            StatePlace(source: source)
        }
    }
}
