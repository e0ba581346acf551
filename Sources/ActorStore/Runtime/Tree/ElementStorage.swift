/// An element of a collection, or what an optional holds, for those for whom its type does not matter.
@usableFromInline
protocol AnyElementStorage: DependentObserverHost {
    /// Whether it has gone, alone or with what it is in, so that it ends at the end of the turn at the latest. From
    /// anywhere; what it says is certain in the turn.
    var hasLeft: Bool { get }
    /// Whether it goes in this turn, or has gone, alone or with what it is in. In the turn.
    var isGoing: Bool { get }
    /// Whether it had gone, alone or with what it is in, before the action of which observers are being told, so that
    /// this is not one of its own. In the turn.
    var hadLeftBeforePublishedAction: Bool { get }
    /// Whether its store takes no more actions, because it has gone, or nobody can ask for the store any more. From
    /// anywhere.
    var isRefusing: Bool { get }
    /// Has its store take no more actions. From anywhere.
    func refuseFurtherActions()
    /// Has its store take no more actions, because it ends when all have been told of this turn. In the turn.
    func beginEnding()
}

/// The memory of one element of a collection, or of what an optional holds, for those who observe parts of it.
///
/// It is brought up to date by an observation of the table, or of the optional, so that it costs nothing while other
/// elements change.
@usableFromInline
final class ElementStorage<Element: Sendable>: ObservableStorage, AnyElementStorage, @unchecked Sendable {
    // Sound: `element`, `dependents`, `isEnding`, `rememberedRevision` and `lastRevision` are touched only in the turn
    // of the tree, and `lastElement`, `hasGone` and `refuses` under the lock.
    @usableFromInline let root: TreeRoot
    @usableFromInline var dependents = DependentObserverList()
    /// The element that the collection or the optional is a part of, if any.
    private let outer: (any AnyElementStorage)?
    private var element: Element
    private let lock = Lock()
    /// The element as it was when it was last found in a turn: in one of several actions, before the one that takes the
    /// element away, if somebody looks at it then.
    private var lastElement: Element
    /// Whether the element is no longer there, or is another one by now.
    private var hasGone = false
    /// Whether its store takes no more actions, although the element may still be there.
    private var refuses = false
    /// The revision of the state of which `lastElement` is a part. States are not looked at in their order: those that
    /// are recorded for observers of actions come after what the whole turn has made of the element.
    private var rememberedRevision: UInt64 = 0
    /// Whether it ends when all have been told of this turn, in which nobody has looked at it between the actions.
    private var isEnding = false
    /// The revision of the action with which it has gone in the middle of a turn.
    private var lastRevision = UInt64.max

    /// What is remembered at one moment.
    @usableFromInline
    struct Memory: Sendable {
        let element: Element
        let hasGone: Bool

        /// The element as it was at that moment, or when it went.
        ///
        /// - Parameter found: What the state of that moment has in its place, which is another one if it has gone.
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

    /// Takes note of a change, and tells the observers. In the turn.
    @usableFromInline
    func update(_ element: Element) {
        self.element = element
        remember(element)
        withUnsafePointer(to: &self.element) { detectChanges($0) }
    }

    /// Takes note of a change in the middle of a turn, of which observers are not told before its end. In the turn.
    ///
    /// What nothing observes may have come in that turn: the observer of the table is told only of what differs from
    /// what the table was before.
    @usableFromInline
    func renew(_ element: Element) {
        if detectors.isEmpty { self.element = element }
        remember(element)
    }

    /// Takes note that the element has gone in the middle of a turn, whether another one takes its place or not. In the
    /// turn.
    ///
    /// - Parameter last: What it was.
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

    /// - Parameter revision: That of the state of which the element is a part; nil for the state now.
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

    /// What is remembered now: while the state is at rest, what belongs to that state.
    @usableFromInline var memory: Memory { lock.withLock { Memory(element: lastElement, hasGone: hasGone) } }

    /// The element as it is, or was when it went; from anywhere. In the turn it is remembered.
    ///
    /// - Parameter found: What the state has in its place, which is another one if it has gone.
    @usableFromInline
    func current(_ found: Element?) -> Element {
        if let found, !isFinished, root.gate.isOwnedByThisThread, !memory.hasGone { remember(found) }
        return memory.current(found)
    }

    /// The element as it was in a state of this turn that was recorded for observers of actions, or when it went. In
    /// the turn.
    ///
    /// It is remembered if it is the last of the turn, or nothing that comes after it can be: an observer above may
    /// have filtered out what the rest of the turn has made of it.
    ///
    /// - Parameter found: What that state has in its place: another element, if this one had gone by then.
    @usableFromInline
    func recorded(_ found: Element?) -> Element {
        let (memory, revision) = (memory, root.published.state)
        guard let found, !isFinished, !memory.hasGone || revision < lastRevision else { return memory.element }
        if !memory.hasGone, isEnding || revision == root.revision.loadRelaxed() { remember(found, at: revision) }
        return found
    }
}

/// The way from a state to one of its elements.
@usableFromInline
struct ElementReader<State: Sendable, Element: Sendable>: Sendable {
    @usableFromInline let source: ElementStorage<Element>
    @usableFromInline let element: @Sendable (State) -> Element?

    @inlinable
    init(source: ElementStorage<Element>, _ element: @escaping @Sendable (State) -> Element?) {
        self.source = source
        self.element = element
    }

    /// The element, or what that was when it went.
    @inlinable
    func find(in state: State) -> Element { source.current(element(state)) }

    /// The element as it was in a state of this turn, or what that was when it went. In the turn.
    @inlinable
    func find(inRecorded state: State) -> Element { source.recorded(element(state)) }
}

extension StateReader {
    /// For an element of the state, or for what that was when it went.
    @inlinable
    func element<Element: Sendable>(_ scopeNode: ElementReader<State, Element>) -> StateReader<Element> {
        StateReader<Element>(
            element: scopeNode.source,
            load: { scopeNode.find(in: load()) },
            capture: {
                // Both of one moment: the element can go before it is looked for.
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
    /// For an element of the state, or for what that was when it went.
    ///
    /// The state that one observer sees can have no such element, although others see one. The observer then goes on to
    /// see the element as it has seen it last, which is never newer than that state, up to its end. What it sees is not
    /// remembered for others.
    @usableFromInline
    func element<Element: Sendable>(_ scopeNode: ElementReader<State, Element>) -> DeduplicatedStates<Element> {
        DeduplicatedStates<Element>(makeLook: { [makeLook] in
            let (look, last) = (makeLook(), LastValue<Element>(retiringTo: scopeNode.source.root.deferred))
            return {
                let (source, seen) = (scopeNode.source, look())
                if source.isGoing { return (source.memory.element, true) }
                // It is that of the state before, and nothing need be retired.
                if !seen.mayDiffer, let element = last.kept { return (element, false) }
                let element = scopeNode.element(seen.value) ?? last.kept ?? source.memory.element
                last.replace(by: element)
                return (element, seen.mayDiffer)
            }
        })
    }
}
