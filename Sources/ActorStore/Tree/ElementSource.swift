/// The memory of one element of a collection, or of what an optional holds, for those who observe parts of it.
///
/// It is brought up to date by an observation of the table, or of the optional, so that it costs nothing while other elements
/// change.
@usableFromInline
final class ElementSource<Element: Sendable>: GuestHost, @unchecked Sendable {
    // Sound: `element` and `newest` are touched only in the turn of the tree, and `lastElement` and `hasGone` under the lock.
    private let root: TreeRoot
    private var element: Element
    /// What was found in the turn since `element` was brought up to date: of several actions of a batch, those before the one
    /// that takes the element away have changed it.
    private var newest: Element?
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
        guard isFinished else { return }
        let previous = lock.withLock {
            hasGone = true
            defer { if let newest { lastElement = newest } }
            return lastElement
        }
        root.retire((previous, newest))
        newest = nil
    }

    /// Takes note of a change, and tells the observers. In the turn.
    @usableFromInline
    func update(_ element: Element) {
        self.element = element
        let previous = lock.withLock {
            defer { lastElement = element }
            return lastElement
        }
        root.retire((previous, newest))
        newest = nil
        withUnsafePointer(to: &self.element) { notifyWatchers($0) }
    }

    /// The element as it is, or was when it went; from anywhere.
    ///
    /// - Parameter found: What the state has in its place, which is another one if it has gone.
    @usableFromInline
    func current(_ found: Element?) -> Element {
        // What others find can be older than what was found before.
        let isInTurn = root.gate.isOwnedByThisThread
        let current = lock.withLock {
            hasGone ? lastElement : found ?? (isInTurn ? newest : nil) ?? lastElement
        }
        if isInTurn, !isFinished, let found {
            if let newest { root.retire(newest) }
            newest = found
        }
        return current
    }
}

/// The way from a state to one of its elements.
@usableFromInline
struct ElementDoor<State: Sendable, Element: Sendable>: Sendable {
    @usableFromInline let source: ElementSource<Element>
    @usableFromInline let element: @Sendable (State) -> Element?

    @inlinable
    init(source: ElementSource<Element>, _ element: @escaping @Sendable (State) -> Element?) {
        self.source = source
        self.element = element
    }

    /// The element, or what that was when it went.
    @inlinable
    func find(in state: State) -> Element { source.current(element(state)) }
}

extension StateDoor {
    /// For an element of the state, or for what that was when it went.
    @inlinable
    func element<Element: Sendable>(_ door: ElementDoor<State, Element>) -> StateDoor<Element> {
        StateDoor<Element>(element: door.source) {
            door.find(in: load())
        } capture: {
            let state = captured()
            return { door.find(in: state()) }
        } locate: { _ in
            StatePlace(source: door.source)
        }
    }
}
