import ActorStore
import TreeCollections

/// The slots of a workspace in the model: lists of distinguishable panes.
///
/// It defines the identity of each kind of child, by the documentation of the composed reducers.
struct PaneTable: Equatable {
    struct Tip: Equatable {
        /// That of its presentation.
        let token: Int
        var notes: [Int]
    }

    struct Pane: Equatable {
        /// That of its presentation, or of its push.
        var token: Int
        var key: Int
        var notes: [Int]
        var tip: Tip?
    }

    /// The place of a pane's or tip's effects. A child in place of another one has the same address, except in a stack.
    struct Address: Hashable {
        let slot: PaneSlot
        let element: Int
        var isTip = false

        var pane: Address { Address(slot: slot, element: element) }
        var tip: Address { Address(slot: slot, element: element, isTip: true) }
    }

    /// Distinguishes a pane from others at its address.
    struct Identity: Hashable {
        var token: Int?
        var key: Int?
    }

    /// A pane or a tip to be found later.
    struct Owner: Hashable {
        let address: Address
        let identity: Identity
        let key: Int
        var tip: Int?

        var slot: PaneSlot { address.slot }
        /// Whether its effects continue after its departure.
        var isOutlived: Bool { slot == .memo && tip == nil }
        /// The child that goes when it is dismissed; nil without one.
        var presentation: Address? { tip != nil ? address.tip : slot.isPresentation ? address : nil }
        var place: Address { tip == nil ? address : address.tip }

        /// Whether it is another one, or the pane that presents it. The departure of a pane that effects outlive is not
        /// detected.
        func isOrHolds(_ other: Owner) -> Bool {
            guard address == other.address else { return false }
            if let tip { return tip == other.tip }
            return identity == other.identity && (slot != .memo || other.tip == nil)
        }
    }

    var slots: [PaneSlot: [Pane]] = [:]
    var nextInStack = 0
    /// The last issued token.
    var lastToken = 0

    subscript(slot: PaneSlot) -> [Pane] {
        get { slots[slot] ?? [] }
        set { slots[slot] = newValue }
    }

    mutating func nextToken() -> Int {
        lastToken += 1
        return lastToken
    }

    // MARK: Identities

    static func address(of pane: Pane, in slot: PaneSlot) -> Address {
        let element =
            switch slot {
            case .stack: pane.token
            case .tree, .keyed, .dictionary, .array: pane.key
            case .mode: min(pane.key, 1)
            default: 0
            }
        return Address(slot: slot, element: element)
    }

    static func identity(of pane: Pane, in slot: PaneSlot) -> Identity {
        switch slot {
        case .stack, .sheet, .alert, .memo: Identity(token: pane.token)
        case .popup: Identity(token: pane.token, key: pane.key)
        case .page: Identity()
        case .tenant, .tree, .keyed, .dictionary, .array, .mode: Identity(key: pane.key)
        }
    }

    static func owner(_ pane: Pane, in slot: PaneSlot) -> Owner {
        Owner(address: address(of: pane, in: slot), identity: identity(of: pane, in: slot), key: pane.key)
    }

    /// All panes.
    var owners: [Owner] { PaneSlot.allCases.flatMap { slot in self[slot].map { Self.owner($0, in: slot) } } }

    /// All tips, with their presenting panes.
    var tips: [Owner] {
        PaneSlot.allCases.flatMap { slot in
            self[slot].compactMap { pane in
                guard let tip = pane.tip else { return nil }
                var owner = Self.owner(pane, in: slot)
                owner.tip = tip.token
                return owner
            }
        }
    }

    /// Whether a child is present. A tip that effects look up through a pane which they outlive is found in the present
    /// one.
    func contains(_ owner: Owner) -> Bool {
        self[owner.slot].contains { pane in
            let found = Self.owner(pane, in: owner.slot)
            guard found.address == owner.address else { return false }
            if owner.slot == .memo, owner.tip != nil { return pane.tip?.token == owner.tip }
            return found.identity == owner.identity && (owner.tip == nil || pane.tip?.token == owner.tip)
        }
    }

    /// The place of the pane that receives an action.
    func index(_ key: Int, in slot: PaneSlot) -> Int? {
        switch slot {
        case .mode: self[slot].firstIndex { ($0.key > 0) == (key > 0) }
        case .stack, .tree, .keyed, .dictionary, .array: self[slot].firstIndex { $0.key == key }
        default: self[slot].isEmpty ? nil : 0
        }
    }

    // MARK: Edits

    /// - Parameter kept: Earlier tables, for restoration.
    mutating func apply(_ edit: PaneEdit, _ kept: [PaneTable]) {
        let (slot, key) = (edit.slot, edit.key)
        let restored = kept[edit.number % kept.count]
        func newPane(_ token: Int) -> Pane {
            Pane(token: token, key: slot.hasKeys ? key : 0, notes: [edit.number], tip: nil)
        }
        if slot == .stack { return applyToStack(edit, restored) }
        switch edit.kind {
        case .clear: self[slot] = []
        case .restore: self[slot] = restored[slot]
        case .rebuild, .popTo, .popFrom: break
        case _ where slot.isTable: applyToTable(edit)
        case .put, .exchange:
            let old = edit.kind == .put ? self[slot].first : nil
            // Assigning a child with the same identity changes the present one.
            let token = slot == .popup && old?.key == key ? old?.token : nil
            self[slot] = [newPane(token ?? nextToken())]
        case .remove: self[slot] = []
        case .touch:
            if slot != .mode, !self[slot].isEmpty { self[slot][0].notes.append(edit.number) }
        case .setInPlace where slot.isPresentation:
            self[slot] = [newPane(self[slot].first?.token ?? nextToken())]
        case .setInPlace:
            if slot != .mode, !self[slot].isEmpty { self[slot][0].notes.append(edit.number) }
        case .assign:
            if slot.isPresentation, slot != .popup, !self[slot].isEmpty { self[slot][0].token = nextToken() }
        }
    }

    private mutating func applyToTable(_ edit: PaneEdit) {
        let (slot, key) = (edit.slot, edit.key)
        let new = Pane(token: 0, key: key, notes: [edit.number], tip: nil)
        let place = self[slot].firstIndex { $0.key == key }
        switch edit.kind {
        case .put: if let place { self[slot][place] = new } else { self[slot].append(new) }
        case .remove: if let place { self[slot].remove(at: place) }
        case .exchange:
            if let place { self[slot].remove(at: place) }
            self[slot].append(new)
        case .touch, .setInPlace: if let place { self[slot][place].notes.append(edit.number) }
        default: break
        }
    }

    private mutating func applyToStack(_ edit: PaneEdit, _ restored: PaneTable) {
        let slot = PaneSlot.stack
        switch edit.kind {
        case .put: push(edit.number)
        case .clear: self[slot] = []
        case .restore: (self[slot], nextInStack) = (restored[slot], restored.nextInStack)
        case .rebuild:
            (self[slot], nextInStack) = ([], 0)
            push(edit.number)
        default: break
        }
        if self[slot].isEmpty { return }
        let place = edit.key % self[slot].count
        switch edit.kind {
        case .remove: self[slot].remove(at: place)
        case .exchange:
            self[slot].remove(at: place)
            push(edit.number)
        case .touch, .setInPlace: self[slot][place].notes.append(edit.number)
        case .popTo: self[slot].removeSubrange((place + 1)...)
        case .popFrom: self[slot].removeSubrange(place...)
        default: break
        }
    }

    mutating func push(_ number: Int) {
        self[.stack].append(Pane(token: nextToken(), key: nextInStack, notes: [number], tip: nil))
        nextInStack += 1
    }
}
