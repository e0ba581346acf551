import ActorStore

extension Reducer {
    /// Composes a child that is presented: one that is there or not, and that can be dismissed.
    ///
    /// ```swift
    /// Reduce { state, action in … }
    ///     .ifPresented(\.$details, action: .details) { Details() }
    /// ```
    ///
    /// The child sees its actions before this reducer does. ``PresentationAction/dismiss`` makes its state nil, after
    /// this reducer has seen it; it is sent by whoever has the store, or by the child itself, which asks for
    /// `Effect.dismiss(fileID:line:)`, calls `Send.dismiss()` in an effect, or what ``DependencyValues/dismiss``
    /// gives it. When the child goes, or another is presented in its place, its effects are cancelled, begun or not,
    /// and what they still send is dropped and counted in `StoreStatistics.lateActions`; see
    /// `ChildEffects.endWithChild` for when code around this reducer does that.
    ///
    /// A presentation that is a property by itself, `var details = Presented<Details.State>(wrappedValue: nil)`, is
    /// found faster by its key path than one of a property wrapper, which is computed: the child's reducer then changes
    /// a copy of the child, which is written once, and each collection that it changes is copied. Use a plain property
    /// for a child with large collections.
    ///
    /// - Parameters:
    ///   - state: The key path of the presentation, with a `$`.
    ///   - action: The case of the child's actions.
    ///   - lifetime: Whether the child stays until it is dismissed, or for one action only, as an alert.
    ///   - whenMissing: What becomes of an action for the child while nobody is presented, also of `dismiss`. This
    ///     reducer gets it all the same.
    ///   - effects: Whether the child's effects end with it.
    ///   - fileID: Where the reducer is composed; leave the default.
    ///   - line: Where the reducer is composed; leave the default.
    ///   - column: Where the reducer is composed; leave the default.
    ///   - child: The child's reducer, or several; nothing for a child that needs none.
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

    /// Composes a child that is presented and has an identity; see the method for states without.
    ///
    /// A change of the identity presents another child, also where the state is changed in place, and also by the
    /// child's own reducer: what that returns then is an effect of the new child.
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
