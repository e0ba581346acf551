import ActorStore
import ActorStoreComposition

/// The places of a workspace's panes: each kind of child that reducers can be composed with.
enum PaneSlot: CaseIterable, Sendable {
    /// A stack; a presentation by `$`, of a pane with an identity, for one action, and one that effects outlive; an
    /// optional, and one with an identity; tables; and two cases of an enum.
    case stack, sheet, popup, alert, memo, page, tenant, tree, keyed, dictionary, array, mode

    /// Whether its panes have identities of their own.
    var hasKeys: Bool { ![.sheet, .alert, .memo, .page].contains(self) }
    var panesChangeIdentity: Bool { [.popup, .tenant, .mode].contains(self) }
    var isTable: Bool { [.tree, .keyed, .dictionary, .array].contains(self) }
    /// Whether its panes can be dismissed.
    var isPresentation: Bool { [.stack, .sheet, .popup, .alert, .memo].contains(self) }

    /// The action of one of its panes.
    func action(_ key: Int, _ action: Pane.Action) -> Workspace.Content {
        switch self {
        case .stack: .stack(.element(id: StackElementID(number: UInt64(key)), action: action))
        case .sheet: .sheet(.presented(action))
        case .popup: .popup(.presented(action))
        case .alert: .alert(.presented(action))
        case .memo: .memo(.presented(action))
        case .page: .page(action)
        case .tenant: .tenant(action)
        case .tree: .tree(id: key, action)
        case .keyed: .keyed(id: key, action)
        case .dictionary: .dictionary(id: key, action)
        case .array: .array(id: key, action)
        case .mode: .mode(isNumbered: key > 0, action)
        }
    }

    /// The action that dismisses one of its panes; nil if there is no such action.
    func dismissal(_ key: Int) -> Workspace.Content? {
        switch self {
        case .stack: .stack(.popFrom(id: StackElementID(number: UInt64(key))))
        case .sheet: .sheet(.dismiss)
        case .popup: .popup(.dismiss)
        case .alert: .alert(.dismiss)
        case .memo: .memo(.dismiss)
        default: nil
        }
    }
}

extension Workspace.Content {
    /// The receiving pane, and its action; nil if that is its dismissal. Nil without a pane.
    var pane: (slot: PaneSlot, key: Int, action: Pane.Action?)? {
        switch self {
        case .nothing, .stack(.push): nil
        case .stack(.element(let id, let action)): (.stack, Int(id.number), action)
        case .stack(.popFrom(let id)): (.stack, Int(id.number), nil)
        case .sheet(let action): (.sheet, 0, action.own)
        case .popup(let action): (.popup, 0, action.own)
        case .alert(let action): (.alert, 0, action.own)
        case .memo(let action): (.memo, 0, action.own)
        case .page(let action): (.page, 0, action)
        case .tenant(let action): (.tenant, 0, action)
        case .tree(let key, let action): (.tree, key, action)
        case .keyed(let key, let action): (.keyed, key, action)
        case .dictionary(let key, let action): (.dictionary, key, action)
        case .array(let key, let action): (.array, key, action)
        case .mode(let isNumbered, let action): (.mode, isNumbered ? 1 : 0, action)
        }
    }
}

extension PresentationAction {
    fileprivate var own: Action? { if case .presented(let action) = self { action } else { nil } }
}
