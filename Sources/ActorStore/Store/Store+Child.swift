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
    /// What it shows can be combined in another way by a ``scope(_:)``:
    ///
    /// ```swift
    /// let screen = child.scope { Screen(app: $0.parent, own: $0.local) }
    /// ```
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
    ) -> Store<ParentAndChild<State, R.State>, R.Action> {
        let scopeNode = scopeNode
        let reducer = NodeReducer(reducer, below: scopeNode.dependencies)
        let node = scopeNode.makeChildNode(initialState, reducer, name: name, embed)
        return Store<ParentAndChild<State, R.State>, R.Action>(
            scopeNode: scopeNode.child(node, name, scopeNode.states.joined(with: node))
        )
    }

    /// Makes a child that has the same actions; otherwise like ``child(initialState:reducer:name:action:)``.
    ///
    /// - Parameters:
    ///   - initialState: The child's own state before the first action.
    ///   - reducer: Changes the child's own state, and asks for effects, whose actions are dispatched to the child.
    ///   - name: For diagnostics.
    ///   - stopPropagation: Whether the child is the last to reduce an action; nil for none.
    @inlinable
    public nonisolated func child<R: Reducer>(
        initialState: R.State,
        reducer: R,
        name: String = "child",
        stopPropagation: (@Sendable (_ action: Action) -> Bool)? = nil
    ) -> Store<ParentAndChild<State, R.State>, Action> where R.Action == Action {
        // A closure of its own for most children, which costs each action less.
        guard let stopPropagation else {
            return child(initialState: initialState, reducer: reducer, name: name) { action in action }
        }
        return child(initialState: initialState, reducer: reducer, name: name) { action in
            stopPropagation(action) ? nil : action
        }
    }
}
