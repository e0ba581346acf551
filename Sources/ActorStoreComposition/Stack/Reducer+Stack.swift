import ActorStore

extension Reducer {
    /// Composes this reducer with one for each child of a stack.
    ///
    /// ```swift
    /// Reduce { state, action in … }
    ///     .forEach(\.path, action: .path) { Screen() }
    /// ```
    ///
    /// A child's reducer runs before this reducer, and changes the child in place. ``StackAction/push(_:)`` pushes a
    /// child before this reducer runs; ``StackAction/popFrom(id:)`` removes a child, and all above it, after this
    /// reducer has run. To remove itself, a child returns `Effect.dismiss(fileID:line:)`, or calls `Send.dismiss()` or
    /// ``DependencyValues/dismiss`` in an effect, which sends `popFrom` with its identity. Whichever way a child is
    /// removed, its effects are cancelled, whether they have begun or not, and actions that they still send are dropped
    /// and counted in `StoreStatistics.lateActions`; see `ChildEffects.endWithChild` for what happens if code around
    /// this reducer removes it.
    ///
    /// For children of several kinds, use an enum as the child's state, and compose their reducers with `ifCaseLet`.
    ///
    /// - Parameters:
    ///   - stack: The key path of the stack.
    ///   - action: The case of the stack's actions.
    ///   - whenMissing: The policy for actions of a child that is not in the stack. This reducer receives them in any
    ///     case.
    ///   - effects: Whether the effects of a child end with it.
    ///   - fileID: The file of the composition, for diagnostics.
    ///   - line: The line of the composition, for diagnostics.
    ///   - column: The column of the composition, for diagnostics.
    ///   - child: One or more reducers of a child.
    /// - Returns: A reducer of the parent and the children.
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

    /// Composes this reducer with one for each child of a stack, with actions like those of a table's entries.
    ///
    /// The children and their effects are those of a stack: an effect of a child does not send actions to another child
    /// that gets the same identity. But there are no actions that push and pop children, and a child cannot dismiss
    /// itself. For these, use the overload whose action has a case of a ``StackAction``.
    ///
    /// - Parameters:
    ///   - stack: The key path of the stack.
    ///   - action: The case of the children's actions, with the identity of a child and its action.
    ///   - whenMissing: The policy for actions of a child that is not in the stack. This reducer receives them in any
    ///     case.
    ///   - effects: Whether the effects of a child end with it.
    ///   - fileID: The file of the composition, for diagnostics.
    ///   - line: The line of the composition, for diagnostics.
    ///   - column: The column of the composition, for diagnostics.
    ///   - child: One or more reducers of a child.
    /// - Returns: A reducer of the parent and the children.
    @inlinable
    public func forEach<ChildState: Sendable, ChildAction, Child: Reducer<ChildState, ChildAction>>(
        _ stack: WritableKeyPath<State, StackState<ChildState>> & Sendable,
        action: CasePath<Action, (id: StackElementID, action: ChildAction)>,
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
            path: action.ofStack(),
            child: child().prepared(),
            canDismiss: false,
            options: ChildOptions(whenMissing, effects, fileID, line, column)
        )
        return PreparedReducer { reducer.reduce(into: &$0, action: $1) }
    }
}

extension CasePath {
    /// Returns a case path of stack actions that covers only the actions of children.
    @usableFromInline
    func ofStack<ChildState, ChildAction>() -> CasePath<Root, StackAction<ChildState, ChildAction>>
    where Value == (id: StackElementID, action: ChildAction) {
        CasePath<Root, StackAction<ChildState, ChildAction>>(
            embed: { [embedding] action in
                guard case .element(let id, let action) = action else {
                    preconditionFailure("A push or pop was sent to a stack that only has actions of its children.")
                }
                return embedding((id, action))
            },
            extract: { [extraction] root in extraction(root).map { .element(id: $0.id, action: $0.action) } }
        )
    }
}
