/// How observers see a state that is deduplicated, or made of one that is.
///
/// A change that counts as none is not seen. Whether it does is a matter between the state that an observer has and the
/// new one. So each observer has a memory of its own, which begins with the state as it is.
@usableFromInline
struct DeduplicatedStates<State: Sendable>: Sendable {
    /// A state as one observer sees it, and whether it may differ from what that saw before.
    @usableFromInline typealias Seen = (value: State, mayDiffer: Bool)
    /// Returns the state as one observer sees it. In the turn.
    @usableFromInline typealias Look = () -> Seen

    /// Makes the look of one observer, with a memory that is empty.
    @usableFromInline let makeLook: @Sendable () -> Look
    /// Finds the place of a part that is seen as it is, in the memory of a store.
    @usableFromInline let locate: @Sendable (ByteRange) -> StateLocation?

    @inlinable
    init(
        makeLook: @escaping @Sendable () -> Look,
        locate: @escaping @Sendable (ByteRange) -> StateLocation? = { _ in nil }
    ) {
        self.makeLook = makeLook
        self.locate = locate
    }

    /// For what a closure makes of the state.
    @inlinable
    func map<NewState: Sendable>(
        _ transform: @escaping @Sendable (State) -> NewState
    ) -> DeduplicatedStates<NewState> {
        DeduplicatedStates<NewState>(makeLook: makeMappedLook(transform))
    }

    /// For a stored part of the state.
    @inlinable
    func part<Part: Sendable>(
        _ keyPath: KeyPath<State, Part> & Sendable,
        _ part: StoredPart<State, Part>
    ) -> DeduplicatedStates<Part> {
        DeduplicatedStates<Part>(makeLook: makeMappedLook { $0[keyPath: keyPath] }) { byteRange in
            locate(byteRange.shifted(by: part.offset)).map { $0.shifted(by: part.offset) }
        }
    }

    @inlinable
    func makeMappedLook<NewState: Sendable>(
        _ transform: @escaping @Sendable (State) -> NewState
    ) -> @Sendable () -> DeduplicatedStates<NewState>.Look {
        { [makeLook] in
            let look = makeLook()
            return {
                let seen = look()
                return (transform(seen.value), seen.mayDiffer)
            }
        }
    }

    /// For a child with its own state, which is seen as it is, joined with this one.
    @inlinable
    func joined<Local: Sendable, Action: Sendable>(
        with node: ChildNode<Local, Action>
    ) -> DeduplicatedStates<ParentAndChild<State, Local>> {
        DeduplicatedStates<ParentAndChild<State, Local>>(
            makeLook: { [makeLook] in
                let look = makeLook()
                return { (ParentAndChild(parent: look().value, local: node.state), true) }
            },
            locate: node.locateJoined(with: State.self, locate)
        )
    }
}

extension StateReader {
    /// For the same state, of which observers see no change that counts as none.
    ///
    /// - Parameter deferred: That of the tree. Former states are released after its turns.
    @usableFromInline
    func removingDuplicates(
        _ areSame: @escaping @Sendable (_ old: State, _ new: State) -> Bool,
        retiringTo deferred: DeferredWorkList
    ) -> StateReader {
        typealias Look = DeduplicatedStates<State>.Look
        let load = load
        let makePlainLook: @Sendable () -> Look = { { (value: load(), mayDiffer: true) } }
        let makeLook = deduplicated?.makeLook ?? makePlainLook
        let states = DeduplicatedStates<State>(makeLook: {
            let (look, last) = (makeLook(), LastValue<State>(retiringTo: deferred))
            return { last.replace(by: look(), unless: areSame) }
        })
        return StateReader(element: element, load: load, capture: capture, deduplicated: states, locate: locate)
    }
}

/// A deduplicated state as one observer sees it, or what such sources are made of, which nothing observes.
final class DeduplicatedStorage<State: Sendable>: DerivedStorage, @unchecked Sendable {
    // Sound: see there.
    private let states: DeduplicatedStates<State>
    private let isOfOneObserver: Bool
    private var look: DeduplicatedStates<State>.Look?
    /// Whether the state may differ from what the detectors were told.
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
        guard !detectors.isEmpty, let look else { return begin() }
        let seen = look()
        if seen.mayDiffer { hasPendingChange = true }
        return seen.value
    }

    /// Forgets what was seen, so that the first detector begins with the state as it is.
    private func begin() -> State {
        if let look { root.retire(look) }
        let look = states.makeLook()
        self.look = look
        hasPendingChange = false
        return look().value
    }
}
