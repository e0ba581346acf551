import ActorStore

extension Reducer {
    /// Composes this reducer with that of a presented child: an optional child that can be dismissed.
    ///
    /// ```swift
    /// Reduce { state, action in … }
    ///     .ifPresented(\.$details, action: .details) { Details() }
    /// ```
    ///
    /// The child's reducer runs before this reducer. ``PresentationAction/dismiss`` sets the child's state to nil,
    /// after this reducer has run. Any code with the store can send it. The child itself returns
    /// `Effect.dismiss(fileID:line:)`, or calls `Send.dismiss()` or ``DependencyValues/dismiss`` in an effect. When the
    /// child is dismissed, or another child is presented in its place, its effects are cancelled, whether they have
    /// begun or not, and actions that they still send are dropped and counted in `StoreStatistics.lateActions`; see
    /// `ChildEffects.endWithChild` for what happens if code around this reducer removes the child.
    ///
    /// A presentation in a stored property, `var details = Presented<Details.State>(wrappedValue: nil)`, is accessed
    /// faster through its key path than one of a property wrapper, which is computed: then the child's reducer changes
    /// a copy of the child, which is written back once, and each collection that it changes is copied. Use a stored
    /// property for a child with large collections.
    ///
    /// - Parameters:
    ///   - state: The key path of the presentation, with a `$`.
    ///   - action: The case of the child's actions.
    ///   - lifetime: Whether the child stays until it is dismissed, or for one action only, like an alert.
    ///   - whenMissing: The policy for actions, including `dismiss`, that arrive while no child is presented. This
    ///     reducer receives them in any case.
    ///   - effects: Whether the child's effects end with it.
    ///   - fileID: The file of the composition, for diagnostics.
    ///   - line: The line of the composition, for diagnostics.
    ///   - column: The column of the composition, for diagnostics.
    ///   - child: One or more reducers of the child; empty for a child that needs none.
    /// - Returns: A reducer of the parent and the child.
    @inlinable
    public func ifPresented<ChildState: Sendable, ChildAction, Child: Reducer<ChildState, ChildAction>>(
        _ state: WritableKeyPath<State, Presented<ChildState>> & Sendable,
        action: CasePath<Action, PresentationAction<ChildAction>>,
        lifetime: PresentationLifetime = .untilDismissed,
        whenMissing: MissingChildPolicy = .report,
        effects: ChildEffects = .endWithChild,
        fileID: String = #fileID,
        line: UInt = #line,
        column: UInt = #column,
        @ReducerBuilder<ChildState, ChildAction> then child: () -> Child
    ) -> PreparedReducer<State, Action> {
        let reducer = PresentationReducer<State, Action, ChildState, ChildAction, NoIdentity<ChildState>>(
            parent: prepared(),
            part: StatePart(state),
            path: action,
            child: child().prepared(),
            lifetime: lifetime,
            options: ChildOptions(whenMissing, effects, fileID, line, column)
        )
        return PreparedReducer { reducer.reduce(into: &$0, action: $1) }
    }

    /// Composes this reducer with that of a presented child that has an identity.
    ///
    /// The child's reducer runs before this reducer, and ``PresentationAction/dismiss`` sets the child's state to nil
    /// after it. The child's effects end with the child. A change of the identity presents another child, even if the
    /// state is changed in place, and even by the child's own reducer: the effect that it returns then belongs to the
    /// new child. For the timing and the cancellation of effects, see the overload for children without an identity.
    ///
    /// - Parameters:
    ///   - state: The key path of the presentation, with a `$`.
    ///   - action: The case of the child's actions.
    ///   - lifetime: Whether the child stays until it is dismissed, or for one action only, like an alert.
    ///   - whenMissing: The policy for actions, including `dismiss`, that arrive while no child is presented. This
    ///     reducer receives them in any case.
    ///   - effects: Whether the child's effects end with it.
    ///   - fileID: The file of the composition, for diagnostics.
    ///   - line: The line of the composition, for diagnostics.
    ///   - column: The column of the composition, for diagnostics.
    ///   - child: One or more reducers of the child; empty for a child that needs none.
    /// - Returns: A reducer of the parent and the child.
    @inlinable
    public func ifPresented<
        ChildState: Identifiable & Sendable,
        ChildAction,
        Child: Reducer<ChildState, ChildAction>
    >(
        _ state: WritableKeyPath<State, Presented<ChildState>> & Sendable,
        action: CasePath<Action, PresentationAction<ChildAction>>,
        lifetime: PresentationLifetime = .untilDismissed,
        whenMissing: MissingChildPolicy = .report,
        effects: ChildEffects = .endWithChild,
        fileID: String = #fileID,
        line: UInt = #line,
        column: UInt = #column,
        @ReducerBuilder<ChildState, ChildAction> then child: () -> Child
    ) -> PreparedReducer<State, Action> {
        let reducer = PresentationReducer<State, Action, ChildState, ChildAction, OwnIdentity<ChildState>>(
            parent: prepared(),
            part: StatePart(state),
            path: action,
            child: child().prepared(),
            lifetime: lifetime,
            options: ChildOptions(whenMissing, effects, fileID, line, column)
        )
        return PreparedReducer { reducer.reduce(into: &$0, action: $1) }
    }
}
