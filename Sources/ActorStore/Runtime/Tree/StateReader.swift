/// The way to the state of a store.
@usableFromInline
struct StateReader<State: Sendable>: Sendable {
    @usableFromInline typealias Capture = @Sendable () -> @Sendable () -> State

    /// Makes a copy of the state, while it is at rest.
    @usableFromInline let load: @Sendable () -> State
    /// Copies what the state is made of, while that is at rest, and returns what makes the state of it, which can be
    /// called when it no longer is: users' code must not run while it keeps reducers waiting. Nil if ``load`` runs
    /// none.
    @usableFromInline let capture: Capture?
    /// Finds the place of a part of the state, if it lies in the memory of a store.
    @usableFromInline let locate: @Sendable (ByteRange) -> StateLocation?

    /// How observers see the state, if it is deduplicated, or made of one that is; nil if they see it as it is.
    @usableFromInline let deduplicated: DeduplicatedStates<State>?

    /// The element of a collection that the state is of, or of a part of, if it is one of an element: it ends with
    /// that.
    @usableFromInline let element: (any AnyElementStorage)?

    @inlinable
    init(
        element: (any AnyElementStorage)? = nil,
        load: @escaping @Sendable () -> State,
        capture: Capture? = nil,
        deduplicated: DeduplicatedStates<State>? = nil,
        locate: @escaping @Sendable (ByteRange) -> StateLocation?
    ) {
        self.element = element
        self.load = load
        self.capture = capture
        self.deduplicated = deduplicated
        self.locate = locate
    }

    /// For a root.
    @inlinable
    init<Action>(_ core: StoreCore<State, Action>) {
        self.init {
            core.state
        } locate: { _ in
            StateLocation(source: core)
        }
    }

    /// Copies what the state is made of, whether that needs users' code or not.
    @inlinable
    func captured() -> @Sendable () -> State {
        if let capture { return capture() }
        let state = load()
        return { state }
    }

    /// For a part of the state.
    @inlinable
    func part<Part: Sendable>(_ keyPath: KeyPath<State, Part> & Sendable) -> StateReader<Part> {
        guard let part = StoredPart(keyPath) else { return map { state in state[keyPath: keyPath] } }
        // To read a stored part is no code of users'.
        var capturePart: StateReader<Part>.Capture?
        if let capture {
            capturePart = {
                let state = capture()
                return { state()[keyPath: keyPath] }
            }
        }
        return StateReader<Part>(
            element: element,
            load: { load()[keyPath: keyPath] },
            capture: capturePart,
            deduplicated: deduplicated?.part(keyPath, part)
        ) { byteRange in
            locate(byteRange.shifted(by: part.offset)).map { $0.shifted(by: part.offset) }
        }
    }

    /// For what a closure makes of the state.
    @inlinable
    func map<NewState: Sendable>(_ transform: @escaping @Sendable (State) -> NewState) -> StateReader<NewState> {
        StateReader<NewState>(
            element: element,
            load: { transform(load()) },
            capture: {
                let state = captured()
                return { transform(state()) }
            },
            deduplicated: deduplicated?.map(transform)
        ) { _ in nil }
    }

    /// For a child with its own state, which is shown joined with this one.
    @inlinable
    func joined<Local: Sendable, Action: Sendable>(
        with node: ChildNode<Local, Action>
    ) -> StateReader<ParentAndChild<State, Local>> {
        var captureJoined: StateReader<ParentAndChild<State, Local>>.Capture?
        if let capture {
            captureJoined = {
                let (parent, local) = (capture(), node.state)
                return { ParentAndChild(parent: parent(), local: local) }
            }
        }
        let loadJoined: @Sendable () -> ParentAndChild<State, Local> = {
            ParentAndChild(parent: load(), local: node.state)
        }
        return StateReader<ParentAndChild<State, Local>>(
            load: loadJoined,
            capture: captureJoined,
            deduplicated: deduplicated?.joined(with: node),
            locate: node.locateJoined(with: State.self, locate)
        )
    }
}

extension ChildNode {
    /// Finds the places of parts of the child's own state, joined with one of its parent.
    ///
    /// - Parameter locate: Finds those of the parent's state.
    @inlinable
    func locateJoined<Parent>(
        with parent: Parent.Type,
        _ locate: @escaping @Sendable (ByteRange) -> StateLocation?
    ) -> @Sendable (ByteRange) -> StateLocation? {
        let localOffset = MemoryLayout<ParentAndChild<Parent, State>>.offset(of: \.local) ?? 0
        return { byteRange in
            if byteRange.offset + byteRange.size <= MemoryLayout<Parent>.size { return locate(byteRange) }
            return byteRange.offset >= localOffset ? StateLocation(source: self, offset: -localOffset) : nil
        }
    }
}
