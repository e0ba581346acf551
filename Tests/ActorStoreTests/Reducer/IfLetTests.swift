import ActorStore
import Testing

@testable import TestFixtures

@Suite("ifLet: optional children", .timeLimit(.minutes(10)))
struct IfLetTests {
    struct House: Reducer {
        struct State: Equatable, Sendable {
            var guest: Meter.State?
            var tenant: NumberedMeter.State?
            var log: [String] = []
        }

        enum Action: Sendable {
            case guest(Meter.Action)
            case tenant(Meter.Action)
            case change(@Sendable (inout State) -> Void)
        }

        let effects: ChildEffects
        let whenMissing: MissingChildPolicy

        init(effects: ChildEffects = .endWithChild, whenMissing: MissingChildPolicy = .report) {
            self.effects = effects
            self.whenMissing = whenMissing
        }

        var body: some Reducer<State, Action> {
            Reduce { state, action in
                switch action {
                case .guest: state.log.append("guest \(state.guest?.reading ?? -1)")
                case .tenant: state.log.append("tenant \(state.tenant?.reading ?? -1)")
                case .change(let change): change(&state)
                }
                // A visit of one action only.
                if let guest = state.guest, guest.reading < 0 { state.guest = nil }
                return .none
            }
            .ifLet(\.guest, action: .guest, whenMissing: whenMissing, effects: effects) { Meter() }
            .ifLet(\.tenant, action: .tenant, whenMissing: whenMissing, effects: effects) { NumberedMeter() }
        }
    }

    static func store(_ reducer: House = House()) -> Store<House.State, House.Action> {
        let state = House.State(guest: Meter.State(), tenant: NumberedMeter.State(id: 1))
        return Store(initialState: state, reducer: reducer)
    }

    @Test("A present child reduces its actions before its parent")
    func childFirst() {
        var state = House.State(guest: Meter.State())
        _ = House().reduce(into: &state, action: .guest(.record(3)))
        #expect(state == House.State(guest: Meter.State(reading: 3), log: ["guest 3"]))
    }

    @Test("An action for a nil child is reported, with its place and reason, and the parent still reduces it")
    func missing() async throws {
        let store = Store(initialState: House.State(), reducer: House())
        try await store.dispatch(.guest(.record(3)))
        #expect(store.snapshot.log == ["guest -1"])
        let failure = try #require(try await store.errors.first(1).first)
        let missing = try #require(failure.error as? MissingChild)
        #expect(missing.reason == .isNil && missing.description.contains("record(3)"))
        guard case .reducer(let source) = failure.origin else {
            Issue.record("Another origin: \(failure.origin)")
            return
        }
        #expect(source.fileID == #fileID && source.line > 0)
    }

    @Test("An action for a nil child can be ignored")
    func ignored() async throws {
        let store = Store(initialState: House.State(), reducer: House(whenMissing: .ignore))
        try await store.dispatch(.guest(.record(3)))
        try await store.dispatch(.tenant(.record(3)))
        await store.shutdown(drain: .finishEffects)
        #expect(try await store.errors.all().isEmpty)
        #expect(store.snapshot.log == ["guest -1", "tenant -1"])
    }

    @Test("The effects of a child that becomes nil are cancelled, and their later actions are dropped and counted")
    func becomesNil() async throws {
        let store = Self.store()
        let (mine, other) = (HeldEffect(), HeldEffect())
        let task = try await store.dispatch(.guest(.start(mine.effect())))
        try await store.dispatch(.tenant(.start(other.effect())))
        await mine.waitUntilBegun()
        await other.waitUntilBegun()
        try await store.dispatch(.change { $0.guest = nil })
        await mine.finish()
        try await task.finish()
        await other.finish()
        await store.shutdown(drain: .finishEffects)
        #expect(mine.wasCancelled.elements == [true] && other.wasCancelled.elements == [false])
        #expect(store.statistics.lateActions == 1)
        #expect(store.snapshot.tenant?.reading == 1_000)
        #expect(try await store.errors.all().isEmpty)
    }

    @Test("Unbegun effects of a removed child do not begin")
    func notBegun() async throws {
        let store = Self.store()
        let began = Collector<String>()
        let first = HeldEffect()
        let effect = Effect<Meter.Action>.concatenate(
            first.effect(),
            .run { _ in began.append("second") },
            .send(.record(1))
        )
        let task = try await store.dispatch(.guest(.start(effect)))
        await first.waitUntilBegun()
        try await store.dispatch(.change { $0.guest = nil })
        await first.finish()
        try await task.finish()
        // Requested by the action in which the child goes.
        let visit = Effect<Meter.Action>.merge(.run { _ in began.append("third") }, .send(.record(1)))
        try await store.dispatch(.change { $0.guest = Meter.State(reading: -1) })
        store.send(contentsOf: [
            .change { $0.guest = Meter.State() }, .guest(.start(visit)), .change { $0.guest = nil },
        ])
        await store.shutdown(drain: .finishEffects)
        #expect(began.elements.isEmpty)
        #expect(try await store.errors.all().isEmpty)
        // The held effect's own, the send behind it, and that of the visit.
        #expect(store.statistics.lateActions == 3)
    }

    @Test("Waiting actions of a removed child's effects are dropped and counted")
    func waitingActions() async throws {
        let store = Self.store()
        let hold = Hold()
        onThread { store.send(.change { _ in hold.enter() }) }
        await hold.waitUntilEntered()
        store.send(.guest(.start(.send(.record(1)))))
        store.send(.tenant(.start(.send(.record(2)))))
        store.send(.change { $0.guest = nil })
        hold.release()
        // The first look may come before the effects' actions.
        _ = await store.state
        let state = await store.state
        #expect(state.guest == nil && state.tenant?.reading == 2)
        #expect(store.statistics.lateActions == 1)
        await store.shutdown(drain: .finishEffects)
        #expect(try await store.errors.all().isEmpty)
    }

    @Test("A child with another identity ends the effects of the previous one; a changed child does not")
    func otherIdentity() async throws {
        let store = Self.store()
        let (old, new) = (HeldEffect(), HeldEffect())
        try await store.dispatch(.tenant(.start(old.effect())))
        await old.waitUntilBegun()
        try await store.dispatch(.change { $0.tenant = NumberedMeter.State(id: 1, reading: 5) })
        #expect(old.wasCancelled.elements.isEmpty)
        try await store.dispatch(.change { $0.tenant = NumberedMeter.State(id: 2) })
        try await store.dispatch(.tenant(.start(new.effect())))
        await new.waitUntilBegun()
        await old.finish()
        await new.finish()
        await store.shutdown(drain: .finishEffects)
        #expect(old.wasCancelled.elements == [true] && new.wasCancelled.elements == [false])
        #expect(store.snapshot.tenant == NumberedMeter.State(id: 2, reading: 1_000))
    }

    /// A child that replaces itself, and requests an effect in that action.
    struct Renewable: Reducer {
        struct State: Equatable, Identifiable, Sendable {
            var id = 1
            var meter = Meter.State()
        }

        enum Action: Sendable {
            case meter(Meter.Action)
            case renew(Effect<Meter.Action>)
        }

        func reduce(into state: inout State, action: Action) -> Effect<Action> {
            switch action {
            case .meter(let action): return Meter().reduce(into: &state.meter, action: action).map(Action.meter)
            case .renew(let effect):
                state = State(id: state.id + 1)
                return effect.map(Action.meter)
            }
        }
    }

    @Test(
        "A child that replaces itself has its effects cancelled; effects returned then belong to the new child"
    )
    func replacesItself() async throws {
        enum Place: Sendable, Equatable { case child(Renewable.State), empty }
        let path = CasePath(embed: Place.child) { if case .child(let state) = $0 { state } else { nil } }
        let optional = EmptyReducer<Renewable.State?, Renewable.Action>().ifLet(\.self, action: .identity) {
            Renewable()
        }
        let cases = EmptyReducer<Place, Renewable.Action>().ifCaseLet(path, action: .identity) { Renewable() }
        func check<State: Sendable>(
            _ state: State,
            _ reducer: PreparedReducer<State, Renewable.Action>,
            _ child: (State) -> Renewable.State?
        ) async throws {
            let store = Store(initialState: state, reducer: reducer)
            let (old, new) = (HeldEffect(), HeldEffect())
            try await store.dispatch(.meter(.start(old.effect(id: "same"))))
            await old.waitUntilBegun()
            try await store.dispatch(.renew(.merge(new.effect(id: "same"), .send(.record(1)))))
            await new.waitUntilBegun()
            await old.finish()
            await new.finish()
            await store.shutdown(drain: .finishEffects)
            #expect(old.wasCancelled.elements == [true] && new.wasCancelled.elements == [false])
            #expect(child(store.snapshot) == Renewable.State(id: 2, meter: Meter.State(reading: 1_001)))
            #expect(store.statistics.lateActions == 1)
        }
        try await check(Renewable.State(), optional) { $0 }
        try await check(Place.child(Renewable.State()), cases) { path.extract(from: $0) }
    }

    @Test("A child replaced and removed by its own action leaves no effects")
    func replacesItselfAndGoes() async throws {
        let reducer = Reduce<Renewable.State?, Renewable.Action> { state, action in
            if case .renew = action { state = nil }
            return .none
        }
        let store = Store(
            initialState: Renewable.State(),
            reducer: reducer.ifLet(\.self, action: .identity) { Renewable() }
        )
        let old = HeldEffect()
        let began = Collector<Int>()
        try await store.dispatch(.meter(.start(old.effect())))
        await old.waitUntilBegun()
        try await store.dispatch(.renew(.run { _ in began.append(1) })).finish()
        await old.finish()
        await store.shutdown(drain: .finishEffects)
        #expect(old.wasCancelled.elements == [true] && began.elements.isEmpty)
    }

    @Test("Effects of a child can outlive it: all of them, or a detached one")
    func outliving() async throws {
        let store = Self.store(House(effects: .outliveChild, whenMissing: .ignore))
        let (all, one, named) = (HeldEffect(), HeldEffect(), HeldEffect())
        try await store.dispatch(.guest(.start(all.effect())))
        let other = Self.store(House(whenMissing: .ignore))
        try await other.dispatch(.guest(.start(one.effect().detached())))
        let third = Self.store(House(whenMissing: .ignore))
        try await third.dispatch(.guest(.start(named.effect().detached().cancellable(id: "save"))))
        for (store, effect) in [(store, all), (other, one), (third, named)] {
            await effect.waitUntilBegun()
            try await store.dispatch(.change { $0.guest = nil })
            await effect.finish()
            await store.shutdown(drain: .finishEffects)
            #expect(effect.wasCancelled.elements == [false])
            #expect(store.snapshot.log.last == "guest -1" && store.statistics.lateActions == 0)
        }
    }

    @Test("Removing the parent of a child cancels the child's effects")
    func grandchildren() async throws {
        struct Street: Reducer {
            struct State: Sendable { var house: House.State? }
            enum Action: Sendable { case house(House.Action), demolish }
            var body: some Reducer<State, Action> {
                Reduce { state, action in
                    if case .demolish = action { state.house = nil }
                    return .none
                }
                .ifLet(\.house, action: CasePath(Action.house)) { House() }
            }
        }
        let house = House.State(guest: Meter.State())
        let store = Store(initialState: Street.State(house: house), reducer: Street())
        let held = HeldEffect()
        try await store.dispatch(.house(.guest(.start(held.effect()))))
        await held.waitUntilBegun()
        try await store.dispatch(.demolish)
        await held.finish()
        await store.shutdown(drain: .finishEffects)
        #expect(held.wasCancelled.elements == [true] && store.statistics.lateActions == 1)
    }

    @Test("The effects of a child removed by other code are cancelled by the next action that misses it")
    func behindTheBack() async throws {
        struct Burglar: Reducer {
            var body: some Reducer<House.State, House.Action> {
                House()
                Reduce { state, action in
                    if case .tenant(.record(-1)) = action { state.guest = nil }
                    return .none
                }
            }
        }
        let store = Store(initialState: Self.store().snapshot, reducer: Burglar())
        let held = HeldEffect()
        let task = try await store.dispatch(.guest(.start(held.effect())))
        await held.waitUntilBegun()
        try await store.dispatch(.tenant(.record(-1)))
        try await store.dispatch(.guest(.record(0)))
        await held.finish()
        try await task.finish()
        #expect(held.wasCancelled.elements == [true])
        #expect(store.statistics.lateActions == 1)
        #expect(try await store.errors.first(1).first?.error is MissingChild)
    }

    @Test("A child is changed in place, without a copy")
    func inPlace() {
        struct Flat: Sendable { var rooms: [Int]? }
        var state = Flat(rooms: Array(0..<1_000))
        let addresses = Collector<Int>()
        let reducer = EmptyReducer<Flat, Int>().ifLet(\.rooms, action: .identity) {
            Reduce { rooms, action in
                rooms[action] = -1
                addresses.append(rooms.withUnsafeBytes { Int(bitPattern: $0.baseAddress) })
                return .none
            }
        }
        for room in 0..<3 { _ = reducer.reduce(into: &state, action: room) }
        #expect(Set(addresses.elements).count == 1 && state.rooms?.prefix(4) == [-1, -1, -1, 3])
    }
}

extension CasePath where Root == IfLetTests.House.Action, Value == Meter.Action {
    static let guest = CasePath(IfLetTests.House.Action.guest)
    static let tenant = CasePath(IfLetTests.House.Action.tenant)
}
