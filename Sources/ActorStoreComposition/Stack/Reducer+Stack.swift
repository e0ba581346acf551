import ActorStore

extension Reducer {
    /// Composes a reducer for each child of a stack.
    ///
    /// ```swift
    /// Reduce { state, action in … }
    ///     .forEach(\.path, action: .path) { Screen() }
    /// ```
    ///
    /// A child sees its actions before this reducer does, and is changed in place. ``StackAction/push(_:)`` puts a
    /// child on top before this reducer sees it; ``StackAction/popFrom(id:)`` takes one away, with all above it, after
    /// this reducer has seen it. A child takes itself away by asking for `Effect.dismiss(fileID:line:)`, or by
    /// `Send.dismiss()` or ``DependencyValues/dismiss`` in an effect, which sends `popFrom` with its identity.
    /// However a child goes, its effects are cancelled, begun or not, and what they still send is dropped and counted
    /// in `StoreStatistics.lateActions`; see `ChildEffects.endWithChild` for when code around this reducer takes it
    /// away.
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

    /// Composes a reducer for each child of a stack, whose actions are like those of a table's entries.
    ///
    /// The children and their effects are those of a stack: an effect of a child does not come to another one that gets
    /// its identity. But there are no actions that push and pop children, and a child cannot ask to be taken away. For
    /// that, give the action a case of a ``StackAction``.
    ///
    /// - Parameters:
    ///   - stack: The key path of the stack.
    ///   - action: The case of the children's actions, which has an identity and the action of the child with that.
    ///   - whenMissing: What becomes of an action for a child that is not there. This reducer gets it all the same.
    ///   - effects: Whether the effects of a child end with it.
    ///   - fileID: Where the reducer is composed; leave the default.
    ///   - line: Where the reducer is composed; leave the default.
    ///   - column: Where the reducer is composed; leave the default.
    ///   - child: The reducer of a child, or several.
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
    /// The same actions of children as those of a stack, of which there are no others.
    @usableFromInline
    func ofStack<ChildState, ChildAction>() -> CasePath<Root, StackAction<ChildState, ChildAction>>
    where Value == (id: StackElementID, action: ChildAction) {
        CasePath<Root, StackAction<ChildState, ChildAction>>(
            embed: { [embedding] action in
                guard case .element(let id, let action) = action else {
                    preconditionFailure("An action of a stack is none of its children's.")
                }
                return embedding((id, action))
            },
            extract: { [extraction] root in extraction(root).map { .element(id: $0.id, action: $0.action) } }
        )
    }
}
