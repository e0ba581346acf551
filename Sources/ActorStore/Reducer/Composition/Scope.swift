/// Runs the reducer of a child on its part of the state, for the actions that are the child's.
///
/// ```swift
/// struct App: Reducer {
///     var body: some Reducer<AppState, AppAction> {
///         Scope(state: \.counter, action: .counter) { Counter() }
///         Reduce { state, action in … }
///     }
/// }
/// ```
///
/// In a body, a child that stands before its parent sees an action first; the parent sees the state as the child left
/// it. The child's effects are its own: the identities in them are known to it alone, or to all that are composed on
/// the same part of the state.
public struct Scope<State: Sendable, Action: Sendable>: Reducer {
    @usableFromInline let run: @Sendable (inout State, Action) -> Effect<Action>

    /// Composes a child whose state is a property.
    ///
    /// The store reads the key path in later states as well, also where this reducer is not called: when an effect of a
    /// child below this one has sent an action, to see whether that child is still there. So do not use one that traps
    /// in some states, as `\.session!` and `\.items[3]` do, and compose an optional by `ifLet`, and elements by
    /// `forEach`.
    ///
    /// - Parameters:
    ///   - state: The key path of the child's state.
    ///   - action: The case of the child's actions.
    ///   - child: The child's reducer, or several.
    @inlinable
    public init<ChildState, ChildAction>(
        state: WritableKeyPath<State, ChildState> & Sendable,
        action: CasePath<Action, ChildAction>,
        @ReducerBuilder<ChildState, ChildAction> child: () -> some Reducer<ChildState, ChildAction>
    ) {
        let part = StatePart(state)
        let step = ChildStep.part(state)
        let child = child().prepared()
        run = { state, parentAction in
            guard let childAction = action.extract(from: parentAction) else { return .none }
            let effect = part.modify(&state) { child.reduce(into: &$0, action: childAction) }
            return effect.isNone ? .none : effect.embedded(under: EffectPath(part.step, by: step), action.embedding)
        }
    }

    /// Composes a child whose state is a case of an enum.
    ///
    /// The effects of the child are not cancelled when the state becomes another case; `ifCaseLet` sees to that.
    ///
    /// They are told from those of other children by the place in your code at which the child is composed. Children
    /// that are composed at the same place, by a function or a reducer type of yours that is used more than once in a
    /// store, or in a loop, share their identities. Such a function, or the initializer of such a type, must take
    /// `fileID`, `line` and `column`, with the same defaults, and pass them on; in a loop, pass a `column` of its own
    /// for each child.
    ///
    /// - Parameters:
    ///   - state: The case of the child's state.
    ///   - action: The case of the child's actions.
    ///   - whenMissing: What becomes of an action for the child while the state is of another case.
    ///   - fileID: Where the reducer is composed; leave the default.
    ///   - line: Where the reducer is composed; leave the default.
    ///   - column: Where the reducer is composed; leave the default.
    ///   - child: The child's reducer, or several.
    @inlinable
    public init<ChildState, ChildAction>(
        state: CasePath<State, ChildState>,
        action: CasePath<Action, ChildAction>,
        whenMissing: MissingChildPolicy = .report,
        fileID: String = #fileID,
        line: UInt = #line,
        column: UInt = #column,
        @ReducerBuilder<ChildState, ChildAction> child: () -> some Reducer<ChildState, ChildAction>
    ) {
        let site = CompositionSite(fileID: fileID, line: line, column: column)
        let step = ChildStep.caseOf(state)
        let child = child().prepared()
        run = { parentState, parentAction in
            guard let childAction = action.extract(from: parentAction) else { return .none }
            let effect = state.modify(&parentState) { child.reduce(into: &$0, action: childAction) }
            guard let effect else { return whenMissing.effect(of: parentAction, .isOtherCase, at: site) }
            return effect.isNone ? .none : effect.embedded(under: EffectPath(.site(site), by: step), action.embedding)
        }
    }

    /// Composes a reducer of some of the actions, on the whole state: a restricted surface.
    ///
    /// ```swift
    /// enum Action { case view(ViewAction), loaded(Profile) }    // A view may send ViewActions only.
    ///
    /// Scope(action: .view) { Reduce { (state: inout State, action: ViewAction) in … } }
    /// ```
    ///
    /// It is no child: the identities in its effects are those of the whole.
    ///
    /// - Parameters:
    ///   - action: The case of the actions.
    ///   - child: Their reducer, or several.
    @inlinable
    public init<ChildAction>(
        action: CasePath<Action, ChildAction>,
        @ReducerBuilder<State, ChildAction> child: () -> some Reducer<State, ChildAction>
    ) {
        let child = child().prepared()
        run = { state, parentAction in
            guard let childAction = action.extract(from: parentAction) else { return .none }
            let effect = child.reduce(into: &state, action: childAction)
            return effect.isNone ? .none : effect.mapped(action.embedding)
        }
    }

    /// Runs the child's reducer, if the action is the child's.
    @inlinable
    public func reduce(into state: inout State, action: Action) -> Effect<Action> { run(&state, action) }

    /// The same, with the child's body made once.
    @inlinable
    public func prepared() -> PreparedReducer<State, Action> { PreparedReducer(run) }
}
