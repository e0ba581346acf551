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
