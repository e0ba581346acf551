/// Reads the state of a store.
@usableFromInline
struct StateReader<State: Sendable>: Sendable {
    @usableFromInline typealias Capture = @Sendable () -> @Sendable () -> State

    /// Copies the state, which must be at rest.
    @usableFromInline let load: @Sendable () -> State
    /// Copies what the state is computed from, which must be at rest, and returns a closure that computes the state.
    /// The closure can be called later, because user code must not run while it keeps reducers waiting. `nil` if
    /// ``load`` runs no user code.
    @usableFromInline let capture: Capture?
    /// Finds the location of a part of the state, if it is stored in a store.
    @usableFromInline let locate: @Sendable (ByteRange) -> StateLocation?

    /// The state as observers see it, if it is deduplicated or derived from a deduplicated state; `nil` if they see it
    /// as it is.
    @usableFromInline let deduplicated: DeduplicatedStates<State>?

    /// The element that contains the state, if any. The reader ends with it.
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

    /// Creates the reader of a root.
    @inlinable
    init<Action>(_ core: StoreCore<State, Action>) {
        self.init {
            core.state
        } locate: { _ in
            StateLocation(source: core)
        }
    }

    /// Copies what the state is computed from, whether or not that needs user code.
    @inlinable
    func captured() -> @Sendable () -> State {
        if let capture { return capture() }
        let state = load()
        return { state }
    }

    /// Returns a reader of a part of the state.
    @inlinable
    func part<Part: Sendable>(_ keyPath: KeyPath<State, Part> & Sendable) -> StateReader<Part> {
        guard let part = StoredPart(keyPath) else { return map { state in state[keyPath: keyPath] } }
        // Reading a stored part runs no user code.
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

    /// Returns a reader of what a closure computes from the state.
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

    /// Returns a reader of this state joined with a child's own state.
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
    /// Returns a closure that finds the locations of parts of the child's own state joined with a state of its parent.
    ///
    /// - Parameters:
    ///   - parent: The type of the parent's state.
    ///   - locate: Finds the locations of parts of the parent's state.
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
