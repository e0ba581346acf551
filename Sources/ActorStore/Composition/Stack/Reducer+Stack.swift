extension Reducer {
    /// Composes a reducer for each child of a stack.
    ///
    /// ```swift
    /// Reduce { state, action in … }
    ///     .forEach(\.path, action: .path) { Screen() }
    /// ```
    ///
    /// A child sees its actions before this reducer does, and is changed in place. ``StackAction/push(_:)`` puts a child on
    /// top before this reducer sees it; ``StackAction/popFrom(id:)`` takes one away, with all above it, after this reducer
    /// has seen it. A child takes itself away by asking for ``Effect/dismiss(fileID:line:)``, or by ``Send/dismiss()`` or
    /// ``DependencyValues/dismiss`` in an effect, which sends `popFrom` with its identity. However a child goes, its effects
    /// are cancelled, begun or not, and what they still send is dropped and counted in ``StoreStatistics/lateActions``; see
    /// ``ChildEffects/endWithChild`` for when code around this reducer takes it away.
    ///
    /// Children of several kinds are one enum, whose reducers are composed by `ifCaseLet`.
    ///
    /// - Parameters:
    ///   - stack: The key path of the stack.
    ///   - action: The case of the stack's actions.
    ///   - whenMissing: What becomes of an action for a child that is not there. This reducer gets it all the same.
    ///   - effects: Whether the effects of a child end with it.
    ///   - fileID: Where the reducer is composed; leave the default.
    ///   - line: Where the reducer is composed; leave the default.
    ///   - column: Where the reducer is composed; leave the default.
    ///   - child: The reducer of a child, or several.
    @inlinable
    public func forEach<ChildState: Sendable, ChildAction, Child: Reducer<ChildState, ChildAction>>(
        _ stack: WritableKeyPath<State, StackState<ChildState>> & Sendable,
        action: CasePath<Action, StackAction<ChildState, ChildAction>>,
        whenMissing: MissingChildPolicy = .report,
        effects: ChildEffects = .endWithChild,
        fileID: String = #fileID,
        line: UInt = #line,
        column: UInt = #column,
        @ReducerBuilder<ChildState, ChildAction> child: () -> Child
    ) -> PreparedReducer<State, Action> {
        let reducer = StackReducer(
            parent: prepared(),
            part: StatePart(stack),
            path: action,
            child: child().prepared(),
            options: ChildOptions(whenMissing, effects, fileID, line, column)
        )
        return PreparedReducer { reducer.reduce(into: &$0, action: $1) }
    }
}
