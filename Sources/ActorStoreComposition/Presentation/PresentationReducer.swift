import ActorStore

/// A reducer with a presented child. It runs the child first, then the parent, and then ends the presentation if the
/// action says so. The child's effects end with the child.
@usableFromInline
struct PresentationReducer<
    State: Sendable,
    Action: Sendable,
    Child: Sendable,
    ChildAction: Sendable,
    Identity: PresentedIdentity<Child>
>: Sendable {
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
        var effect = Effect<Action>.none
        var endsPresentation = false
        var child = current(in: &state)
        switch path.extract(from: action) {
        case .none: break
        case .some where child == nil:
            // Other code may have removed the child, in which case this reducer did not end its effects.
            effect = options.report(action, .isNil)
                .merged(with: .endPresentation(below: effectPath, options.effects))
        case .dismiss: endsPresentation = true
        case .presented(let childAction):
            endsPresentation = lifetime == .oneAction
            effect = reduceChild(into: &state, action: childAction)
            let former = child
            child = current(in: &state)
            // If the child has become another one, its effects belong to the new child.
            if child != former { effect = .endPresentation(below: effectPath, options.effects).merged(with: effect) }
        }
        effect = effect.merged(with: parent.reduce(into: &state, action: action))
        // If the parent has presented another child meanwhile, that child stays.
        if endsPresentation, current(in: &state) == child { part.modify(&state) { $0.wrappedValue = nil } }
        guard let child, current(in: &state) != child else { return effect }
        return effect.merged(with: .endPresentation(below: effectPath, options.effects))
    }

    /// Returns the current presentation and the identity of its child, or nil if no child is presented.
    @inlinable
    func current(in state: inout State) -> PresentedChild<Identity.Value>? {
        part.read(&state) { Self.current(of: $0) }
    }

    @inlinable
    static func current(of presented: Presented<Child>) -> PresentedChild<Identity.Value>? {
        guard let child = presented.child else { return nil }
        return PresentedChild(presentation: presented.presentation, identity: Identity.identity(of: child))
    }

    @inlinable
    func reduceChild(into state: inout State, action: ChildAction) -> Effect<Action> {
        part.modify(&state) { reduceChild(of: &$0, action: action) }
    }

    @inlinable
    func reduceChild(of presented: inout Presented<Child>, action: ChildAction) -> Effect<Action> {
        let effect = modifyWrapped(&presented.child) { child in
            PresentationContext.inReducer { self.child.reduce(into: &child, action: action) }
        }
        guard let effect, !effect.isNone, let child = Self.current(of: presented) else { return .none }
        return embed(effect, of: child)
    }

    @usableFromInline
    func embed(_ effect: Effect<ChildAction>, of child: PresentedChild<Identity.Value>) -> Effect<Action> {
        let (part, child) = (part, ComparedIdentity(value: child))
        let step = ChildStep(
            ChildStep.Kind(options.effects),
            isPresentation: true,
            find: ChildStep.finding { (state: inout State) in
                part.read(&state) { Self.current(of: $0) == child.value ? $0.child : nil }
            },
            findAny: ChildStep.finding { (state: inout State) in part.read(&state) { $0.child } }
        )
        return effect.embedded(under: effectPath.found(by: step), dismissal: path.embed(.dismiss)) { [path] in
            path.embed(.presented($0))
        }
    }

    @usableFromInline var effectPath: EffectPath { EffectPath(part.step) }
}

/// Identifies a presented child: by the presentation, and by the child's own identity, if it has one, because that can
/// change without a new presentation.
@usableFromInline
struct PresentedChild<Identity: Equatable>: Equatable {
    @usableFromInline let presentation: Presentation
    @usableFromInline let identity: Identity

    @inlinable
    init(presentation: Presentation, identity: Identity) {
        self.presentation = presentation
        self.identity = identity
    }
}

/// Determines the identity of a child, chosen at compile time.
@usableFromInline
protocol PresentedIdentity<Child>: SendableMetatype {
    associatedtype Child
    associatedtype Value: Equatable

    static func identity(of child: Child) -> Value
}

/// The identity of a child that is not `Identifiable`.
@usableFromInline
enum NoIdentity<Child: Sendable>: PresentedIdentity {
    @inlinable
    static func identity(of child: Child) -> Presence { Presence() }
}

/// The identity of an `Identifiable` child.
@usableFromInline
enum OwnIdentity<Child: Identifiable & Sendable>: PresentedIdentity {
    @inlinable
    static func identity(of child: Child) -> Child.ID { child.id }
}
