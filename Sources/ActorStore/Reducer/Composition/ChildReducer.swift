extension Reducer {
    /// Composes a child whose state is an optional.
    ///
    /// ```swift
    /// Reduce { state, action in … }
    ///     .ifLet(\.details, action: .details) { Details() }
    /// ```
    ///
    /// The child receives its actions before this reducer does. When this reducer sets the state to nil, the effects of
    /// the child are cancelled, pending or running, and actions that they still send are dropped and counted in
    /// ``StoreStatistics/lateActions``. If the state is `Identifiable`, this also happens when the state gets another
    /// identity.
    ///
    /// - Parameters:
    ///   - state: The key path of the child's state.
    ///   - action: The case of the child's actions.
    ///   - whenMissing: What happens to an action for the child while the state is nil. This reducer receives the
    ///     action in any case.
    ///   - effects: Whether the child's effects end with it.
    ///   - fileID: The file of the composition, for diagnostics.
    ///   - line: The line of the composition, for diagnostics.
    ///   - column: The column of the composition, for diagnostics.
    ///   - child: A builder that returns the child's reducers.
    /// - Returns: The composed reducer.
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

    /// Composes a child whose state is an optional with an identity.
    ///
    /// The child receives its actions before this reducer does. When this reducer sets the state to nil, the effects of
    /// the child are cancelled, pending or running, and actions that they still send are dropped and counted in
    /// ``StoreStatistics/lateActions``.
    ///
    /// A state with another identity is another child. If the identity changes, even by the child's own reducer, the
    /// effects of the former child are cancelled, and the effects that the reducer returns belong to the new child.
    ///
    /// - Parameters:
    ///   - state: The key path of the child's state.
    ///   - action: The case of the child's actions.
    ///   - whenMissing: What happens to an action for the child while the state is nil. This reducer receives the
    ///     action in any case.
    ///   - effects: Whether the child's effects end with it.
    ///   - fileID: The file of the composition, for diagnostics.
    ///   - line: The line of the composition, for diagnostics.
    ///   - column: The column of the composition, for diagnostics.
    ///   - child: A builder that returns the child's reducers.
    /// - Returns: The composed reducer.
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

extension Reducer {
    /// Composes a child whose state is a case of this reducer's state, which is an enum.
    ///
    /// ```swift
    /// Reduce { state, action in … }
    ///     .ifCaseLet(.signedIn, action: .signedIn) { Session() }
    ///     .ifCaseLet(.signedOut, action: .signedOut) { Welcome() }
    /// ```
    ///
    /// The child receives its actions before this reducer does. When this reducer switches the state to another case,
    /// the effects of the child are cancelled, pending or running, and actions that they still send are dropped and
    /// counted in ``StoreStatistics/lateActions``. If the child's state is `Identifiable`, this also happens when it
    /// gets another identity.
    ///
    /// Both directions of the case path are used for each action, so create it with both closures; see
    /// ``CasePath/init(embed:extract:)``.
    ///
    /// The child is identified by the source location of its composition. Children that are composed at the same
    /// location share their identities, and end together: in a loop, or in a function or reducer type of yours that a
    /// store uses more than once. Such a function, or the initializer of such a type, must take `fileID`, `line` and
    /// `column`, with the same defaults, and pass them on; in a loop, pass a different `column` for each child.
    ///
    /// - Parameters:
    ///   - state: The case of the child's state.
    ///   - action: The case of the child's actions.
    ///   - whenMissing: What happens to an action for the child while the state is another case. This reducer receives
    ///     the action in any case.
    ///   - effects: Whether the child's effects end with it.
    ///   - fileID: The file of the composition, which identifies the child.
    ///   - line: The line of the composition, which identifies the child.
    ///   - column: The column of the composition, which identifies the child.
    ///   - child: A builder that returns the child's reducers.
    /// - Returns: The composed reducer.
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

    /// Composes a child whose state is a case of this reducer's state, which is an enum, and has an identity.
    ///
    /// The child receives its actions before this reducer does. When this reducer switches the state to another case,
    /// the effects of the child are cancelled, pending or running, and actions that they still send are dropped and
    /// counted in ``StoreStatistics/lateActions``.
    ///
    /// A state with another identity is another child. If the identity changes, even by the child's own reducer, the
    /// effects of the former child are cancelled, and the effects that the reducer returns belong to the new child.
    ///
    /// The child is identified by the source location of its composition. Children that are composed at the same
    /// location share their identities, and end together. A function, or the initializer of a reducer type, that
    /// composes children and is used more than once in a store must take `fileID`, `line` and `column`, with the same
    /// defaults, and pass them on; in a loop, pass a different `column` for each child.
    ///
    /// - Parameters:
    ///   - state: The case of the child's state.
    ///   - action: The case of the child's actions.
    ///   - whenMissing: What happens to an action for the child while the state is another case. This reducer receives
    ///     the action in any case.
    ///   - effects: Whether the child's effects end with it.
    ///   - fileID: The file of the composition, which identifies the child.
    ///   - line: The line of the composition, which identifies the child.
    ///   - column: The column of the composition, which identifies the child.
    ///   - child: A builder that returns the child's reducers.
    /// - Returns: The composed reducer.
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

/// A reducer with a child that can be missing. The child's reducer runs first, then the parent's. The child's effects
/// end with it.
@usableFromInline
struct ChildReducer<Slot: ChildSlot, Action: Sendable, ChildAction: Sendable>: Sendable
where Slot.State: Sendable, Slot.Child: Sendable {
    @usableFromInline let parent: PreparedReducer<Slot.State, Action>
    @usableFromInline let slot: Slot
    @usableFromInline let path: CasePath<Action, ChildAction>
    @usableFromInline let child: PreparedReducer<Slot.Child, ChildAction>
    @usableFromInline let options: ChildOptions

    @inlinable
    init(
        parent: PreparedReducer<Slot.State, Action>,
        slot: Slot,
        path: CasePath<Action, ChildAction>,
        child: PreparedReducer<Slot.Child, ChildAction>,
        options: ChildOptions
    ) {
        self.parent = parent
        self.slot = slot
        self.path = path
        self.child = child
        self.options = options
    }

    @inlinable
    func reduce(into state: inout Slot.State, action: Action) -> Effect<Action> {
        let childAction = path.extract(from: action)
        guard options.effects == .endWithChild, let former = slot.identity(in: &state) else {
            let childEffect = childAction.map { reduceChild(into: &state, $0, of: action).effect } ?? .none
            return childEffect.merged(with: parent.reduce(into: &state, action: action))
        }
        var effect = Effect<Action>.none
        var child = Optional(former)
        if let childAction {
            (effect, child) = reduceChild(into: &state, childAction, of: action)
            // If the child's identity has changed, the effects belong to the new child.
            if child != former { effect = .cancelAll(below: effectPath).merged(with: effect) }
        }
        effect = effect.merged(with: parent.reduce(into: &state, action: action))
        if slot.identity(in: &state) == child { return effect }
        return effect.merged(with: .cancelAll(below: effectPath))
    }

    /// - Returns: The effect, and the identity of the child afterwards if its effects end with it.
    @inlinable
    func reduceChild(
        into state: inout Slot.State,
        _ childAction: ChildAction,
        of action: Action
    ) -> (effect: Effect<Action>, child: Slot.Identity?) {
        let effect = slot.modify(&state) { child.reduce(into: &$0, action: childAction) }
        let identity = options.effects == .endWithChild ? slot.identity(in: &state) : nil
        guard let effect else { return (options.missing(action, slot.absence, effectPath), identity) }
        return (effect.isNone ? .none : embed(effect, of: identity), identity)
    }

    @usableFromInline
    func embed(_ effect: Effect<ChildAction>, of identity: Slot.Identity?) -> Effect<Action> {
        let step = ChildStep.child(in: slot, identity.map { ComparedIdentity(value: $0) })
        return effect.embedded(under: effectPath.found(by: step), path.embedding)
    }

    @usableFromInline var effectPath: EffectPath { EffectPath(slot.step ?? .site(options.site)) }
}

/// The options for the composition of a child or of elements.
@usableFromInline
package struct ChildOptions: Sendable {
    @usableFromInline let whenMissing: MissingChildPolicy
    @usableFromInline package let effects: ChildEffects
    @usableFromInline let site: CompositionSite

    @inlinable
    package init(
        _ whenMissing: MissingChildPolicy,
        _ effects: ChildEffects,
        _ fileID: String,
        _ line: UInt,
        _ column: UInt
    ) {
        self.whenMissing = whenMissing
        self.effects = effects
        site = CompositionSite(fileID: fileID, line: line, column: column)
    }

    /// Returns the effect for an action whose child is missing. If other code than the composing reducer removed the
    /// child, its effects were not cancelled then; they are cancelled now.
    @usableFromInline
    func missing<Action: Sendable>(
        _ action: Action,
        _ reason: MissingChild.Reason,
        _ path: EffectPath
    ) -> Effect<Action> {
        let report = report(action, reason)
        return effects == .endWithChild ? report.merged(with: .cancelAll(below: path)) : report
    }

    @usableFromInline
    package func report<Action: Sendable>(_ action: Action, _ reason: MissingChild.Reason) -> Effect<Action> {
        whenMissing.effect(of: action, reason, at: site)
    }
}

/// What happens to an action for a child that is missing.
public enum MissingChildPolicy: Sendable {
    /// The action is published by ``Store/errors`` as a ``MissingChild``.
    case report
    /// Only the parent handles the action, and nothing is reported.
    case ignore
}

/// An error that reports an action for a child that was missing. The child's parent has handled the action.
///
/// Often the action comes late, from an effect that was ``Effect/detached()`` or from outside. If you expect such
/// actions, compose the child with ``MissingChildPolicy/ignore``.
public struct MissingChild: Error, CustomStringConvertible {
    /// The reasons why a child can be missing.
    public enum Reason: Sendable, Equatable {
        /// The state was nil.
        case isNil
        /// The state was another case.
        case isOtherCase
        /// There was no element with this identity.
        case noElement(EffectID)

        fileprivate var text: String {
            switch self {
            case .isNil: "the state was nil"
            case .isOtherCase: "the state was another case"
            case .noElement(let id): "there was no element with the identity \(id)"
            }
        }
    }

    /// The action, as the parent received it.
    public let action: any Sendable
    /// The reason why the child was missing.
    public let reason: Reason

    /// A description of the action, without its ``Redactable`` parts, and of the reason.
    public var description: String {
        """
        The action \(ValueDescription(of: action)) was sent to a child that was missing: \(reason.text). Do not \
        send it, or compose the child with whenMissing: .ignore.
        """
    }
}

extension MissingChildPolicy {
    /// Returns the effect of a composed reducer for an action whose child is missing.
    @usableFromInline
    func effect<Action: Sendable>(
        of action: Action,
        _ reason: MissingChild.Reason,
        at site: CompositionSite
    ) -> Effect<Action> {
        switch self {
        case .ignore: return .none
        case .report:
            let error = MissingChild(action: action, reason: reason)
            return .report(StoreFailure(error: error, origin: .reducer(at: site.source)))
        }
    }
}
