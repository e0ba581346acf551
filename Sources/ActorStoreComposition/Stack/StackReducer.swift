import ActorStore

/// A reducer with a stack of children. It runs the child first, then the parent, and then removes children if the
/// action says so. A child's effects end with the child.
@usableFromInline
struct StackReducer<State: Sendable, Action: Sendable, Child: Sendable, ChildAction: Sendable>: Sendable {
    @usableFromInline let parent: PreparedReducer<State, Action>
    @usableFromInline let part: StatePart<State, StackState<Child>>
    @usableFromInline let path: CasePath<Action, StackAction<Child, ChildAction>>
    @usableFromInline let child: PreparedReducer<Child, ChildAction>
    /// Whether there are actions that remove a child.
    @usableFromInline let canDismiss: Bool
    @usableFromInline let options: ChildOptions

    @inlinable
    init(
        parent: PreparedReducer<State, Action>,
        part: StatePart<State, StackState<Child>>,
        path: CasePath<Action, StackAction<Child, ChildAction>>,
        child: PreparedReducer<Child, ChildAction>,
        canDismiss: Bool = true,
        options: ChildOptions
    ) {
        self.parent = parent
        self.part = part
        self.path = path
        self.child = child
        self.canDismiss = canDismiss
        self.options = options
    }

    @inlinable
    func reduce(into state: inout State, action: Action) -> Effect<Action> {
        var effect = Effect<Action>.none
        var popped: (id: StackElementID, stamp: StackStamp)?
        var missing: StackElementID?
        // If the stack is a computed property, the child's own reducer can cause its removal.
        let earlierVersion: StackVersion?? = part.stored == nil ? part.read(&state) { $0.entryVersion } : nil
        switch path.extract(from: action) {
        case .none:
            break
        case .element(let id, let childAction):
            if let childEffect = reduceChild(id, into: &state, action: childAction) {
                effect = childEffect
            } else {
                missing = id
            }
        case .push(let element):
            part.modify(&state) { _ = $0.push(element) }
        case .popFrom(let id):
            if let stamp = part.read(&state, { $0.stamp(of: id) }) { popped = (id, stamp) } else { missing = id }
        }
        if let missing { effect = options.report(action, .noElement(EffectID(missing))) }
        // Read after the child's reducer has run: an earlier copy would prevent it from changing the child in place.
        let version = earlierVersion ?? part.read(&state) { $0.entryVersion }
        effect = effect.merged(with: parent.reduce(into: &state, action: action))
        if let popped {
            // If the parent has replaced the child meanwhile, the new child stays.
            part.modify(&state) { if $0.stamp(of: popped.id) == popped.stamp { $0.pop(from: popped.id) } }
        }
        // Other code may have removed a missing child, in which case this reducer did not cancel its effects.
        let (departures, newVersion) = part.read(&state) { stack in
            (missing == nil ? stack.departedChildren(since: version) : .allExcept(stack.members), stack.entryVersion)
        }
        switch departures {
        case .none: return effect
        case .these(let children): return effect.merged(with: endAll(children))
        case .allExcept(let members): return effect.merged(with: endAll(except: members, newVersion))
        }
    }

    /// Returns nil if there is no such child.
    @inlinable
    func reduceChild(_ id: StackElementID, into state: inout State, action: ChildAction) -> Effect<Action>? {
        let result = part.modify(&state) { stack -> (effect: Effect<ChildAction>, stamp: StackStamp)? in
            guard let position = stack.position(of: id) else { return nil }
            let effect =
                canDismiss
                ? PresentationContext.inReducer {
                    child.reduce(into: &stack.entries[position].element, action: action)
                } : child.reduce(into: &stack.entries[position].element, action: action)
            return (effect, stack.entries[position].stamp)
        }
        guard let result else { return nil }
        return result.effect.isNone ? Effect<Action>.none : embed(result.effect, of: id, result.stamp)
    }

    /// Embeds a child's effect. It is keyed by the child's stamp, because a child of another copy of the stack, which
    /// may replace this stack, can have the same identity.
    @usableFromInline
    func embed(_ effect: Effect<ChildAction>, of id: StackElementID, _ stamp: StackStamp) -> Effect<Action> {
        let part = part
        let step = ChildStep(
            ChildStep.Kind(options.effects),
            isPresentation: canDismiss,
            find: ChildStep.finding { (state: inout State) in
                part.read(&state) { stack in stack.stamp(of: id) == stamp ? stack[id: id] : nil }
            },
            findAny: ChildStep.finding { (state: inout State) in part.read(&state) { $0[id: id] } }
        )
        let effectPath = EffectPath(part.step, .element(ExactIdentity(stamp)), by: step)
        let dismissal = canDismiss ? path.embed(.popFrom(id: id)) : nil
        return effect.embedded(under: effectPath, dismissal: dismissal) { [path] in
            path.embed(.element(id: id, action: $0))
        }
    }

    /// Returns an effect that ends the effects of some children.
    @usableFromInline
    func endAll(_ children: [StackStamp]) -> Effect<Action> {
        .merge(
            children.map { child in
                .endPresentation(below: EffectPath(part.step, .element(ExactIdentity(child))), options.effects)
            }
        )
    }

    /// Returns an effect that ends the effects of all children that are no longer in the stack.
    ///
    /// - Parameter version: A version that changes with the children; nil, a version of its own, for an empty stack.
    @inlinable
    func endAll(except members: StackState<Child>.Members, _ version: StackVersion?) -> Effect<Action> {
        let isPresent: @Sendable (ExactIdentity) -> Bool = { id in
            (id.value as? StackStamp).map(members.containsChild) ?? false
        }
        return .endPresentations(
            below: EffectPath(part.step),
            except: isPresent,
            version: ExactIdentity(version),
            options.effects
        )
    }
}
