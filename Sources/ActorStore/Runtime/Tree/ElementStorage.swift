/// An element of a collection, or an optional's value, without its type.
@usableFromInline
protocol AnyElementStorage: DependentObserverHost {
    /// Whether the element was removed, alone or with what contains it. It then ends at the end of the turn at the
    /// latest. Can be read on any thread; the answer is reliable only within the turn.
    var hasLeft: Bool { get }
    /// Whether the element is being removed in this turn or was removed before, alone or with what contains it. Used
    /// within the turn.
    var isGoing: Bool { get }
    /// Whether the element was removed, alone or with what contains it, before the action that observers are receiving,
    /// so that the action is not its own. Used within the turn.
    var hadLeftBeforePublishedAction: Bool { get }
    /// Whether its store refuses actions, because the element was removed or the store can no longer be obtained. Can
    /// be read on any thread.
    var isRefusing: Bool { get }
    /// Makes its store refuse further actions. Can be called on any thread.
    func refuseFurtherActions()
    /// Makes its store refuse further actions, because it ends once all observers have been notified of this turn.
    /// Called within the turn.
    func beginEnding()
}

/// The memory of one element of a collection, or of an optional's value, for observers of its parts.
///
/// An observation of the table or the optional keeps it up to date, so that changes of other elements cost it nothing.
@usableFromInline
final class ElementStorage<Element: Sendable>: ObservableStorage, AnyElementStorage, @unchecked Sendable {
    // Sound: `element`, `dependents`, `isEnding`, `rememberedRevision` and `lastRevision` are accessed only in the turn
    // of the tree, and `lastElement`, `hasGone` and `refuses` under the lock.
    @usableFromInline let root: TreeRoot
    @usableFromInline var dependents = DependentObserverList()
    /// The element that contains the collection or the optional, if any.
    private let outer: (any AnyElementStorage)?
    private var element: Element
    private let lock = Lock()
    /// The element as it was last found in a turn. In a turn of several actions, that can be before the action that
    /// removes the element, if the element is read there.
    private var lastElement: Element
    /// Whether the element was removed, or replaced by another one.
    private var hasGone = false
    /// Whether its store refuses actions although the element may still be present.
    private var refuses = false
    /// The revision of the state that contains `lastElement`. States are not visited in order: those recorded for
    /// observers of actions come after the result of the whole turn.
    private var rememberedRevision: UInt64 = 0
    /// Whether it ends once all observers have been notified of this turn, in which it was not looked at between the
    /// actions.
    private var isEnding = false
    /// The revision of the action that removed the element in the middle of a turn.
    private var lastRevision = UInt64.max

    /// What is recorded of the element at one moment.
    @usableFromInline
    struct Memory: Sendable {
        let element: Element
        let hasGone: Bool

        /// Returns the element as it was at that moment, or when it was removed.
        ///
        /// - Parameter found: What the state of that moment has in the element's place; another element if this one was
        ///   removed.
        @usableFromInline
        func current(_ found: Element?) -> Element { hasGone ? element : found ?? element }
    }

    @usableFromInline
    init(_ element: Element, in outer: (any AnyElementStorage)?, root: TreeRoot) {
        self.root = root
        self.outer = outer
        self.element = element
        lastElement = element
    }

    override func withState(_ body: (UnsafeRawPointer) -> Void) {
        withUnsafePointer(to: &element) { body($0) }
    }

    override func finishDependents() { endDependents() }

    override func dismiss(_ dependent: any DependentObserver) { remove(dependent) }

    override func tellLast() {
        element = memory.element
        withUnsafePointer(to: &element) { detectChanges($0) }
    }

    override func detectorsChanged() {
        root.elements[ObjectIdentifier(self)] = detectors.isEmpty ? nil : self
        guard isFinished else { return }
        lock.withLock { hasGone = true }
    }

    /// Records a change and notifies the observers. Called within the turn.
    @usableFromInline
    func update(_ element: Element) {
        self.element = element
        remember(element)
        withUnsafePointer(to: &self.element) { detectChanges($0) }
    }

    /// Records a change in the middle of a turn; observers are notified at the end of the turn. Called within the turn.
    ///
    /// An unobserved element may have been added in that turn: observers of the table are notified only of differences
    /// from the table before the turn.
    @usableFromInline
    func renew(_ element: Element) {
        if detectors.isEmpty { self.element = element }
        remember(element)
    }

    /// Records that the element was removed in the middle of a turn, whether or not another one replaces it. Called
    /// within the turn.
    ///
    /// - Parameter last: The last value of the element.
    @usableFromInline
    func leave(_ last: Element) {
        remember(last)
        lastRevision = root.revision.loadRelaxed()
        lock.withLock { hasGone = true }
    }

    @usableFromInline var hadLeftBeforePublishedAction: Bool {
        root.published.action > lastRevision || outer?.hadLeftBeforePublishedAction == true
    }

    @usableFromInline var isGoing: Bool { isEnding || lock.withLock { hasGone } || outer?.isGoing == true }

    @usableFromInline var hasLeft: Bool { lock.withLock { hasGone } || outer?.hasLeft == true }

    @usableFromInline var isRefusing: Bool { lock.withLock { refuses || hasGone } || outer?.isRefusing == true }

    @usableFromInline
    func refuseFurtherActions() { lock.withLock { refuses = true } }

    @usableFromInline
    func beginEnding() {
        isEnding = true
        refuseFurtherActions()
    }

    /// Records the element.
    ///
    /// - Parameter revision: The revision of the state that contains the element; `nil` for the current state.
    private func remember(_ element: Element, at revision: UInt64? = nil) {
        let revision = revision ?? root.revision.loadRelaxed()
        guard revision >= rememberedRevision else { return }
        rememberedRevision = revision
        let previous = lock.withLock {
            defer { lastElement = element }
            return lastElement
        }
        root.retire(previous)
    }

    /// What is recorded now. While the state is at rest, this belongs to that state.
    @usableFromInline var memory: Memory { lock.withLock { Memory(element: lastElement, hasGone: hasGone) } }

    /// Returns the element as it is, or as it was when it was removed. Can be called on any thread; within the turn, it
    /// records the element.
    ///
    /// - Parameter found: What the state has in the element's place; another element if this one was removed.
    @usableFromInline
    func current(_ found: Element?) -> Element {
        if let found, !isFinished, root.gate.isOwnedByThisThread, !memory.hasGone { remember(found) }
        return memory.current(found)
    }

    /// Returns the element as it was in a state that this turn recorded for observers of actions, or as it was when it
    /// was removed. Called within the turn.
    ///
    /// The element is recorded if that state is the last of the turn, or if no later one can be recorded, because an
    /// observer above may have filtered out the rest of the turn.
    ///
    /// - Parameter found: What that state has in the element's place; another element if this one was removed before.
    @usableFromInline
    func recorded(_ found: Element?) -> Element {
        let (memory, revision) = (memory, root.published.state)
        guard let found, !isFinished, !memory.hasGone || revision < lastRevision else { return memory.element }
        if !memory.hasGone, isEnding || revision == root.revision.loadRelaxed() { remember(found, at: revision) }
        return found
    }
}

/// Finds an element in a state.
@usableFromInline
struct ElementReader<State: Sendable, Element: Sendable>: Sendable {
    @usableFromInline let source: ElementStorage<Element>
    @usableFromInline let element: @Sendable (State) -> Element?

    @inlinable
    init(source: ElementStorage<Element>, _ element: @escaping @Sendable (State) -> Element?) {
        self.source = source
        self.element = element
    }

    /// Returns the element, or its last value if it was removed.
    @inlinable
    func find(in state: State) -> Element { source.current(element(state)) }

    /// Returns the element as it was in a recorded state of this turn, or its last value if it was removed. Called
    /// within the turn.
    @inlinable
    func find(inRecorded state: State) -> Element { source.recorded(element(state)) }
}

extension StateReader {
    /// Returns a reader of an element; after the removal, it reads the last value.
    @inlinable
    func element<Element: Sendable>(_ scopeNode: ElementReader<State, Element>) -> StateReader<Element> {
        StateReader<Element>(
            element: scopeNode.source,
            load: { scopeNode.find(in: load()) },
            capture: {
                // Both from the same moment: the element can be removed before it is looked up.
                let (state, memory) = (captured(), scopeNode.source.memory)
                return { memory.current(scopeNode.element(state())) }
            },
            deduplicated: deduplicated?.element(scopeNode)
        ) { _ in
            StateLocation(source: scopeNode.source)
        }
    }
}

extension DeduplicatedStates {
    /// Returns the states of an element; after the removal, its last value.
    ///
    /// The state that one observer sees can lack the element although others see it. The observer then keeps the
    /// element as it saw it last, which is never newer than that state, until the element ends. What it sees is not
    /// recorded for others.
    @usableFromInline
    func element<Element: Sendable>(_ scopeNode: ElementReader<State, Element>) -> DeduplicatedStates<Element> {
        DeduplicatedStates<Element>(makeReading: { [makeReading] in
            let (read, last) = (makeReading(), LastValue<Element>(retiringTo: scopeNode.source.root.deferred))
            return {
                let (source, seen) = (scopeNode.source, read())
                if source.isGoing { return (source.memory.element, true) }
                // The element is that of the previous state, so nothing has to be retired.
                if !seen.mayDiffer, let element = last.kept { return (element, false) }
                let element = scopeNode.element(seen.value) ?? last.kept ?? source.memory.element
                last.replace(by: element)
                return (element, seen.mayDiffer)
            }
        })
    }
}
