import ActorStore
import ActorStoreComposition
import TreeCollections

/// A parent with panes of all kinds.
struct Workspace: Reducer {
    struct State: Equatable, Sendable {
        var stack = StackState<Pane.State>()
        @Presented var sheet: Pane.State?
        var popup = Presented<NumberedPane.State>(wrappedValue: nil)
        @Presented var alert: Pane.State?
        var memo = Presented<Pane.State>(wrappedValue: nil)
        var page: Pane.State?
        var tenant: NumberedPane.State?
        var tree: TreeDictionary<Int, Pane.State> = [:]
        var keyed: KeyedArray<NumberedPane.State> = []
        var dictionary: [Int: Pane.State] = [:]
        var array: [NumberedPane.State] = []
        var mode = Mode.none
    }

    enum Mode: Equatable, Sendable {
        case none
        case plain(Pane.State)
        case numbered(NumberedPane.State)
    }

    enum Content: Equatable, Sendable {
        case nothing
        case stack(StackAction<Pane.State, Pane.Action>)
        case sheet(PresentationAction<Pane.Action>)
        case popup(PresentationAction<Pane.Action>)
        case alert(PresentationAction<Pane.Action>)
        case memo(PresentationAction<Pane.Action>)
        case page(Pane.Action)
        case tenant(Pane.Action)
        case tree(id: Int, Pane.Action)
        case keyed(id: Int, Pane.Action)
        case dictionary(id: Int, Pane.Action)
        case array(id: Int, Pane.Action)
        case mode(isNumbered: Bool, Pane.Action)
    }

    /// An action of a child, and the parent's changes when it sees the action.
    struct Action: Equatable, Sendable {
        var content = Content.nothing
        var edits: [PaneEdit] = []
    }

    let stage: PaneStage

    var body: some Reducer<State, Action> {
        tables
            .ifPresented(
                \.$sheet,
                action: .of {
                    .sheet($0)
                } _: {
                    if case .sheet(let action) = $0 { action } else { nil }
                }
            ) {
                Pane(stage: stage)
            }
            .ifPresented(
                \.popup,
                action: .of {
                    .popup($0)
                } _: {
                    if case .popup(let action) = $0 { action } else { nil }
                }
            ) {
                NumberedPane(stage: stage)
            }
            .ifPresented(
                \.$alert,
                action: .of {
                    .alert($0)
                } _: {
                    if case .alert(let action) = $0 { action } else { nil }
                },
                lifetime: .oneAction
            ) { Pane(stage: stage) }
            .ifPresented(
                \.memo,
                action: .of {
                    .memo($0)
                } _: {
                    if case .memo(let action) = $0 { action } else { nil }
                },
                effects: .outliveChild
            ) { Pane(stage: stage) }
            .ifLet(
                \.page,
                action: .of {
                    .page($0)
                } _: {
                    if case .page(let action) = $0 { action } else { nil }
                }
            ) {
                Pane(stage: stage)
            }
            .ifLet(
                \.tenant,
                action: .of {
                    .tenant($0)
                } _: {
                    if case .tenant(let action) = $0 { action } else { nil }
                },
                whenMissing: .ignore
            ) { NumberedPane(stage: stage) }
    }

    private var tables: PreparedReducer<State, Action> {
        Combine {
            Reduce<State, Action> { state, action in
                for edit in action.edits where edit.slot != .mode { edit.apply(to: &state, stage) }
            }
            .forEach(
                \.stack,
                action: .of {
                    .stack($0)
                } _: {
                    if case .stack(let action) = $0 { action } else { nil }
                }
            ) {
                Pane(stage: stage)
            }
            .forEach(
                \.tree,
                action: .of {
                    .tree(id: $0.id, $0.action)
                } _: {
                    if case .tree(let id, let action) = $0 { (id, action) } else { nil }
                }
            ) { Pane(stage: stage) }
            .forEach(
                \.keyed,
                action: .of {
                    .keyed(id: $0.id, $0.action)
                } _: {
                    if case .keyed(let id, let action) = $0 { (id, action) } else { nil }
                }
            ) { NumberedPane(stage: stage) }
            .forEach(
                \.dictionary,
                action: .of {
                    .dictionary(id: $0.id, $0.action)
                } _: {
                    if case .dictionary(let id, let action) = $0 { (id, action) } else { nil }
                }
            ) { Pane(stage: stage) }
            .forEach(
                \.array,
                action: .of {
                    .array(id: $0.id, $0.action)
                } _: {
                    if case .array(let id, let action) = $0 { (id, action) } else { nil }
                }
            ) { NumberedPane(stage: stage) }
            Scope(state: \.mode, action: CasePath(embed: { $0 }, extract: { $0 })) { modes }
        }
        .prepared()
    }

    /// Sees all actions, so that it makes its edits where its panes are composed.
    private var modes: PreparedReducer<Mode, Action> {
        Reduce<Mode, Action> { mode, action in
            for edit in action.edits where edit.slot == .mode { edit.apply(to: &mode, stage) }
        }
        .ifCaseLet(
            CasePath(embed: Mode.plain) { if case .plain(let pane) = $0 { pane } else { nil } },
            action: .of {
                .mode(isNumbered: false, $0)
            } _: {
                if case .mode(false, let action) = $0 { action } else { nil }
            }
        ) { Pane(stage: stage) }
        .ifCaseLet(
            CasePath(embed: Mode.numbered) { if case .numbered(let pane) = $0 { pane } else { nil } },
            action: .of {
                .mode(isNumbered: true, $0)
            } _: {
                if case .mode(true, let action) = $0 { action } else { nil }
            }
        ) { NumberedPane(stage: stage) }
    }
}

extension CasePath where Root == Workspace.Action {
    /// The actions of some panes.
    static func of(
        _ embed: @escaping @Sendable (Value) -> Workspace.Content,
        _ extract: @escaping @Sendable (Workspace.Content) -> Value?
    ) -> CasePath {
        CasePath(embed: { Workspace.Action(content: embed($0)) }, extract: { extract($0.content) })
    }
}
