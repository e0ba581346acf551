extension Reducer {
    /// Composes a child whose state is an optional.
    ///
    /// ```swift
    /// Reduce { state, action in … }
    ///     .ifLet(\.details, action: .details) { Details() }
    /// ```
    ///
    /// The child sees its actions before this reducer does. When this reducer makes the state nil, or, if the state is
    /// `Identifiable`, puts a state with another identity in its place, then the effects of the child are cancelled,
    /// begun or not, and what they still send is dropped and counted in ``StoreStatistics/lateActions``.
    ///
    /// - Parameters:
    ///   - state: The key path of the child's state.
    ///   - action: The case of the child's actions.
    ///   - whenMissing: What becomes of an action for the child while the state is nil. This reducer gets it all the
    ///     same.
    ///   - effects: Whether the child's effects end with it.
    ///   - fileID: Where the reducer is composed; leave the default.
    ///   - line: Where the reducer is composed; leave the default.
    ///   - column: Where the reducer is composed; leave the default.
    ///   - child: The child's reducer, or several.
    @inlinable
    public func ifLet<ChildState, ChildAction, Child: Reducer<ChildState, ChildAction>>(
        _ state: WritableKeyPath<State, ChildState?> & Sendable,
        action: CasePath<Action, ChildAction>,
        whenMissing: MissingChildPolicy = .report,
        effects: ChildEffects = .endWithChild,
        fileID: String = #fileID,
        line: UInt = #line,
        column: UInt = #column,
        @ReducerBuilder<ChildState, ChildAction> then child: () -> Child
    ) -> PreparedReducer<State, Action> {
        let reducer = ChildReducer(
            parent: prepared(),
            slot: OptionalSlot(state),
            path: action,
            child: child().prepared(),
            options: ChildOptions(whenMissing, effects, fileID, line, column)
        )
        return PreparedReducer { reducer.reduce(into: &$0, action: $1) }
    }

    /// Composes a child whose state is an optional with an identity; see the method for states without.
    ///
    /// A state with another identity is another child, also if the child's own reducer changes the identity: then the
    /// effects of the former child are cancelled, and what the reducer returns is that of the new one.
    @inlinable
    public func ifLet<ChildState: Identifiable, ChildAction, Child: Reducer<ChildState, ChildAction>>(
        _ state: WritableKeyPath<State, ChildState?> & Sendable,
        action: CasePath<Action, ChildAction>,
        whenMissing: MissingChildPolicy = .report,
        effects: ChildEffects = .endWithChild,
        fileID: String = #fileID,
        line: UInt = #line,
        column: UInt = #column,
        @ReducerBuilder<ChildState, ChildAction> then child: () -> Child
    ) -> PreparedReducer<State, Action> {
        let reducer = ChildReducer(
            parent: prepared(),
            slot: IdentifiedOptionalSlot(state),
            path: action,
            child: child().prepared(),
            options: ChildOptions(whenMissing, effects, fileID, line, column)
        )
        return PreparedReducer { reducer.reduce(into: &$0, action: $1) }
    }
}
