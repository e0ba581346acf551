import ActorStore
import Testing
import TreeCollections

@testable import TestFixtures

/// The cases for each kind of table.
protocol MeterTable: ReducibleTable<Int, NumberedMeter.State>, Equatable, Sendable
where Members: Sendable {
    static func make(_ ids: [Int]) -> Self
    mutating func remove(_ id: Int)
    mutating func insert(_ meter: NumberedMeter.State)
    func reading(of id: Int) -> Int?
}

@Suite("forEach: children in a table", .timeLimit(.minutes(10)))
struct ForEachTests {
    struct House<Table: MeterTable>: Reducer {
        struct State: Equatable, Sendable {
            var meters = Table.make([])
            var log: [String] = []
        }

        enum Action: Sendable {
            case meter(id: Int, action: Meter.Action)
            case change(@Sendable (inout State) -> Void)
        }

        var effects = ChildEffects.endWithChild
        var whenMissing = MissingChildPolicy.report

        var body: some Reducer<State, Action> {
            Reduce { state, action in
                switch action {
                case .meter(let id, _): state.log.append("\(id): \(state.meters.reading(of: id) ?? -1)")
                case .change(let change): change(&state)
                }
                return .none
            }
            .forEach(\.meters, action: CasePath(Action.meter), whenMissing: whenMissing, effects: effects) {
                NumberedMeter()
            }
        }

        static func store(_ ids: [Int], reducer: Self = Self()) -> Store<State, Action> {
            Store(initialState: State(meters: .make(ids)), reducer: reducer)
        }
    }

    static let tables: [any MeterTable.Type] = [
        TreeDictionary<Int, NumberedMeter.State>.self, [Int: NumberedMeter.State].self,
        KeyedArray<NumberedMeter.State>.self, [NumberedMeter.State].self,
    ]

    @Test("An entry reduces its actions before its parent, and its effects send them to it", arguments: tables)
    func childFirst(table: any MeterTable.Type) async throws {
        func check<Table: MeterTable>(_ table: Table.Type) async throws {
            let store = House<Table>.store([1, 2])
            try await store.dispatch(.meter(id: 2, action: .record(5)))
            #expect(store.snapshot.log == ["2: 5"])
            let effect = Effect<Meter.Action>.merge(.send(.record(1)), .run { send in send(.record(2)) })
            try await store.dispatch(.meter(id: 1, action: .start(effect))).finish()
            let meters = await store.state.meters
            #expect(meters.reading(of: 1) == 3 && meters.reading(of: 2) == 5)
        }
        try await check(table)
    }

    @Test(
        "An action for a missing entry never crashes: it is reported with the identity, or ignored",
        arguments: tables
    )
    func missing(table: any MeterTable.Type) async throws {
        func check<Table: MeterTable>(_ table: Table.Type) async throws {
            let store = House<Table>.store([1])
            try await store.dispatch(.meter(id: 7, action: .record(5)))
            #expect(store.snapshot.log == ["7: -1"] && store.snapshot.meters == .make([1]))
            let failure = try #require(try await store.errors.first(1).first)
            #expect((failure.error as? MissingChild)?.reason == .noElement(EffectID(7)))
            #expect(failure.description.contains("record(5)") && failure.description.contains("identity 7"))
            let silent = House<Table>.store([1], reducer: House<Table>(whenMissing: .ignore))
            try await silent.dispatch(.meter(id: 7, action: .record(5)))
            await silent.shutdown(drain: .finishEffects)
            #expect(try await silent.errors.all().isEmpty)
        }
        try await check(table)
    }

    @Test(
        "The effects of an entry are cancelled by any kind of removal, and no others",
        arguments: tables
    )
    func removal(table: any MeterTable.Type) async throws {
        func check<Table: MeterTable>(
            _ table: Table.Type,
            _ change: @escaping @Sendable (inout House<Table>.State) -> Void
        ) async throws {
            let store = House<Table>.store([1, 2, 3])
            let (gone, kept) = (HeldEffect(), HeldEffect())
            let task = try await store.dispatch(.meter(id: 2, action: .start(gone.effect(id: "same"))))
            try await store.dispatch(.meter(id: 3, action: .start(kept.effect(id: "same"))))
            await gone.waitUntilBegun()
            await kept.waitUntilBegun()
            try await store.dispatch(.change { $0.meters.insert(NumberedMeter.State(id: 9)) })
            try await store.dispatch(.change(change))
            await gone.finish()
            try await task.finish()
            await kept.finish()
            await store.shutdown(drain: .finishEffects)
            #expect(gone.wasCancelled.elements == [true] && kept.wasCancelled.elements == [false])
            #expect(store.snapshot.meters.reading(of: 3) == 1_000 && store.statistics.lateActions == 1)
            #expect(try await store.errors.all().isEmpty)
        }
        func checkAll<Table: MeterTable>(_ table: Table.Type) async throws {
            try await check(table) { $0.meters.remove(2) }
            try await check(table) { $0.meters = .make([3, 4, 5, 9]) }
            try await check(table) { state in
                state.meters.insert(NumberedMeter.State(id: 4))
                state.meters.remove(2)
                state.meters.insert(NumberedMeter.State(id: 5))
            }
        }
        try await checkAll(table)
    }

    @Test(
        "Unbegun effects and waiting actions of an entry are dropped with it",
        arguments: tables
    )
    func notBegun(table: any MeterTable.Type) async throws {
        func check<Table: MeterTable>(_ table: Table.Type) async throws {
            let store = House<Table>.store([1, 2])
            let began = Collector<Void>()
            let effect = Effect<Meter.Action>.merge(.run { _ in began.append(()) }, .send(.record(1)))
            store.send(contentsOf: [
                .meter(id: 1, action: .start(effect)), .meter(id: 2, action: .start(.send(.record(1)))),
                .change { $0.meters.remove(1) },
            ])
            await store.shutdown(drain: .finishEffects)
            #expect(began.elements.isEmpty && store.statistics.lateActions == 1)
            #expect(store.snapshot.meters.reading(of: 2) == 1)
            #expect(try await store.errors.all().isEmpty)
        }
        try await check(table)
    }

    @Test("An entry with the identity of a removed one has its own effects", arguments: tables)
    func comesAgain(table: any MeterTable.Type) async throws {
        func check<Table: MeterTable>(_ table: Table.Type) async throws {
            let store = House<Table>.store([1])
            let (old, new) = (HeldEffect(), HeldEffect())
            try await store.dispatch(.meter(id: 1, action: .start(old.effect())))
            await old.waitUntilBegun()
            try await store.dispatch(.change { $0.meters.remove(1) })
            try await store.dispatch(.change { $0.meters.insert(NumberedMeter.State(id: 1)) })
            try await store.dispatch(.meter(id: 1, action: .start(new.effect())))
            await new.waitUntilBegun()
            await old.finish()
            await new.finish()
            await store.shutdown(drain: .finishEffects)
            #expect(old.wasCancelled.elements == [true] && new.wasCancelled.elements == [false])
            #expect(store.snapshot.meters.reading(of: 1) == 1_000)
        }
        try await check(table)
    }

    @Test(
        "An entry removed and added by one action has only changed; by two actions of a batch it is a new one",
        arguments: tables
    )
    func removedAndAdded(table: any MeterTable.Type) async throws {
        func check<Table: MeterTable>(_ table: Table.Type) async throws {
            for isBatch in [false, true] {
                let store = House<Table>.store([1])
                let held = HeldEffect()
                try await store.dispatch(.meter(id: 1, action: .start(held.effect())))
                await held.waitUntilBegun()
                if isBatch {
                    store.send(contentsOf: [
                        .change { $0.meters.remove(1) }, .change { $0.meters.insert(NumberedMeter.State(id: 1)) },
                    ])
                } else {
                    try await store.dispatch(
                        .change { state in
                            state.meters.remove(1)
                            state.meters.insert(NumberedMeter.State(id: 1))
                        }
                    )
                }
                await held.finish()
                await store.shutdown(drain: .finishEffects)
                #expect(held.wasCancelled.elements == [isBatch])
                #expect(store.snapshot.meters.reading(of: 1) == (isBatch ? 0 : 1_000))
            }
        }
        try await check(table)
    }

    @Test("Effects of entries can outlive them", arguments: tables)
    func outliving(table: any MeterTable.Type) async throws {
        func check<Table: MeterTable>(_ table: Table.Type) async throws {
            let reducer = House<Table>(effects: .outliveChild, whenMissing: .ignore)
            let store = House<Table>.store([1], reducer: reducer)
            let held = HeldEffect()
            try await store.dispatch(.meter(id: 1, action: .start(held.effect())))
            await held.waitUntilBegun()
            try await store.dispatch(.change { $0.meters.remove(1) })
            await held.finish()
            await store.shutdown(drain: .finishEffects)
            #expect(held.wasCancelled.elements == [false] && store.snapshot.log.last == "1: -1")
        }
        try await check(table)
    }

    /// A meter with an identity of any type.
    struct NamedMeter<ID: Hashable & Sendable>: Reducer {
        struct State: Equatable, Identifiable, Sendable {
            let id: ID
            var meter = Meter.State()
        }

        func reduce(into state: inout State, action: Meter.Action) -> Effect<Meter.Action> {
            Meter().reduce(into: &state.meter, action: action)
        }
    }

    /// Meters in a `KeyedArray`, which only reports that some have gone.
    struct NamedMeters<ID: Hashable & Sendable>: Reducer {
        typealias State = KeyedArray<NamedMeter<ID>.State>

        enum Action: Sendable {
            case meter(id: ID, action: Meter.Action)
            case remove(ID)
        }

        var body: some Reducer<State, Action> {
            Reduce<State, Action> { meters, action in
                if case .remove(let id) = action { meters.remove(id: id) }
                return .none
            }
            .forEach(\.self, action: CasePath(Action.meter)) { NamedMeter<ID>() }
        }
    }

    @Test("The effects of a removed entry are cancelled, and no others, for any type of identity")
    func identities() async throws {
        func check<ID: Hashable & Sendable>(_ ids: [ID]) async throws {
            for removed in ids {
                let meters = KeyedArray(ids.map { NamedMeter<ID>.State(id: $0) })
                let store = Store(initialState: meters, reducer: NamedMeters<ID>())
                let effects = ids.map { _ in HeldEffect() }
                for (id, effect) in zip(ids, effects) {
                    try await store.dispatch(.meter(id: id, action: .start(effect.effect(id: "same"))))
                    await effect.waitUntilBegun()
                }
                try await store.dispatch(.remove(removed))
                for effect in effects { await effect.finish() }
                await store.shutdown(drain: .finishEffects)
                #expect(effects.flatMap(\.wasCancelled.elements) == ids.map { $0 == removed }, "\(ids), \(removed)")
            }
        }
        try await check([1, 2, 3])
        try await check([nil, 1, 2] as [Int?])
        try await check([nil, .some(nil), 1, 2] as [Int??])
        try await check([EffectID(1), EffectID("x"), EffectID(Int?.none)])
        try await check([nil, EffectID(1), EffectID(EffectID?.none)] as [EffectID?])
    }

    /// Meters in a `TreeDictionary`, which reports which of them have gone.
    struct SerialMeters: Reducer {
        typealias State = TreeDictionary<Serial, Meter.State>

        enum Action: Sendable {
            case meter(id: Serial, action: Meter.Action)
            case remove(Serial)
        }

        var body: some Reducer<State, Action> {
            Reduce<State, Action> { meters, action in
                if case .remove(let id) = action { meters[id] = nil }
                return .none
            }
            .forEach(\.self, action: CasePath(Action.meter)) { Meter() }
        }
    }

    @Test("An entry has one set of effects, also if its key is an object seen as a class and as a subclass")
    func keysOfSubclasses() async throws {
        let meters = SerialMeters.State(uniqueKeysWithValues: [(Serial(1), Meter.State())])
        let store = Store(initialState: meters, reducer: SerialMeters())
        let held = HeldEffect()
        try await store.dispatch(.meter(id: LongSerial(1), action: .start(held.effect())))
        await held.waitUntilBegun()
        try await store.dispatch(.remove(Serial(1)))
        await held.finish()
        await store.shutdown(drain: .finishEffects)
        #expect(held.wasCancelled.elements == [true])
    }
}

extension TreeDictionary<Int, NumberedMeter.State>: MeterTable {
    static func make(_ ids: [Int]) -> Self { Self(uniqueKeysWithValues: ids.map { ($0, NumberedMeter.State(id: $0)) }) }
    mutating func remove(_ id: Int) { self[id] = nil }
    mutating func insert(_ meter: NumberedMeter.State) { self[meter.id] = meter }
    func reading(of id: Int) -> Int? { self[id]?.reading }
}

extension [Int: NumberedMeter.State]: MeterTable {
    static func make(_ ids: [Int]) -> Self { Self(uniqueKeysWithValues: ids.map { ($0, NumberedMeter.State(id: $0)) }) }
    mutating func remove(_ id: Int) { self[id] = nil }
    mutating func insert(_ meter: NumberedMeter.State) { self[meter.id] = meter }
    func reading(of id: Int) -> Int? { self[id]?.reading }
}

extension KeyedArray<NumberedMeter.State>: MeterTable {
    static func make(_ ids: [Int]) -> Self { Self(ids.map { NumberedMeter.State(id: $0) }) }
    mutating func remove(_ id: Int) { remove(id: id) }
    mutating func insert(_ meter: NumberedMeter.State) { append(meter) }
    func reading(of id: Int) -> Int? { self[id: id]?.reading }
}

extension [NumberedMeter.State]: MeterTable {
    static func make(_ ids: [Int]) -> Self { ids.map { NumberedMeter.State(id: $0) } }
    mutating func remove(_ id: Int) { removeAll { $0.id == id } }
    mutating func insert(_ meter: NumberedMeter.State) { append(meter) }
    func reading(of id: Int) -> Int? { first { $0.id == id }?.reading }
}
