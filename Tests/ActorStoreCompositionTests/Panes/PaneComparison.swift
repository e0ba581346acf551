import ActorStore

extension PaneModel {
    /// A pane as represented in the store and the model.
    fileprivate struct Shown: Equatable, CustomStringConvertible {
        let key: Int
        let notes: [Int]
        let tip: [Int]?

        init(_ key: Int, _ pane: Pane.State) { (self.key, notes, tip) = (key, pane.notes, pane.tip?.notes) }
        init(_ pane: NumberedPane.State) { self.init(pane.id, pane.pane) }
        init(_ pane: PaneTable.Pane) { (key, notes, tip) = (pane.key, pane.notes, pane.tip?.notes) }

        var description: String { "\(key): \(notes)\(tip.map { " with \($0)" } ?? "")" }
    }

    /// Compares the panes.
    func compare(with workspace: Workspace.State) throws(Mismatch) {
        for slot in PaneSlot.allCases {
            let (shown, expected) = (Self.panes(of: workspace, in: slot), expected(in: slot))
            if shown != expected {
                throw Mismatch(description: "The slot \(slot) has \(shown) in place of \(expected).")
            }
        }
    }

    /// Compares the counts of dropped actions and of errors.
    func compare(with figures: StoreStatistics) throws(Mismatch) {
        if figures.lateActions != lateActions {
            throw Mismatch(description: "\(figures.lateActions) actions were late in place of \(lateActions).")
        }
        if figures.failures != failures {
            throw Mismatch(description: "There are \(figures.failures) errors in place of \(failures).")
        }
    }

    private func expected(in slot: PaneSlot) -> [Shown] {
        let panes = table[slot].map { Shown($0) }
        return [.tree, .dictionary].contains(slot) ? panes.sorted { $0.key < $1.key } : panes
    }

    private static func panes(of workspace: Workspace.State, in slot: PaneSlot) -> [Shown] {
        func one(_ pane: Pane.State?) -> [Shown] { pane.map { [Shown(0, $0)] } ?? [] }
        func one(_ pane: NumberedPane.State?) -> [Shown] { pane.map { [Shown($0)] } ?? [] }
        switch slot {
        case .stack: return zip(workspace.stack.ids, workspace.stack).map { Shown(Int($0.number), $1) }
        case .sheet: return one(workspace.sheet)
        case .popup: return one(workspace.popup.wrappedValue)
        case .alert: return one(workspace.alert)
        case .memo: return one(workspace.memo.wrappedValue)
        case .page: return one(workspace.page)
        case .tenant: return one(workspace.tenant)
        case .tree: return workspace.tree.map { Shown($0.key, $0.value) }.sorted { $0.key < $1.key }
        case .keyed: return workspace.keyed.map { Shown($0) }
        case .dictionary: return workspace.dictionary.map { Shown($0.key, $0.value) }.sorted { $0.key < $1.key }
        case .array: return workspace.array.map { Shown($0) }
        case .mode:
            switch workspace.mode {
            case .none: return []
            case .plain(let pane): return one(pane)
            case .numbered(let pane): return one(pane)
            }
        }
    }
}
