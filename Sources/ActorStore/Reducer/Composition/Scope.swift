/// A reducer that runs a child reducer on a part of the state, for the child's actions.
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
/// Reducers in a body run in order: a child that is listed before its parent receives an action first, and the parent
/// receives the state as the child left it. The child's effects have their own identities, which are shared only with
/// other reducers that are composed on the same part of the state.
public struct Scope<State: Sendable, Action: Sendable>: Reducer {
    @usableFromInline let run: @Sendable (inout State, Action) -> Effect<Action>

    /// Composes a child whose state is a property.
    ///
    /// The store also evaluates the key path in later states, even when this reducer does not run: when an effect of a
    /// child below this one has sent an action, to check whether that child is still there. So do not use a key path
    /// that traps in some states, such as `\.session!` or `\.items[3]`. Compose an optional with `ifLet`, and elements
    /// with `forEach`.
    ///
    /// - Parameters:
    ///   - state: The key path of the child's state.
    ///   - action: The case of the child's actions.
    ///   - child: A builder that returns the child's reducers.
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
    /// The effects of the child are not cancelled when the state switches to another case; use `ifCaseLet` for that.
    ///
    /// The child is identified by the source location of its composition. Children that are composed at the same
    /// location share their identities: in a loop, or in a function or reducer type of yours that a store uses more
    /// than once. Such a function, or the initializer of such a type, must take `fileID`, `line` and `column`, with the
    /// same defaults, and pass them on; in a loop, pass a different `column` for each child.
    ///
    /// - Parameters:
    ///   - state: The case of the child's state.
    ///   - action: The case of the child's actions.
    ///   - whenMissing: What happens to an action for the child while the state is another case.
    ///   - fileID: The file of the composition, which identifies the child.
    ///   - line: The line of the composition, which identifies the child.
    ///   - column: The column of the composition, which identifies the child.
    ///   - child: A builder that returns the child's reducers.
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

    /// Composes a reducer for some of the actions, on the whole state. Use it to restrict the actions that a part of
    /// the program can send.
    ///
    /// ```swift
    /// enum Action { case view(ViewAction), loaded(Profile) }    // A view may send ViewActions only.
    ///
    /// Scope(action: .view) { Reduce { (state: inout State, action: ViewAction) in … } }
    /// ```
    ///
    /// This does not create a child: effects share the identities of the whole reducer.
    ///
    /// - Parameters:
    ///   - action: The case of the actions.
    ///   - child: A builder that returns the reducers for these actions.
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

    /// Runs the child's reducer if the action is one of the child.
    ///
    /// - Parameters:
    ///   - state: The state to change.
    ///   - action: The action to handle.
    /// - Returns: The child's effects, or an empty effect.
    @inlinable
    public func reduce(into state: inout State, action: Action) -> Effect<Action> { run(&state, action) }

    /// Returns this reducer with the child's body evaluated once.
    ///
    /// - Returns: The prepared reducer.
    @inlinable
    public func prepared() -> PreparedReducer<State, Action> { PreparedReducer(run) }
}
