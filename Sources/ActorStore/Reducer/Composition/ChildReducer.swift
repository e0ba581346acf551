extension Reducer {
    /// Composes a child whose state is an optional.
    ///
    /// ```swift
    /// Reduce { state, action in … }
    ///     .ifLet(\.details, action: .details) { Details() }
    /// ```
    ///
    /// The child sees its actions before this reducer does. When this reducer makes the state nil, or, if the state is
    /// `Identifiable`, puts a state with another identity in its place, then the effects of the child are cancelled,
    /// begun or not, and what they still send is dropped and counted in ``StoreStatistics/lateActions``.
    ///
    /// - Parameters:
    ///   - state: The key path of the child's state.
    ///   - action: The case of the child's actions.
    ///   - whenMissing: What becomes of an action for the child while the state is nil. This reducer gets it all the
    ///     same.
    ///   - effects: Whether the child's effects end with it.
    ///   - fileID: Where the reducer is composed; leave the default.
    ///   - line: Where the reducer is composed; leave the default.
    ///   - column: Where the reducer is composed; leave the default.
    ///   - child: The child's reducer, or several.
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

    /// Composes a child whose state is an optional with an identity; see the method for states without.
    ///
    /// A state with another identity is another child, also if the child's own reducer changes the identity: then the
    /// effects of the former child are cancelled, and what the reducer returns is that of the new one.
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

/// A reducer with a child that can be missing: the child first, then the parent; and the child's effects end with it.
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
            // What a child asks for that has become another one is that of the other one.
            if child != former { effect = .cancelAll(below: effectPath).merged(with: effect) }
        }
        effect = effect.merged(with: parent.reduce(into: &state, action: action))
        if slot.identity(in: &state) == child { return effect }
        return effect.merged(with: .cancelAll(below: effectPath))
    }

    /// - Returns: The effect, and which child there is then, if its effects end with it.
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

/// What is chosen about a child, or about elements, when they are composed.
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

    /// What becomes of an action for a child that is not there. If a child was taken away behind the back of the
    /// reducer that it is composed with, its effects were not cancelled; they are now.
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

/// What becomes of an action for a child that is not there.
public enum MissingChildPolicy: Sendable {
    /// It is reported to ``Store/errors`` as a ``MissingChild``.
    case report
    /// It is left to the parent, without a word.
    case ignore
}

/// An action came for a child that was not there; its parent has got it all the same.
///
/// That is often a late one: of an effect that was ``Effect/detached()``, or from outside. If it is to be expected,
/// compose the child with ``MissingChildPolicy/ignore``.
public struct MissingChild: Error, CustomStringConvertible {
    /// Why the child was not there.
    public enum Reason: Sendable, Equatable {
        /// The state was nil.
        case isNil
        /// The state was of another case.
        case isOtherCase
        /// There was no element with this identity.
        case noElement(EffectID)

        fileprivate var text: String {
            switch self {
            case .isNil: "the state was nil"
            case .isOtherCase: "the state was of another case"
            case .noElement(let id): "there was no element with the identity \(id)"
            }
        }
    }

    /// The action, as the parent got it.
    public let action: any Sendable
    /// Why the child was not there.
    public let reason: Reason

    /// Says which action came, without what is ``Redactable`` in it, and why the child was not there.
    public var description: String {
        """
        The action \(ValueDescription(of: action)) came for a child that was not there: \(reason.text). It should not have been \
        sent, or the child is to be composed with whenMissing: .ignore.
        """
    }
}

extension MissingChildPolicy {
    /// What a composed reducer returns for an action whose child is missing.
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
