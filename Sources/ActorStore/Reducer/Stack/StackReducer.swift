/// A reducer with a stack of children: the child first, then the parent, then what the action takes from the stack; and a
/// child's effects end with it.
@usableFromInline
struct StackReducer<State: Sendable, Action: Sendable, Child: Sendable, ChildAction: Sendable>: Sendable {
    @usableFromInline let parent: PreparedReducer<State, Action>
    @usableFromInline let part: StatePart<State, StackState<Child>>
    @usableFromInline let path: CasePath<Action, StackAction<Child, ChildAction>>
    @usableFromInline let child: PreparedReducer<Child, ChildAction>
    @usableFromInline let options: ChildOptions

    @inlinable
    init(
        parent: PreparedReducer<State, Action>,
        part: StatePart<State, StackState<Child>>,
        path: CasePath<Action, StackAction<Child, ChildAction>>,
        child: PreparedReducer<Child, ChildAction>,
        options: ChildOptions
    ) {
        self.parent = parent
        self.part = part
        self.path = path
        self.child = child
        self.options = options
    }

    @inlinable
    func reduce(into state: inout State, action: Action) -> Effect<Action> {
        var effect = Effect<Action>.none
        var popped: StackElementID?
        switch path.extract(from: action) {
        case .none:
            break
        case .element(let id, let childAction):
            effect = reduceChild(id, into: &state, action: childAction) ?? missing(action, id)
        case .push(let element):
            part.modify(&state) { _ = $0.push(element) }
        case .popFrom(let id):
            let isThere = part.modify(&state) { $0.position(of: id) != nil }
            if isThere { popped = id } else { effect = missing(action, id) }
        }
        // After the child's reducer, which therefore changes it in place.
        let roster = part.modify(&state) { $0.entryRoster }
        effect = effect.merged(with: parent.reduce(into: &state, action: action))
        if let popped { part.modify(&state) { _ = $0.pop(from: popped) } }
        guard options.effects == .endWithChild else { return effect }
        switch part.modify(&state, { $0.departures(since: roster) }) {
        case .none: return effect
        case let departures: return effect.merged(with: .cancelElements(below: part.step, departures))
        }
    }

    /// nil if there is no such child.
    @inlinable
    func reduceChild(_ id: StackElementID, into state: inout State, action: ChildAction) -> Effect<Action>? {
        let effect = part.modify(&state) { stack in
            stack.modifyEntry(id) { child in
                PresentationContext.inReducer { self.child.reduce(into: &child, action: action) }
            }
        }
        guard let effect else { return nil }
        return effect.isNone ? Effect<Action>.none : embed(effect, of: id)
    }

    @usableFromInline
    func embed(_ effect: Effect<ChildAction>, of id: StackElementID) -> Effect<Action> {
        effect.embedded(under: effectPath(of: id), dismissal: path.embed(.popFrom(id: id))) { [path] in
            path.embed(.element(id: id, action: $0))
        }
    }

    @usableFromInline
    func missing(_ action: Action, _ id: StackElementID) -> Effect<Action> {
        options.missing(action, .noElement(EffectID(id)), effectPath(of: id))
    }

    private func effectPath(of id: StackElementID) -> EffectPath { EffectPath(part.step, .element(EffectID(id))) }
}
