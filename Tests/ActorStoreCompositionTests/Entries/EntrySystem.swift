import ActorStore
import ActorStoreSimulation
import TreeCollections

@testable import TestFixtures

/// A table with stores that come and go with its entries.
protocol EntryTable: ObservableTable<Int, Int>, Sendable {
    subscript(key: Int) -> Int? { get set }
}

extension TreeDictionary<Int, Int>: EntryTable {}
extension Dictionary<Int, Int>: EntryTable {}

/// The operations on a table of stores.
enum EntryOperation: Sendable {
    case parent([[EntryEdit]])
    /// Actions of the store of an entry; the actions to send get their numbers when this is done.
    case child(key: Int, [(order: EntryAction.Order, edits: [EntryEdit])])
    /// The running effect that sends a note, and whether it ends after it.
    case effect(Int, ends: Bool)
    case keep

    static func random(using generator: inout SimulationGenerator) -> EntryOperation {
        func edit(_ generator: inout SimulationGenerator) -> EntryEdit {
            EntryEdit(
                kind: generator.element(of: [.put, .put, .put, .add] + EntryEdit.Kind.allCases),
                key: generator.number(below: 3),
                value: generator.number(below: 4) * 100
            )
        }
        func edits(_ generator: inout SimulationGenerator, atMost limit: Int) -> [EntryEdit] {
            (0..<generator.number(below: limit + 1)).map { _ in edit(&generator) }
        }
        switch generator.number(below: 10) {
        case 0...3:
            let count = 1 + generator.number(below: 4)
            return .parent((0..<count).map { _ in edits(&generator, atMost: 2) })
        case 4...6:
            let count = 1 + generator.number(below: 3)
            return .child(
                key: generator.number(below: 3),
                (1...count).map { _ in
                    (generator.element(of: EntryAction.Order.allCases), edits(&generator, atMost: 2))
                }
            )
        case 7, 8: return .effect(generator.number(below: 100), ends: generator.chance(0.3))
        default: return .keep
        }
    }
}

/// A root with a table, and the stores of its entries: children and scopes.
final class EntrySystem<Table: EntryTable>: @unchecked Sendable {
    // Sound: everything except the constants is accessed by the one task that performs the operations.
    struct Root: Equatable, Sendable { var table = Table() }
    struct Local: Equatable, Sendable {
        let birth: Int
        var notes: [Int] = []
    }
    enum Action: Equatable, Sendable {
        case edits([EntryEdit])
        case entry(Int, EntryAction)
    }
    typealias Child = Store<ParentAndChild<Int, Local>, EntryAction>

    /// The stores of an entry, retained also after its departure, and the values of their observers.
    private struct Watched {
        let child: Child
        let scope: Store<Int, EntryAction>
        let birth: Int
        let told: [Collector<Int>]
        let tokens: [StoreObservation]
    }

    private let simulation: Simulation
    private let stage = EntryStage()
    private let root: Store<Root, Action>
    private let children: StoreChildren<Int, ParentAndChild<Int, Local>, EntryAction>
    private let scopes: StoreChildren<Int, Int, EntryAction>
    private var model = EntryModel()
    private var watched: [Int: Watched] = [:]
    private var lastNumber = 0
    private let kept: LockedValue<[Int: Int]>

    init(_ simulation: Simulation) {
        self.simulation = simulation
        let kept = LockedValue<[Int: Int]>([:])
        self.kept = kept
        let reducer = Reduce<Root, Action> { root, action in
            let edits =
                switch action {
                case .edits(let edits): edits
                case .entry(_, let action): action.edits
                }
            for edit in edits { edit.apply(to: &root.table, kept.withLock { $0 }) }
        }
        root = Store(
            initialState: Root(),
            reducer: reducer,
            configuration: StoreConfiguration(name: "entries", executor: simulation.executor)
        )
        let births = LockedValue(0)
        let session = Reduce<Local, EntryAction> { [stage] local, action in
            switch action.order {
            case .note: local.notes.append(action.number)
            case .reply: return .send(EntryAction(order: .note, number: action.number))
            case .begin: return .run { send in await stage.run(action.number, send) }
            }
            return .none
        }
        children = root.children(
            forEach: \.table,
            initialState: { _, _ in
                births.withLock {
                    $0 += 1
                    return Local(birth: $0)
                }
            },
            reducer: session
        ) { .entry($0, $1) }
        scopes = root.scopes(
            forEach: \.table,
            action: Action.entry,
            extract: { if case .entry(let id, let action) = $0 { (id, action) } else { nil } }
        )
    }

    func perform(_ operation: EntryOperation) async throws {
        switch operation {
        case .parent(let actions):
            model.reduce(actions)
            root.send(contentsOf: actions.map { .edits($0) })
        case .child(let key, let orders):
            guard let child = children[key] else { return }
            let actions = orders.map { EntryAction(order: $0.order, number: nextNumber(), edits: $0.edits) }
            model.reduce(actions, at: key)
            if actions.count == 1 { child.send(actions[0]) } else { child.send(contentsOf: actions) }
        case .effect(let place, let ends):
            let begun = stage.begun
            guard !begun.isEmpty else { return }
            let number = begun[place % begun.count]
            model.send(number)
            stage.send(number, ends: ends)
        case .keep:
            model.keep()
            let table = root.snapshot.table
            kept.withLock { kept in
                kept = [:]
                for key in 0..<3 { kept[key] = table[key] }
            }
        }
        await simulation.quiet()
        try compare()
    }

    func finish() async throws {
        for number in stage.begun { stage.send(number, ends: true) }
        await root.shutdown(drain: .cancelEffects)
    }

    private func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    // MARK: Comparison

    private func compare() throws {
        let keys = model.current.keys.sorted()
        try demand(children.keys.sorted() == keys, "There are children for \(children.keys.sorted()), not for \(keys).")
        try demand(scopes.keys.sorted() == keys, "There are scopes for \(scopes.keys.sorted()), not for \(keys).")
        for (key, number) in model.current where watched[number] == nil {
            guard let child = children[key], let scope = scopes[key] else { continue }
            let birth = child.snapshot.local.birth
            try demand(
                !watched.values.contains { $0.birth == birth || $0.scope === scope },
                "The entry \(key) has a store of an earlier one."
            )
            let told = [Collector<Int>(), Collector<Int>()]
            let tokens = [
                child.observe(\.parent) { told[0].append($0) }, scope.observe(\.self) { told[1].append($0) },
            ]
            watched[number] = Watched(child: child, scope: scope, birth: birth, told: told, tokens: tokens)
            model.observe(number)
        }
        for (number, stores) in watched {
            guard let member = model.members[number] else { continue }
            try compare(stores, with: member)
        }
        let late = root.statistics.lateActions
        try demand(late == model.lateActions, "\(late) actions were late, not \(model.lateActions).")
    }

    private func compare(_ stores: Watched, with member: EntryModel.Member) throws {
        let entry = "entry \(member.number) of the key \(member.key)"
        let snapshot = stores.child.snapshot
        let expected = ParentAndChild(parent: member.value, local: Local(birth: stores.birth, notes: member.notes))
        try demand(snapshot == expected, "The child of \(entry) shows \(snapshot), not \(expected).")
        let shown = stores.scope.snapshot
        try demand(shown == member.value, "The scope of \(entry) shows \(shown), not \(member.value).")
        for told in stores.told.map(\.elements) {
            try demand(told == member.told, "An observer of \(entry) received \(told), not \(member.told).")
        }
        if member.hasGone {
            let outcome = stores.child.send(EntryAction(order: .note, number: 0))
            try demand(
                outcome == .refused(.shutDown),
                "The child of \(entry), which has gone, has \(outcome) an action."
            )
        } else {
            let areTheirs = children[member.key] === stores.child && scopes[member.key] === stores.scope
            try demand(areTheirs, "The stores of \(entry) are no longer those of the table.")
        }
    }

    private func demand(_ condition: Bool, _ complaint: @autoclosure () -> String) throws {
        if !condition { throw EntryModel.Mismatch(description: complaint()) }
    }
}

extension EntryEdit {
    /// A table of a store, where a replaced entry actually goes in between.
    func apply(to table: inout some EntryTable, _ kept: [Int: Int]) {
        var entries: [Int: Int] = [:]
        for key in 0..<3 { entries[key] = table[key] }
        apply(to: &entries, kept)
        for key in 0..<3 {
            if kind == .exchange, key == self.key { table[key] = nil }
            if table[key] != entries[key] { table[key] = entries[key] }
        }
    }
}

/// The running effects of the stores of entries, controlled by the test.
private final class EntryStage: Sendable {
    private struct Player: Sendable {
        let send: Send<EntryAction>
        let end: UnsafeContinuation<Void, Never>
    }

    private let players = LockedValue<[Int: Player]>([:])

    var begun: [Int] { players.withLock { $0.keys.sorted() } }

    func run(_ number: Int, _ send: Send<EntryAction>) async {
        await withUnsafeContinuation { end in players.withLock { $0[number] = Player(send: send, end: end) } }
    }

    func send(_ number: Int, ends: Bool) {
        guard let player = players.withLock({ $0[number] }) else { return }
        player.send(EntryAction(order: .note, number: number))
        guard ends else { return }
        players.withLock { $0[number] = nil }
        player.end.resume()
    }
}
