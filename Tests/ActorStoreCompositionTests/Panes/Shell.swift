import ActorStore

/// The surroundings of a workspace, which change it without the reducers that its panes are composed with.
struct Shell: Reducer {
    struct State: Equatable, Sendable { var workspace = Workspace.State() }

    enum Action: Equatable, Sendable {
        case workspace(Workspace.Action)
        case around([PaneEdit])
        indirect case several([Action])
        /// Before its reduction, effects do something.
        indirect case during([PaneStage.Instruction], Action)
    }

    let stage: PaneStage
    /// Called after each action.
    let reduced: @Sendable (Action, Workspace.State) -> Void
    private let inner: PreparedReducer<State, Action>

    init(stage: PaneStage, reduced: @escaping @Sendable (Action, Workspace.State) -> Void) {
        self.stage = stage
        self.reduced = reduced
        let path = CasePath<Action, Workspace.Action>(embed: Action.workspace) {
            if case .workspace(let action) = $0 { action } else { nil }
        }
        inner =
            Combine {
                Scope(state: \.workspace, action: path) { Workspace(stage: stage) }
                Reduce<State, Action> { state, action in
                    if case .around(let edits) = action {
                        for edit in edits { edit.apply(to: &state.workspace, stage) }
                    }
                }
            }
            .prepared()
    }

    func reduce(into state: inout State, action: Action) -> Effect<Action> {
        switch action {
        case .several(let actions):
            reduced(action, state.workspace)
            return .merge(actions.map { .send($0) })
        case .during(let instructions, let action):
            for instruction in instructions { stage.call(instruction.call, of: instruction.number) }
            return reduce(into: &state, action: action)
        default:
            let effect = inner.reduce(into: &state, action: action)
            reduced(action, state.workspace)
            return effect
        }
    }
}

extension PaneStage {
    struct Instruction: Equatable, Sendable {
        let number: Int
        let call: PaneCall
    }
}
