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
/// In a body, a child that stands before its parent sees an action first; the parent sees the state as the child left it.
/// The child's effects are its own: the identities in them are known to it alone, or to all that are composed on the
/// same part of the state.
public struct Scope<State: Sendable, Action: Sendable, Child: Reducer>: Reducer {
    @usableFromInline let part: Part
    @usableFromInline let path: CasePath<Action, Child.Action>
    @usableFromInline let child: Child

    /// What the child gets of the state.
    @usableFromInline
    enum Part: Sendable {
        case property(StatePart<State, Child.State>)
        case enumCase(CasePath<State, Child.State>, MissingChildPolicy, CompositionSite)
        /// All of it; then the child is none, but the same feature under other actions.
        case whole(StatePart<State, Child.State>)
    }

    /// Composes a child whose state is a property.
    ///
    /// - Parameters:
    ///   - state: The key path of the child's state.
    ///   - action: The case of the child's actions.
    ///   - child: The child's reducer, or several.
    @inlinable
    public init<ChildState, ChildAction>(
        state: WritableKeyPath<State, ChildState> & Sendable,
        action: CasePath<Action, ChildAction>,
        @ReducerBuilder<ChildState, ChildAction> child: () -> Child
    ) where ChildState == Child.State, ChildAction == Child.Action {
        part = .property(StatePart(state))
        path = action
        self.child = child()
    }

    /// Composes a child whose state is a case of an enum.
    ///
    /// The effects of the child are not cancelled when the state becomes another case; `ifCaseLet` sees to that.
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
        @ReducerBuilder<ChildState, ChildAction> child: () -> Child
    ) where ChildState == Child.State, ChildAction == Child.Action {
        part = .enumCase(state, whenMissing, CompositionSite(fileID: fileID, line: line, column: column))
        path = action
        self.child = child()
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
        @ReducerBuilder<State, ChildAction> child: () -> Child
    ) where State == Child.State, ChildAction == Child.Action {
        part = .whole(StatePart(\.self))
        path = action
        self.child = child()
    }

    /// Runs the child's reducer, if the action is the child's.
    @inlinable
    public func reduce(into state: inout State, action: Action) -> Effect<Action> {
        guard let childAction = path.extract(from: action) else { return .none }
        switch part {
        case .property(let part):
            let effect = part.modify(&state) { child.reduce(into: &$0, action: childAction) }
            return effect.isNone ? .none : effect.embedded(under: EffectPath(part.step), path.embedding)
        case .enumCase(let statePath, let whenMissing, let site):
            let effect = statePath.modify(&state) { child.reduce(into: &$0, action: childAction) }
            guard let effect else { return whenMissing.effect(of: action, .isOtherCase, at: site) }
            return effect.isNone ? .none : effect.embedded(under: EffectPath(.site(site)), path.embedding)
        case .whole(let part):
            let effect = part.modify(&state) { child.reduce(into: &$0, action: childAction) }
            return effect.isNone ? .none : effect.map(path.embedding)
        }
    }
}
