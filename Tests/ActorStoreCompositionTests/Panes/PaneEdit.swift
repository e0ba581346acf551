import ActorStore
import ActorStoreComposition
import TreeCollections

/// The changes of one of the slots by the parent of panes, or by code around it.
struct PaneEdit: Equatable, Sendable {
    enum Kind: CaseIterable, Sendable {
        /// Puts a pane into the slot, under the key if it has keys; removes one; does both, the latter first.
        case put, remove, exchange
        /// Removes all; restores the slot of an earlier state.
        case clear, restore
        /// Changes a pane in place; sets it in place; and assigns it to itself.
        case touch, setInPlace, assign
        /// Creates the table anew, from the same entries; a new stack with one pane.
        case rebuild
        /// Removes all panes above one in a stack, or with it.
        case popTo, popFrom
    }

    let kind: Kind
    let slot: PaneSlot
    /// From 0 to 2. In a stack, it counts from the bottom, modulo the number of panes.
    let key: Int
    /// The initial value of a new pane, or the earlier state to restore.
    let number: Int

    private var pane: Pane.State { Pane.State(notes: [number]) }
    private var numbered: NumberedPane.State { NumberedPane.State(id: key, pane: pane) }

    func apply(to state: inout Workspace.State, _ stage: PaneStage) {
        switch slot {
        case .stack: change(&state.stack, restored(\.stack, stage))
        case .sheet: change(&state.$sheet, pane, restored(\.$sheet, stage)) { $0.notes.append(number) }
        case .popup: change(&state.popup, numbered, restored(\.popup, stage)) { $0.pane.notes.append(number) }
        case .alert: change(&state.$alert, pane, restored(\.$alert, stage)) { $0.notes.append(number) }
        case .memo: change(&state.memo, pane, restored(\.memo, stage)) { $0.notes.append(number) }
        case .page: change(&state.page, pane, restored(\.page, stage)) { $0.notes.append(number) }
        case .tenant: change(&state.tenant, numbered, restored(\.tenant, stage)) { $0.pane.notes.append(number) }
        case .mode: apply(to: &state.mode, stage)
        case .tree:
            if kind == .clear { state.tree = [:] }
            if kind == .exchange { state.tree[key] = nil }
            if kind == .restore { state.tree = restored(\.tree, stage) }
            if kind == .rebuild {
                state.tree = TreeDictionary(uniqueKeysWithValues: state.tree.map { ($0.key, $0.value) })
            }
            change(&state.tree[key], pane) { $0.notes.append(number) }
        case .keyed:
            if kind == .clear { state.keyed.removeAll() }
            if kind == .exchange { state.keyed.remove(id: key) }
            if kind == .restore { state.keyed = restored(\.keyed, stage) }
            if kind == .rebuild { state.keyed = KeyedArray(Array(state.keyed)) }
            change(&state.keyed[id: key], numbered) { $0.pane.notes.append(number) }
        case .dictionary:
            if kind == .clear { state.dictionary = [:] }
            if kind == .exchange { state.dictionary[key] = nil }
            if kind == .restore { state.dictionary = restored(\.dictionary, stage) }
            if kind == .rebuild { state.dictionary = state.dictionary.mapValues { $0 } }
            change(&state.dictionary[key], pane) { $0.notes.append(number) }
        case .array:
            if kind == .clear { state.array = [] }
            if kind == .restore { state.array = restored(\.array, stage) }
            if kind == .rebuild { state.array = state.array.map { $0 } }
            if kind == .remove || kind == .exchange { state.array.removeAll { $0.id == key } }
            let place = state.array.firstIndex { $0.id == key }
            var element = place.map { state.array[$0] }
            change(&element, numbered) { $0.pane.notes.append(number) }
            guard let element else { return }
            if let place { state.array[place] = element } else { state.array.append(element) }
        }
    }

    /// The operation for the cases of an enum, of which the one with an identity has the keys from 1.
    func apply(to mode: inout Workspace.Mode, _ stage: PaneStage) {
        switch kind {
        case .put, .exchange: mode = key == 0 ? .plain(pane) : .numbered(numbered)
        case .remove, .clear: mode = .none
        case .restore: mode = restored(\.mode, stage)
        default: break
        }
    }

    private func restored<Part>(_ part: KeyPath<Workspace.State, Part>, _ stage: PaneStage) -> Part {
        stage.archive.withLock { $0[number % $0.count][keyPath: part] }
    }

    private func change(_ stack: inout StackState<Pane.State>, _ restored: StackState<Pane.State>) {
        switch kind {
        case .put: stack.push(pane)
        case .clear: stack.removeAll()
        case .restore: stack = restored
        case .rebuild: stack = StackState([pane])
        default: break
        }
        guard !stack.isEmpty else { return }
        let id = stack.ids[key % stack.count]
        switch kind {
        case .remove: stack[id: id] = nil
        case .exchange:
            stack.remove(id: id)
            stack.push(pane)
        case .touch, .setInPlace: stack[id: id]?.notes.append(number)
        case .popTo: stack.pop(to: id)
        case .popFrom: stack.pop(from: id)
        default: break
        }
    }

    private func change<Child>(
        _ presented: inout Presented<Child>,
        _ new: Child,
        _ restored: Presented<Child>,
        _ touch: (inout Child) -> Void
    ) {
        switch kind {
        case .put: presented.wrappedValue = new
        case .remove, .clear: presented.wrappedValue = nil
        case .exchange:
            presented.wrappedValue = nil
            presented.wrappedValue = new
        case .restore: presented = restored
        case .setInPlace: presented.inPlace = new
        case .assign: presented.wrappedValue = presented.wrappedValue.map { $0 }
        default: change(&presented.wrappedValue, new, touch)
        }
    }

    private func change<Child>(
        _ optional: inout Child?,
        _ new: Child,
        _ restored: Child?,
        _ touch: (inout Child) -> Void
    ) {
        if kind == .restore { optional = restored } else { change(&optional, new, touch) }
    }

    private func change<Child>(_ optional: inout Child?, _ new: Child, _ touch: (inout Child) -> Void) {
        switch kind {
        case .put: optional = new
        case .remove, .clear: optional = nil
        case .exchange:
            optional = nil
            optional = new
        case .touch, .setInPlace:
            if var child = optional.take() {
                touch(&child)
                optional = child
            }
        default: break
        }
    }
}
