extension Store {
    /// Returns a child: a store with its own state and reducer, whose actions this store reduces, too.
    ///
    /// ```swift
    /// let feature = root.child(initialState: Feature.State(), reducer: Feature()) { action in
    ///     AppAction.feature(action)
    /// }
    /// try await feature.dispatch(.opened)   // reduced by Feature, and then by the root's reducer
    /// feature.snapshot.parent               // what the root shows
    /// feature.snapshot.local                // Feature.State
    /// ```
    ///
    /// An action that is dispatched to a child is reduced by the child, then by its parent, and so on up to the root,
    /// in one turn; then the observers of each store are notified. Actions that are dispatched to a parent or a sibling
    /// do not reach the child.
    ///
    /// A child keeps the dependencies that are in force where it is created, on top of those of this store: for its
    /// reducer, its attached reducers, its effects and `SideEffect`s, and for the stores below it.
    ///
    /// A child does not retain the root. It ends with the root, or when neither it nor a store below it is used any
    /// longer: then its effects are cancelled, and its observers' sequences finish. A child of the scope of an entry or
    /// of an optional part also ends with that scope, and keeps showing its last state.
    ///
    /// A ``scope(_:)`` can combine the two states of a child in another way:
    ///
    /// ```swift
    /// let screen = child.scope { Screen(app: $0.parent, own: $0.local) }
    /// ```
    ///
    /// - Parameters:
    ///   - initialState: The child's own state before the first action.
    ///   - reducer: The reducer that changes the child's own state. The actions of its effects are dispatched to the
    ///     child.
    ///   - name: The name of the child, for diagnostics.
    ///   - embed: A closure that converts an action of the child to one of the parent, or returns nil for an action
    ///     that does not propagate.
    /// - Returns: The child. Its state combines the parent's state and its own.
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

    /// Returns a child with the same actions as this store: a store with its own state and reducer, whose actions this
    /// store reduces, too.
    ///
    /// An action that is dispatched to a child is reduced by the child, then by its parent, and so on up to the root,
    /// in one turn. See ``child(initialState:reducer:name:action:)`` for the lifetime and the dependencies of a child.
    ///
    /// - Parameters:
    ///   - initialState: The child's own state before the first action.
    ///   - reducer: The reducer that changes the child's own state. The actions of its effects are dispatched to the
    ///     child.
    ///   - name: The name of the child, for diagnostics.
    ///   - stopPropagation: A closure that returns whether the child is the last store to reduce an action; nil to
    ///     propagate all actions.
    /// - Returns: The child. Its state combines the parent's state and its own.
    @inlinable
    public nonisolated func child<R: Reducer>(
        initialState: R.State,
        reducer: R,
        name: String = "child",
        stopPropagation: (@Sendable (_ action: Action) -> Bool)? = nil
    ) -> Store<ParentAndChild<State, R.State>, Action> where R.Action == Action {
        // A separate closure for the usual case, which costs each action less.
        guard let stopPropagation else {
            return child(initialState: initialState, reducer: reducer, name: name) { action in action }
        }
        return child(initialState: initialState, reducer: reducer, name: name) { action in
            stopPropagation(action) ? nil : action
        }
    }
}
