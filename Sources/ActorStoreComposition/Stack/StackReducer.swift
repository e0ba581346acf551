import ActorStore

/// A reducer with a stack of children: the child first, then the parent, then what the action takes from the stack; and
/// a child's effects end with it.
@usableFromInline
struct StackReducer<State: Sendable, Action: Sendable, Child: Sendable, ChildAction: Sendable>: Sendable {
    @usableFromInline let parent: PreparedReducer<State, Action>
    @usableFromInline let part: StatePart<State, StackState<Child>>
    @usableFromInline let path: CasePath<Action, StackAction<Child, ChildAction>>
    @usableFromInline let child: PreparedReducer<Child, ChildAction>
    /// Whether there are actions that take a child away.
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
        // From a stack that is computed a child can go by what its own reducer makes of it.
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
        // After the child's reducer, which therefore changes it in place.
        let version = earlierVersion ?? part.read(&state) { $0.entryVersion }
        effect = effect.merged(with: parent.reduce(into: &state, action: action))
        if let popped {
            // The parent may have put another child in its place meanwhile, which stays.
            part.modify(&state) { if $0.stamp(of: popped.id) == popped.stamp { $0.pop(from: popped.id) } }
        }
        // A child that is missing was perhaps taken away behind the back of this reducer, which then did not cancel its
        // effects.
        let (departures, newVersion) = part.read(&state) { stack in
            (missing == nil ? stack.departedChildren(since: version) : .allExcept(stack.members), stack.entryVersion)
        }
        switch departures {
        case .none: return effect
        case .these(let children): return effect.merged(with: endAll(children))
        case .allExcept(let members): return effect.merged(with: endAll(except: members, newVersion))
        }
    }

    /// nil if there is no such child.
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

    /// The effects of a child are found by its stamp, because a child of another copy of the stack, which may take this
    /// one's place, can have the same identity.
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

    /// Ends what the effects of some children can do.
    @usableFromInline
    func endAll(_ children: [StackStamp]) -> Effect<Action> {
        .merge(
            children.map { child in
                .endPresentation(below: EffectPath(part.step, .element(ExactIdentity(child))), options.effects)
            }
        )
    }

    /// Ends what the effects of all children can do that are not there.
    ///
    /// - Parameter version: What changes with the children; nil, which is a version as well, if there are none.
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
