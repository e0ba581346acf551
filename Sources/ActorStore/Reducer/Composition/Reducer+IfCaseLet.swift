extension Reducer {
    /// Composes a child whose state is a case of the state, which is an enum.
    ///
    /// ```swift
    /// Reduce { state, action in … }
    ///     .ifCaseLet(.signedIn, action: .signedIn) { Session() }
    ///     .ifCaseLet(.signedOut, action: .signedOut) { Welcome() }
    /// ```
    ///
    /// The child sees its actions before this reducer does. When this reducer makes the state another case, or, if the
    /// child's is `Identifiable`, puts one with another identity in its place, then the effects of the child are
    /// cancelled, begun or not, and what they still send is dropped and counted in ``StoreStatistics/lateActions``.
    ///
    /// Both ways of the case path are gone for each action, so give it both; see ``CasePath/init(embed:extract:)``.
    ///
    /// The effects of the child are told from those of other children by the place in your code at which it is
    /// composed. Children that are composed at the same place, by a function or a reducer type of yours that is used
    /// more than once in a store, or in a loop, share their identities, and end together. Such a function, or the
    /// initializer of such a type, must take `fileID`, `line` and `column`, with the same defaults, and pass them on;
    /// in a loop, pass a `column` of its own for each child.
    ///
    /// - Parameters:
    ///   - state: The case of the child's state.
    ///   - action: The case of the child's actions.
    ///   - whenMissing: What becomes of an action for the child while the state is of another case. This reducer gets
    ///     it all the same.
    ///   - effects: Whether the child's effects end with it.
    ///   - fileID: Where the reducer is composed; leave the default.
    ///   - line: Where the reducer is composed; leave the default.
    ///   - column: Where the reducer is composed; leave the default.
    ///   - child: The child's reducer, or several.
    @inlinable
    public func ifCaseLet<ChildState, ChildAction, Child: Reducer<ChildState, ChildAction>>(
        _ state: CasePath<State, ChildState>,
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
            slot: CaseSlot(state),
            path: action,
            child: child().prepared(),
            options: ChildOptions(whenMissing, effects, fileID, line, column)
        )
        return PreparedReducer { reducer.reduce(into: &$0, action: $1) }
    }

    /// Composes a child whose state is a case of an enum, with an identity; see the method for states without.
    ///
    /// A state with another identity is another child, also if the child's own reducer changes the identity: then the
    /// effects of the former child are cancelled, and what the reducer returns is that of the new one.
    @inlinable
    public func ifCaseLet<ChildState: Identifiable, ChildAction, Child: Reducer<ChildState, ChildAction>>(
        _ state: CasePath<State, ChildState>,
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
            slot: IdentifiedCaseSlot(state),
            path: action,
            child: child().prepared(),
            options: ChildOptions(whenMissing, effects, fileID, line, column)
        )
        return PreparedReducer { reducer.reduce(into: &$0, action: $1) }
    }
}
