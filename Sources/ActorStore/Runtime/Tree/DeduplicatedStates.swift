/// The state as observers see it, if it is deduplicated or derived from a deduplicated state.
///
/// Observers do not see changes that count as duplicates. Whether a change does depends on the state that an observer
/// saw last. So each observer has its own memory, which starts with the current state.
@usableFromInline
struct DeduplicatedStates<State: Sendable>: Sendable {
    /// A state as one observer sees it, and whether it may differ from what the observer saw before.
    @usableFromInline typealias Seen = (value: State, mayDiffer: Bool)
    /// Returns the state as one observer sees it. Used within the turn.
    @usableFromInline typealias Reading = () -> Seen

    /// Creates the closure that reads the state for one observer, with an empty memory.
    @usableFromInline let makeReading: @Sendable () -> Reading
    /// Finds the location of a part that is not deduplicated, if it is stored in a store.
    @usableFromInline let locate: @Sendable (ByteRange) -> StateLocation?

    @inlinable
    init(
        makeReading: @escaping @Sendable () -> Reading,
        locate: @escaping @Sendable (ByteRange) -> StateLocation? = { _ in nil }
    ) {
        self.makeReading = makeReading
        self.locate = locate
    }

    /// Returns the states that a closure computes from these.
    @inlinable
    func map<NewState: Sendable>(
        _ transform: @escaping @Sendable (State) -> NewState
    ) -> DeduplicatedStates<NewState> {
        DeduplicatedStates<NewState>(makeReading: makeMappedReading(transform))
    }

    /// Returns the states of a stored part.
    @inlinable
    func part<Part: Sendable>(
        _ keyPath: KeyPath<State, Part> & Sendable,
        _ part: StoredPart<State, Part>
    ) -> DeduplicatedStates<Part> {
        DeduplicatedStates<Part>(makeReading: makeMappedReading { $0[keyPath: keyPath] }) { byteRange in
            locate(byteRange.shifted(by: part.offset)).map { $0.shifted(by: part.offset) }
        }
    }

    @inlinable
    func makeMappedReading<NewState: Sendable>(
        _ transform: @escaping @Sendable (State) -> NewState
    ) -> @Sendable () -> DeduplicatedStates<NewState>.Reading {
        { [makeReading] in
            let read = makeReading()
            return {
                let seen = read()
                return (transform(seen.value), seen.mayDiffer)
            }
        }
    }

    /// Returns these states joined with a child's own state, which is not deduplicated.
    @inlinable
    func joined<Local: Sendable, Action: Sendable>(
        with node: ChildNode<Local, Action>
    ) -> DeduplicatedStates<ParentAndChild<State, Local>> {
        DeduplicatedStates<ParentAndChild<State, Local>>(
            makeReading: { [makeReading] in
                let read = makeReading()
                return { (ParentAndChild(parent: read().value, local: node.state), true) }
            },
            locate: node.locateJoined(with: State.self, locate)
        )
    }
}

extension StateReader {
    /// Returns a reader of the same state whose observers do not see changes that count as duplicates.
    ///
    /// - Parameters:
    ///   - areSame: Whether a change counts as a duplicate.
    ///   - deferred: The deferred work of the tree. Former states are released after its turns.
    @usableFromInline
    func removingDuplicates(
        _ areSame: @escaping @Sendable (_ old: State, _ new: State) -> Bool,
        retiringTo deferred: DeferredWorkList
    ) -> StateReader {
        typealias Reading = DeduplicatedStates<State>.Reading
        let load = load
        let makePlainReading: @Sendable () -> Reading = { { (value: load(), mayDiffer: true) } }
        let makeReading = deduplicated?.makeReading ?? makePlainReading
        let states = DeduplicatedStates<State>(makeReading: {
            let (read, last) = (makeReading(), LastValue<State>(retiringTo: deferred))
            return { last.replace(by: read(), unless: areSame) }
        })
        return StateReader(element: element, load: load, capture: capture, deduplicated: states, locate: locate)
    }
}

/// The storage of a deduplicated state as one observer sees it, or the template of such storages, which is not observed
/// itself.
final class DeduplicatedStorage<State: Sendable>: DerivedStorage, @unchecked Sendable {
    // Sound: see `DerivedStorage`.
    private let states: DeduplicatedStates<State>
    private let isOfOneObserver: Bool
    private var read: DeduplicatedStates<State>.Reading?
    /// Whether the state may differ from what the detectors saw last.
    private var hasPendingChange = false

    init(
        root: TreeRoot,
        node: any StoreNode,
        element: (any DependentObserverHost)?,
        _ states: DeduplicatedStates<State>,
        isOfOneObserver: Bool
    ) {
        self.states = states
        self.isOfOneObserver = isOfOneObserver
        super.init(root: root, node: node, element: element)
    }

    override var ofOneObserver: ObservableStorage {
        if isOfOneObserver { return self }
        return DeduplicatedStorage(root: root, node: node, element: element, states, isOfOneObserver: true)
    }

    override func check() {
        let state = currentState()
        guard hasPendingChange else { return }
        hasPendingChange = false
        withUnsafePointer(to: state) { detectChanges($0) }
    }

    override func withState(_ body: (UnsafeRawPointer) -> Void) {
        withUnsafePointer(to: currentState()) { body($0) }
    }

    private func currentState() -> State {
        guard !detectors.isEmpty, let read else { return begin() }
        let seen = read()
        if seen.mayDiffer { hasPendingChange = true }
        return seen.value
    }

    /// Discards the memory, so that the first detector starts with the current state.
    private func begin() -> State {
        if let read { root.retire(read) }
        let read = states.makeReading()
        self.read = read
        hasPendingChange = false
        return read().value
    }
}
