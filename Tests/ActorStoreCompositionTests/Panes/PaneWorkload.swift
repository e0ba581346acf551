import ActorStoreSimulation

/// Makes random operations on a few slots and with a few identities of effects, so that each of them has many.
struct PaneWorkload {
    private var generator: SimulationGenerator
    private let slots: [PaneSlot]
    private let ids: [Int]

    static func make(using generator: inout SimulationGenerator) -> SimulatedWorkload<PaneOperation> {
        var workload = PaneWorkload(generator.split())
        return SimulatedWorkload(senders: 1, count: 40, using: &generator) { _, _ in workload.operation() }
    }

    private init(_ generator: SimulationGenerator) {
        var generator = generator
        // Stacks have more versions than others.
        slots = (0..<2).map { _ in generator.element(of: PaneSlot.allCases + [.stack, .stack]) }
        ids = (0..<2).map { _ in generator.number(below: PaneEffect.identities) }
        self.generator = generator
    }

    private mutating func operation() -> PaneOperation {
        let slot = generator.element(of: slots)
        switch generator.number(below: 24) {
        case 0...6: return .moves([move(slot)], .each)
        case 7, 8: return .moves(cycle(slot), manner())
        case 9, 10:
            // The request, and the outcome of the pane meanwhile.
            let moves = (0..<1 + generator.number(below: 3)).map { _ in move(slot) }
            return .moves(moves + [edits(slot, count: 1)], manner())
        case 11, 12: return .during((0...generator.number(below: 2)).map { _ in call() }, move(slot))
        case 13: return .isolated(edit(slot))
        case 14: return .wait
        default: return .call(call())
        }
    }

    private mutating func manner() -> PaneOperation.Manner { generator.element(of: PaneOperation.Manner.allCases) }

    private mutating func call() -> PaneOperation.Call {
        let calls = PaneCall.allCases + [.note, .note]
        return PaneOperation.Call(place: generator.number(below: 100), call: generator.element(of: calls))
    }

    /// A pane does something, goes, and another one comes, or the same one again.
    private mutating func cycle(_ slot: PaneSlot) -> [PaneOperation.Move] {
        let key = generator.number(below: 2)
        var moves = [PaneOperation.Move.pane(slot, key: key, isTip: generator.chance(0.3), order(slot), [])]
        for kind in [.remove, generator.element(of: [.put, .restore])] as [PaneEdit.Kind] {
            let edit = PaneEdit(kind: kind, slot: slot, key: key, number: generator.number(below: 1_000))
            moves.append(.edits([edit], isAround: generator.chance(0.3)))
        }
        return moves
    }

    private mutating func move(_ slot: PaneSlot) -> PaneOperation.Move {
        let key = generator.number(below: 3)
        let isTip = generator.chance(0.35)
        switch generator.number(below: 16) {
        case 0...9:
            let edits = generator.chance(0.15) ? [edit(slot)] : []
            return .pane(slot, key: key, isTip: isTip, order(slot), edits)
        case 10: return .dismissal(slot, key: key, isTip: isTip, generator.chance(0.5) ? [edit(slot)] : [])
        case 11 where slot == .stack: return .push(generator.number(below: 1_000))
        case 12: return edits(slot, count: 2)
        default: return edits(slot, count: 1)
        }
    }

    private mutating func order(_ slot: PaneSlot) -> PaneOperation.Order {
        if slot.panesChangeIdentity, generator.chance(0.15) {
            return .renumber(1 + generator.number(below: 2), generator.chance(0.5) ? .work : nil)
        }
        switch generator.number(below: 16) {
        case 0...8:
            return .begin(
                generator.element(of: PaneEffect.Shape.allCases + [.work, .work, .note]),
                id: generator.chance(0.2) ? nil : generator.element(of: ids),
                isDetached: generator.chance(0.25)
            )
        case 9: return .note
        case 10: return .leave
        case 11, 12: return .showTip
        case 13: return .hideTip
        default: return .cancel(id: generator.element(of: ids))
        }
    }

    private mutating func edits(_ slot: PaneSlot, count: Int) -> PaneOperation.Move {
        .edits((0..<count).map { _ in edit(slot) }, isAround: generator.chance(0.4))
    }

    private mutating func edit(_ slot: PaneSlot) -> PaneEdit {
        PaneEdit(
            kind: generator.element(of: PaneEdit.Kind.all(of: slot) + [.put, .put, .remove]),
            slot: slot,
            key: generator.number(below: 3),
            number: generator.number(below: 1_000)
        )
    }
}

extension PaneEdit.Kind {
    /// The panes of a slot that do something.
    fileprivate static func all(of slot: PaneSlot) -> [PaneEdit.Kind] {
        switch slot {
        case .stack: [.put, .remove, .exchange, .clear, .restore, .touch, .rebuild, .popTo, .popFrom]
        case .sheet, .popup, .alert, .memo: [.put, .remove, .exchange, .restore, .touch, .setInPlace, .assign]
        case .page, .tenant, .mode: [.put, .remove, .exchange, .restore, .touch]
        case .tree, .keyed, .dictionary, .array: [.put, .remove, .exchange, .clear, .restore, .touch, .rebuild]
        }
    }
}
