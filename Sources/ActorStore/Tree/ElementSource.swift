/// The memory of one element of a collection, or of what an optional holds, for those who observe parts of it.
///
/// It is brought up to date by an observation of the element, so that it costs nothing while other elements change.
@usableFromInline
final class ElementSource<Element: Sendable>: GuestHost, @unchecked Sendable {
    // Sound: `element` is touched only in the turn of the tree, and `lastElement` and `hasGone` under the lock.
    private let root: TreeRoot
    private var element: Element
    private let lock = Lock()
    private var lastElement: Element
    /// Whether the element is no longer there, or is another one by now.
    private var hasGone = false

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
        if isFinished { lock.withLock { hasGone = true } }
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
    ///
    /// - Parameter found: What the state has in its place, which is another one if it has gone.
    @usableFromInline
    func current(_ found: Element?) -> Element { lock.withLock { hasGone ? lastElement : found ?? lastElement } }
}

extension StateDoor {
    /// For an element of the state, or for what that was when it went.
    @inlinable
    func element<Element: Sendable>(
        _ source: ElementSource<Element>,
        _ find: @escaping @Sendable (State) -> Element?
    ) -> StateDoor<Element> {
        StateDoor<Element>(element: source) {
            source.current(find(load()))
        } capture: {
            let state = captured()
            return { source.current(find(state())) }
        } locate: { _ in
            StatePlace(source: source)
        }
    }
}
