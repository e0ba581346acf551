import ActorStore
import ActorStoreCommands
import ActorStoreComposition

/// The expected states of the panes, and of each effect begun by one of them, by the documentation of the composed
/// reducers: a value that distinguishes all panes there have ever been.
///
/// It follows the order in which the store accepts messages, and takes nothing else from it, with one exception:
/// effects that code around the reducers has separated from their panes. When the store detects that is unspecified,
/// only that they do not act on others. So the outcomes of these are taken from the store, while their panes are back
/// in the state.
struct PaneModel {
    struct Mismatch: Error, CustomStringConvertible { let description: String }

    /// The pending messages in the mailbox.
    private enum Message {
        /// Actions from outside, as one turn.
        case actions([Shell.Action])
        /// The message of an effect: a note, or a dismissal.
        case feedback(of: Int, Shell.Action, isDismissal: Bool, isOrdered: Bool)
    }

    /// The requests of an action, which are processed after the actions of a turn have been reduced.
    private enum Consequence {
        case begin(PaneEffect, PaneTable.Owner)
        case cancel(id: Int, at: PaneTable.Address)
        case dismiss(PaneTable.Owner)
        case send([Shell.Action])
        /// The reducer of a child has seen that it has gone.
        case departure(PaneTable.Address)
        /// Code around has removed children, or replaced them.
        case unseenChange([PaneTable.Owner])
    }

    private(set) var table = PaneTable()
    /// The last tables, for restoration.
    private var kept = [PaneTable()]
    var effects = PaneEffects()
    private(set) var lateActions = 0
    private(set) var failures = 0
    private var mailbox: [Message] = []
    private var turn: [Shell.Action] = []
    private var consequences: [Consequence] = []

    // MARK: Messages

    /// Records that the store accepts actions.
    mutating func accept(_ actions: [Shell.Action]) { mailbox.append(.actions(actions)) }

    /// Records that a running effect does something.
    mutating func accept(_ call: PaneCall, of number: Int) {
        guard let work = effects[number], work.progress == .runs, work.hasBegun else { return }
        if call == .note || call == .noteAndEnd { post(.own(.note(number)), of: work) }
        if call == .dismiss, let dismissal = Self.dismissal(of: work.owner) {
            mailbox.append(.feedback(of: number, dismissal, isDismissal: true, isOrdered: true))
        }
        if call == .end || call == .noteAndEnd { end(work) }
    }

    /// Records the end of an effect's task. Its follow-ups come after its end has been processed.
    private mutating func end(_ work: PaneEffects.Work) {
        effects.willEnd(work.number)
        switch work.effect.shape {
        case .workThenNote: post(.own(.note(work.number)), of: work, isOrdered: false)
        case .workThenDismissal:
            if let dismissal = Self.dismissal(of: work.owner) {
                mailbox.append(.feedback(of: work.number, dismissal, isDismissal: true, isOrdered: false))
            }
        default: break
        }
    }

    private mutating func post(_ action: Pane.Action, of work: PaneEffects.Work, isOrdered: Bool = true) {
        let action = Self.action(action, of: work.owner)
        mailbox.append(.feedback(of: work.number, action, isDismissal: false, isOrdered: isOrdered))
    }

    private static func action(_ action: Pane.Action, of owner: PaneTable.Owner) -> Shell.Action {
        var action = action
        if owner.tip != nil, case .own(let command) = action { action = .tip(.presented(command)) }
        return .workspace(Workspace.Action(content: owner.slot.action(owner.key, action)))
    }

    private static func dismissal(of owner: PaneTable.Owner) -> Shell.Action? {
        let content =
            owner.tip == nil ? owner.slot.dismissal(owner.key) : owner.slot.action(owner.key, .tip(.dismiss))
        return content.map { .workspace(Workspace.Action(content: $0)) }
    }

    /// Records that the store has reduced an action; it must be the next accepted one.
    mutating func reduce(_ action: Shell.Action) throws(Mismatch) {
        if turn.isEmpty { turn = try takeTurn(of: action) }
        var expected = turn.removeFirst()
        while case .during(let instructions, let inner) = expected {
            for instruction in instructions { accept(instruction.call, of: instruction.number) }
            expected = inner
        }
        guard expected == action else { throw Mismatch(description: "\(action) was reduced in place of \(expected).") }
        apply(action)
        if turn.isEmpty { takeOn() }
    }

    /// The actions of the message of one action, the next accepted message.
    private mutating func takeTurn(of action: Shell.Action) throws(Mismatch) -> [Shell.Action] {
        var place = 0
        while place < mailbox.count {
            switch mailbox[place] {
            case .actions(let actions):
                guard Self.innermost(actions[0]) == action else {
                    throw Mismatch(description: "\(action) was reduced before \(actions[0]).")
                }
                mailbox.remove(at: place)
                return actions
            case .feedback(let number, let other, let isDismissal, let isOrdered):
                let counts = effects.counts(number, isDismissal: isDismissal, in: table)
                if counts != false, other == action {
                    if counts == nil { effects.settle(number, counts: true, isDismissal) }
                    mailbox.remove(at: place)
                    return [action]
                }
                if counts == true, isOrdered {
                    throw Mismatch(description: "\(other) of effect \(number) was lost, or overtaken by \(action).")
                }
                if isOrdered { drop(at: place) } else { place += 1 }
            }
        }
        throw Mismatch(description: "\(action) was reduced, and nothing has sent it that counts.")
    }

    private static func innermost(_ action: Shell.Action) -> Shell.Action {
        if case .during(_, let inner) = action { innermost(inner) } else { action }
    }

    private mutating func drop(at place: Int) {
        guard case .feedback(let number, _, let isDismissal, _) = mailbox.remove(at: place) else { return }
        lateActions += 1
        effects.settle(number, counts: false, isDismissal)
    }

    /// Records that the store is quiescent: pending messages must be unaccepted ones.
    ///
    /// - Parameters:
    ///   - begun: The running effects.
    ///   - cancelled: The effects with cancelled tasks.
    mutating func rest(begun: Set<Int>, cancelled: Set<Int>) throws(Mismatch) {
        for work in effects.cancelledBeforeBeginning(begun: begun) { end(work) }
        while let message = mailbox.first {
            guard case .feedback(let number, _, let isDismissal, _) = message,
                effects.counts(number, isDismissal: isDismissal, in: table) != true
            else { throw Mismatch(description: "\(message) was lost.") }
            drop(at: 0)
        }
        effects.finishEndings()
        if let mismatch = effects.compare(with: begun, cancelled) { throw Mismatch(description: mismatch) }
    }

    /// Saves the current panes, for restoration.
    mutating func keep(atMost count: Int) { kept = (kept + [table]).suffix(count) }

    mutating func elapse(_ milliseconds: Int) { effects.elapse(milliseconds) }

    /// Changes the state without an action.
    mutating func isolate(_ edits: [PaneEdit]) {
        applyAround(edits)
        takeOn()
    }

    // MARK: Reducing

    private mutating func apply(_ action: Shell.Action) {
        switch action {
        case .several(let actions): consequences.append(.send(actions))
        case .around(let edits): applyAround(edits)
        case .workspace(let action): apply(action)
        case .during: break
        }
    }

    private mutating func applyAround(_ edits: [PaneEdit]) {
        let before = (table.owners, table.tips)
        for edit in edits { table.apply(edit, kept) }
        let gone = (before.0 + before.1).filter { !table.contains($0) }
        consequences.append(.unseenChange(gone))
    }

    /// The child first, then its parent, then the end of the presentation, if the action is one.
    private mutating func apply(_ action: Workspace.Action) {
        var dismissed: PaneTable.Owner?
        if let (slot, key, paneAction) = action.content.pane {
            if let index = table.index(key, in: slot) {
                switch paneAction {
                case .some(let paneAction):
                    apply(paneAction, to: index, in: slot)
                    if slot == .alert { dismissed = PaneTable.owner(table[slot][index], in: slot) }
                case .none: dismissed = PaneTable.owner(table[slot][index], in: slot)
                }
            } else {
                if slot != .tenant { failures += 1 }
            }
        }
        if case .stack(.push(let pane)) = action.content { table.push(pane.notes[0]) }
        let (owners, tips) = (table.owners, table.tips)
        for edit in action.edits { table.apply(edit, kept) }
        if let dismissed,
            let index = table[dismissed.slot].firstIndex(where: { PaneTable.owner($0, in: dismissed.slot) == dismissed }
            )
        {
            table[dismissed.slot].removeSubrange(index...)
        }
        let gone = owners.filter { !table.contains($0) }
        consequences += gone.map { .departure($0.address) }
        // The reducers of panes do not see the outcome of their tips.
        let lost = tips.filter { tip in
            !table.contains(tip) && (tip.slot == .memo || !gone.contains { $0.address == tip.address })
        }
        consequences.append(.unseenChange(lost))
    }

    private mutating func apply(_ action: Pane.Action, to index: Int, in slot: PaneSlot) {
        let before = PaneTable.owner(table[slot][index], in: slot)
        var owner = before
        switch action {
        case .own(.showTip(let number)):
            if table[slot][index].tip != nil { consequences.append(.departure(owner.address.tip)) }
            table[slot][index].tip = PaneTable.Tip(token: table.nextToken(), notes: [number])
        case .own(.hideTip), .tip(.dismiss):
            if table[slot][index].tip != nil {
                consequences.append(.departure(owner.address.tip))
            } else if action == .tip(.dismiss) {
                failures += 1
            }
            table[slot][index].tip = nil
        case .own(.renumber(let id, let effect)):
            if [.popup, .tenant].contains(slot) || slot == .mode && table[slot][index].key > 0 {
                table[slot][index].key = id
                owner = PaneTable.owner(table[slot][index], in: slot)
                if owner != before { consequences.append(.departure(before.address)) }
            }
            // Requests of a pane that has become another one belong to the other one.
            if let effect { consequences.append(.begin(effect, owner)) }
        case .own(let command):
            if case .note(let number) = command { table[slot][index].notes.append(number) }
            perform(command, of: owner)
        case .tip(.presented(let command)):
            guard let tip = table[slot][index].tip else {
                failures += 1
                return
            }
            owner.tip = tip.token
            if case .note(let number) = command { table[slot][index].tip?.notes.append(number) }
            perform(command, of: owner)
        }
    }

    private mutating func perform(_ command: Pane.Command, of owner: PaneTable.Owner) {
        switch command {
        case .begin(let effect): consequences.append(.begin(effect, owner))
        case .cancel(let id): consequences.append(.cancel(id: id, at: owner.place))
        case .leave: if owner.presentation == nil { failures += 1 } else { consequences.append(.dismiss(owner)) }
        case .renumber(_, let effect?): consequences.append(.begin(effect, owner))
        case .note, .showTip, .hideTip, .renumber: break
        }
    }

    private mutating func takeOn() {
        for consequence in consequences {
            switch consequence {
            case .begin(let effect, let owner):
                effects.begin(effect, of: owner)
                if effect.shape == .note, let work = effects[effect.number] {
                    post(.own(.note(effect.number)), of: work)
                }
            case .send(let actions): for action in actions { accept([action]) }
            case .cancel(let id, let address): effects.cancel(id: id, at: address, in: table)
            case .dismiss(let owner):
                let number = effects.beginDismissal(of: owner)
                if let dismissal = Self.dismissal(of: owner) {
                    mailbox.append(.feedback(of: number, dismissal, isDismissal: true, isOrdered: true))
                }
            case .departure(let address): effects.depart(from: address)
            case .unseenChange(let gone): effects.noteUnseenEnds(of: gone)
            }
        }
        consequences = []
    }
}
