extension Store {
    /// Makes a child: a store with a state and a reducer of its own, whose actions this one reduces, too.
    ///
    /// ```swift
    /// let feature = root.child(initialState: Feature.State(), reducer: Feature()) { action in AppAction.feature(action) }
    /// try await feature.dispatch(.opened)   // reduced by Feature, and then by the root's reducer
    /// feature.snapshot.parent               // what the root shows
    /// feature.snapshot.local                // Feature.State
    /// ```
    ///
    /// An action that is dispatched to a child is reduced by the child, then by its parent, and so on up to the root,
    /// in one turn; after that each store's observers are told. What is dispatched to a parent or to a sibling does not
    /// reach the child.
    ///
    /// A child keeps the dependencies that are in force where it is made, over those of this store: for its reducer,
    /// its attached reducers, its effects and `SideEffect`s, and for the stores below it.
    ///
    /// A child does not keep the root alive. It ends with the root, or when nobody is left who uses it or a store below
    /// it: then its effects are cancelled, and its observers' sequences end.
    /// A child of the scope of an entry, or of an optional part, also ends with that, and shows the last that it was.
    ///
    /// - Parameters:
    ///   - initialState: The child's own state before the first action.
    ///   - reducer: Changes the child's own state, and asks for effects, whose actions are dispatched to the child.
    ///   - name: For diagnostics.
    ///   - embed: Makes an action of the parent of one of the child; nil for one that goes no further up.
    @inlinable
    public nonisolated func child<R: Reducer>(
        initialState: R.State,
        reducer: R,
        name: String = "child",
        action embed: @escaping @Sendable (_ action: R.Action) -> Action?
    ) -> Store<Joined<State, R.State>, R.Action> {
        let scopeNode = scopeNode
        let reducer = NodeReducer(reducer, below: scopeNode.dependencies)
        let node = scopeNode.makeChildNode(initialState, reducer, name: name, embed)
        return Store<Joined<State, R.State>, R.Action>(
            scopeNode: scopeNode.child(node, name, scopeNode.states.joined(with: node))
        )
    }

    /// Makes a child whose actions are a case of this store's; otherwise like the child whose actions a closure makes.
    ///
    /// ```swift
    /// let feature = root.child(initialState: Feature.State(), reducer: Feature(), action: .feature)
    /// ```
    ///
    /// - Parameters:
    ///   - initialState: The child's own state before the first action.
    ///   - reducer: Changes the child's own state, and asks for effects, whose actions are dispatched to the child.
    ///   - name: For diagnostics.
    ///   - casePath: The case of the child's actions.
    @inlinable
    public nonisolated func child<R: Reducer>(
        initialState: R.State,
        reducer: R,
        name: String = "child",
        action casePath: CasePath<Action, R.Action>
    ) -> Store<Joined<State, R.State>, R.Action> {
        child(initialState: initialState, reducer: reducer, name: name) { casePath.embed($0) }
    }

    /// Makes a child that has the same actions; otherwise like
    /// ``child(initialState:reducer:name:action:)-(_,_,_,(R.Action)->Action?)``.
    @inlinable
    public nonisolated func child<R: Reducer>(
        initialState: R.State,
        reducer: R,
        name: String = "child"
    ) -> Store<Joined<State, R.State>, Action> where R.Action == Action {
        child(initialState: initialState, reducer: reducer, name: name) { action in action }
    }

    /// Makes a child that has the same actions, some of which go no further up; otherwise like
    /// ``child(initialState:reducer:name:action:)-(_,_,_,(R.Action)->Action?)``.
    ///
    /// - Parameters:
    ///   - initialState: The child's own state before the first action.
    ///   - reducer: Changes the child's own state, and asks for effects, whose actions are dispatched to the child.
    ///   - name: For diagnostics.
    ///   - stopPropagation: Whether the child is the last to reduce an action.
    @inlinable
    public nonisolated func child<R: Reducer>(
        initialState: R.State,
        reducer: R,
        name: String = "child",
        stopPropagation: @escaping @Sendable (_ action: Action) -> Bool
    ) -> Store<Joined<State, R.State>, Action> where R.Action == Action {
        child(initialState: initialState, reducer: reducer, name: name) { action in
            stopPropagation(action) ? nil : action
        }
    }

    /// Makes a child with the same actions, whose reducer is a closure without effects; otherwise like
    /// ``child(initialState:reducer:name:action:)-(_,_,_,(R.Action)->Action?)``.
    @inlinable
    public nonisolated func child<Local: Sendable>(
        initialState: Local,
        name: String = "child",
        reduce: @escaping @Sendable (_ state: inout Local, _ action: Action) -> Void
    ) -> Store<Joined<State, Local>, Action> {
        let reducer = Reduce<Local, Action> { state, action in
            reduce(&state, action)
            return .none
        }
        return child(initialState: initialState, reducer: reducer, name: name)
    }

    /// Makes a child that shows a combination of your choosing; otherwise like
    /// ``child(initialState:reducer:name:action:)-(_,_,_,(R.Action)->Action?)``.
    ///
    /// What is observed in a combination is computed after every turn of the tree; the two halves of a ``Joined``,
    /// which the other methods show, are observed where they are.
    ///
    /// - Parameters:
    ///   - initialState: The child's own state before the first action.
    ///   - reducer: Changes the child's own state, and asks for effects, whose actions are dispatched to the child.
    ///   - name: For diagnostics.
    ///   - embed: Makes an action of the parent of one of the child; nil for one that goes no further up.
    ///   - combine: Makes what the child shows of what the parent shows, and of the child's own state.
    @inlinable
    public nonisolated func child<R: Reducer, Combined: Sendable>(
        initialState: R.State,
        reducer: R,
        name: String = "child",
        action embed: @escaping @Sendable (_ action: R.Action) -> Action?,
        combine: @escaping @Sendable (_ parent: State, _ local: R.State) -> Combined
    ) -> Store<Combined, R.Action> {
        let scopeNode = scopeNode
        let reducer = NodeReducer(reducer, below: scopeNode.dependencies)
        let node = scopeNode.makeChildNode(initialState, reducer, name: name, embed)
        return Store<Combined, R.Action>(
            scopeNode: scopeNode.child(node, name, scopeNode.states.combined(with: node, combine))
        )
    }

    /// Makes a child that shows a combination of your choosing, and whose actions are a case of this store's; otherwise
    /// like the child whose actions a closure makes.
    ///
    /// - Parameters:
    ///   - initialState: The child's own state before the first action.
    ///   - reducer: Changes the child's own state, and asks for effects, whose actions are dispatched to the child.
    ///   - name: For diagnostics.
    ///   - casePath: The case of the child's actions.
    ///   - combine: Makes what the child shows of what the parent shows, and of the child's own state.
    @inlinable
    public nonisolated func child<R: Reducer, Combined: Sendable>(
        initialState: R.State,
        reducer: R,
        name: String = "child",
        action casePath: CasePath<Action, R.Action>,
        combine: @escaping @Sendable (_ parent: State, _ local: R.State) -> Combined
    ) -> Store<Combined, R.Action> {
        child(
            initialState: initialState,
            reducer: reducer,
            name: name,
            action: { casePath.embed($0) },
            combine: combine
        )
    }
}
