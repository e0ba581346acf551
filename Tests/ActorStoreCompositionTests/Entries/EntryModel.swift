/// The changes of a table's entries by a parent, or by a store of an entry through it.
struct EntryEdit: Equatable, Sendable {
    enum Kind: CaseIterable, Sendable {
        case put, remove
        /// Removes an entry and puts another one under its key, which by the documentation is the same entry.
        case exchange
        case add
        case clear
        /// Restores all entries of the saved table.
        case restore
    }

    let kind: Kind
    /// From 0 to 2.
    let key: Int
    let value: Int

    /// - Parameter kept: The saved entries.
    func apply(to entries: inout [Int: Int], _ kept: [Int: Int]) {
        switch kind {
        case .put, .exchange: entries[key] = value
        case .remove: entries[key] = nil
        case .add: entries[key]? += 1
        case .clear: entries = [:]
        case .restore: entries = kept
        }
    }
}

/// The entry of each store of a table: a value that distinguishes successive entries under the same key.
///
/// An entry is the same while its key exists after each action.
struct EntryModel {
    struct Mismatch: Error, CustomStringConvertible { let description: String }

    /// An entry from its coming to its going.
    struct Member {
        let number: Int
        let key: Int
        /// The current value, or the last one.
        var value: Int
        /// The records of the entry's store in its own state.
        var notes: [Int] = []
        /// The values delivered to observers of the entry since the end of the turn in which it came.
        var told: [Int] = []
        var hasGone = false
    }

    /// A pending message in the mailbox: a note for the store of an entry.
    private struct Note {
        let member: Int
        let number: Int
    }

    private(set) var members: [Int: Member] = [:]
    private(set) var current: [Int: Int] = [:]
    private(set) var lateActions = 0
    /// The entry of each effect.
    private(set) var effects: [Int: Int] = [:]
    private var entries: [Int: Int] = [:]
    private var kept: [Int: Int] = [:]
    private var mailbox: [Note] = []

    mutating func keep() { kept = entries }

    // MARK: Turns

    /// A turn of several actions at the parent.
    mutating func reduce(_ actions: [[EntryEdit]]) {
        for edits in actions { apply(edits) }
        finishTurn()
    }

    /// A turn of several actions at the store of an entry. Actions after the removal of the entry are late.
    mutating func reduce(_ actions: [EntryAction], at key: Int) {
        guard let number = current[key] else { return }
        var replies: [Note] = []
        for (place, action) in actions.enumerated() {
            switch action.order {
            case .note: members[number]?.notes.append(action.number)
            case .reply: replies.append(Note(member: number, number: action.number))
            case .begin: effects[action.number] = number
            }
            apply(action.edits)
            if members[number]?.hasGone == true {
                lateActions += actions.count - place - 1
                break
            }
        }
        finishTurn()
        mailbox += replies
        while !mailbox.isEmpty { take(mailbox.removeFirst()) }
    }

    /// An effect sends a note.
    mutating func send(_ effect: Int) {
        guard let member = effects[effect] else { return }
        take(Note(member: member, number: effect))
    }

    private mutating func take(_ note: Note) {
        if members[note.member]?.hasGone == true {
            lateActions += 1
        } else {
            members[note.member]?.notes.append(note.number)
        }
    }

    private mutating func apply(_ edits: [EntryEdit]) {
        for edit in edits { edit.apply(to: &entries, kept) }
        for (key, number) in current where entries[key] == nil {
            members[number]?.hasGone = true
            current[key] = nil
        }
        for (key, value) in entries {
            if let number = current[key] {
                members[number]?.value = value
            } else {
                let member = Member(number: members.count, key: key, value: value)
                members[member.number] = member
                current[key] = member.number
            }
        }
    }

    /// Observers receive each entry, and the last values of departed ones.
    private mutating func finishTurn() {
        for (number, member) in members {
            guard let last = member.told.last, last != member.value else { continue }
            members[number]?.told.append(member.value)
        }
    }

    /// Records the beginning of an observer.
    mutating func observe(_ number: Int) { if let value = members[number]?.value { members[number]?.told = [value] } }
}

/// An action of the store of an entry.
struct EntryAction: Equatable, Sendable {
    enum Order: CaseIterable, Sendable { case note, reply, begin }

    let order: Order
    /// The entry of the effect, or of the note.
    let number: Int
    /// The parent's changes when it sees the action.
    var edits: [EntryEdit] = []
}
