/// A reducer with a child that it presents: the child first, then the parent, then the end of the presentation, if that is
/// what the action says; and the child's effects end with it.
@usableFromInline
struct PresentationReducer<State: Sendable, Action: Sendable, Child: Sendable, ChildAction: Sendable>: Sendable {
    @usableFromInline let parent: PreparedReducer<State, Action>
    @usableFromInline let part: StatePart<State, Presented<Child>>
    @usableFromInline let path: CasePath<Action, PresentationAction<ChildAction>>
    @usableFromInline let child: PreparedReducer<Child, ChildAction>
    @usableFromInline let lifetime: PresentationLifetime
    @usableFromInline let options: ChildOptions

    @inlinable
    init(
        parent: PreparedReducer<State, Action>,
        part: StatePart<State, Presented<Child>>,
        path: CasePath<Action, PresentationAction<ChildAction>>,
        child: PreparedReducer<Child, ChildAction>,
        lifetime: PresentationLifetime,
        options: ChildOptions
    ) {
        self.parent = parent
        self.part = part
        self.path = path
        self.child = child
        self.lifetime = lifetime
        self.options = options
    }

    @inlinable
    func reduce(into state: inout State, action: Action) -> Effect<Action> {
        let before = current(in: &state)
        var effect = Effect<Action>.none
        var endsPresentation = false
        switch path.extract(from: action) {
        case .none: break
        case .some where before == nil: effect = options.missing(action, .isNil, effectPath)
        case .dismiss: endsPresentation = true
        case .presented(let childAction):
            endsPresentation = lifetime == .oneAction
            effect = reduceChild(into: &state, action: childAction)
        }
        effect = effect.merged(with: parent.reduce(into: &state, action: action))
        // The parent may have presented another child meanwhile, which stays.
        if endsPresentation, current(in: &state) == before { part.modify(&state) { $0.wrappedValue = nil } }
        guard let before, options.effects == .endWithChild, current(in: &state) != before else { return effect }
        return effect.merged(with: .cancelAll(below: effectPath))
    }

    /// Which presentation there is; nil if there is none.
    @inlinable
    func current(in state: inout State) -> Presentation? {
        part.modify(&state) { $0.child == nil ? nil : $0.presentation }
    }

    @inlinable
    func reduceChild(into state: inout State, action: ChildAction) -> Effect<Action> {
        let effect = part.modify(&state) { presented in
            modifyWrapped(&presented.child) { child in
                PresentationContext.inReducer { self.child.reduce(into: &child, action: action) }
            }
        }
        guard let effect, !effect.isNone else { return .none }
        return effect.embedded(under: effectPath, dismissal: path.embed(.dismiss)) { [path] in
            path.embed(.presented($0))
        }
    }

    @usableFromInline var effectPath: EffectPath { EffectPath(part.step) }
}
