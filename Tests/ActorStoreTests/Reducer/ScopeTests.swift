import ActorStore
import ActorStoreViews
import Testing

@testable import TestFixtures

@Suite("Scope: reducers of children", .timeLimit(.minutes(10)))
struct ScopeTests {
    struct House: Reducer {
        struct State: Equatable, Sendable {
            var main = Meter.State()
            var spare = Meter.State()
            var log: [String] = []
            /// Computed, so that it has no place in memory.
            var first: Meter.State {
                get { main }
                set { main = newValue }
            }
        }

        enum Action: Sendable {
            case main(Meter.Action)
            case spare(Meter.Action)
            case first(Meter.Action)
            case read
        }

        var body: some Reducer<State, Action> {
            Scope(state: \.main, action: .main) { Meter() }
            Scope(state: \.spare, action: .spare) {
                Meter()
                Meter()
            }
            Scope(state: \.first, action: .first) { Meter() }
            Reduce { state, action in state.log.append("\(state.main.reading) \(state.spare.reading)") }
        }
    }

    @Test("A child changes its part of the state before its parent sees the action")
    func childFirst() {
        var state = House.State()
        let effect = House().reduce(into: &state, action: .main(.record(7)))
        #expect(state.main.reading == 7 && state.spare.reading == 0)
        #expect(state.log == ["7 0"])
        #expect(effect.isNone)
    }

    @Test("A child receives no actions of others, and several reducers of a child receive the same action")
    func actionsOfOthers() {
        var state = House.State()
        let house = House()
        _ = house.reduce(into: &state, action: .read)
        _ = house.reduce(into: &state, action: .spare(.record(2)))
        #expect(state == House.State(spare: Meter.State(reading: 4), log: ["0 0", "0 4"]))
    }

    @Test("The state of a child can be computed")
    func computed() {
        var state = House.State()
        _ = House().reduce(into: &state, action: .first(.record(3)))
        #expect(state.main.reading == 3)
    }

    @Test("A child's effects send the child's actions")
    func effects() async throws {
        let store = Store(initialState: House.State(), reducer: House())
        let effect = Effect<Meter.Action>.merge(.send(.record(1)), .run { send in send(.record(2)) })
        try await store.dispatch(.spare(.start(effect))).finish()
        // Twice, because its two reducers both request the effect, and both record.
        #expect(await store.state.spare.reading == 12)
        #expect(store.snapshot.main.reading == 0)
    }

    @Test("A child cancels its own effects by identity, and none of its siblings with the same identity")
    func identities() async throws {
        let store = Store(initialState: House.State(), reducer: House())
        let (mine, sibling) = (HeldEffect(), HeldEffect())
        let task = try await store.dispatch(.main(.start(mine.effect(id: "poll"))))
        try await store.dispatch(.first(.start(sibling.effect(id: "poll"))))
        await mine.waitUntilBegun()
        await sibling.waitUntilBegun()
        try await store.dispatch(.main(.start(.cancel(id: "poll"))))
        await mine.finish()
        try await task.finish()
        await sibling.finish()
        await store.shutdown(drain: .finishEffects)
        #expect(mine.wasCancelled.elements == [true] && sibling.wasCancelled.elements == [false])
        #expect(store.snapshot.main.reading == 1_000)
        #expect(store.statistics.lateActions == 1)
    }

    // MARK: Enum state

    enum Lamp: Equatable, Sendable { case on(Meter.State), off(Meter.State), broken }
    enum LampAction: Sendable { case on(Meter.Action), off(Meter.Action) }

    static let lamp = Combine<Lamp, LampAction> {
        Scope(state: .on, action: .on) { Meter() }
        Scope(state: .off, action: .off, whenMissing: .ignore) { Meter() }
    }

    @Test("The state of a child can be a case of an enum")
    func enumState() async throws {
        let store = Store(initialState: Lamp.on(Meter.State()), reducer: Self.lamp)
        try await store.dispatch(.on(.record(4)))
        try await store.dispatch(.on(.start(.send(.record(5)))))
        #expect(await store.state == .on(Meter.State(reading: 9)))
    }

    @Test("An action for an inactive case is reported, with its place and reason, or ignored")
    func otherCase() async throws {
        let store = Store(initialState: Lamp.broken, reducer: Self.lamp)
        try await store.dispatch(.on(.record(4)))
        try await store.dispatch(.off(.record(4)))
        await store.shutdown(drain: .finishEffects)
        let failures = try await store.errors.all()
        #expect(store.snapshot == .broken && failures.count == 1)
        let missing = try #require(failures.first?.error as? MissingChild)
        #expect(missing.reason == .isOtherCase)
        guard case .on(.record(4)) = missing.action as? LampAction else {
            Issue.record("Another action: \(missing.action)")
            return
        }
        guard case .reducer(let source) = failures[0].origin else {
            Issue.record("Another origin: \(failures[0].origin)")
            return
        }
        #expect(source.fileID == #fileID)
        #expect(failures[0].description.contains("record(4)") && failures[0].description.contains("another case"))
    }

    // MARK: Restricted surface

    enum ViewAction: Sendable { case tapped }
    enum ScreenAction: Sendable { case view(ViewAction), loaded(Int) }

    @Test("A reducer of a sub-enum of the actions is a restricted interface to the whole state")
    func restrictedSurface() async throws {
        // A receiver of a function of this type can send the view's actions, and no others.
        let screen = Combine<Int, ScreenAction> {
            Scope(action: .view) {
                Reduce { (state: inout Int, action: ViewAction) -> Effect<ViewAction> in
                    state += 1
                    return .run(id: "load") { _ in await untilCancelled() }
                }
            }
            Reduce { state, action -> Effect<ScreenAction> in
                guard case .loaded(let number) = action else { return .none }
                state += number
                return .cancel(id: "load")
            }
        }
        let store = Store(initialState: 0, reducer: screen)
        let view: @Sendable (ViewAction) -> Void = { [path = CasePath<ScreenAction, ViewAction>.view] in
            store.send(path.embed($0))
        }
        view(.tapped)
        #expect(await store.state == 1)
        // It is the same feature, so that the rest of it can cancel its effects.
        try await store.dispatch(.loaded(10))
        await store.shutdown(drain: .finishEffects)
        #expect(store.snapshot == 11)
    }

    @Test("The effects of a case scope continue when the state becomes another case, also if the case returns")
    func caseThatGoes() async throws {
        typealias Session = IfCaseLetTests.Session
        let reducer = Combine<Session.State, Session.Action> {
            Scope(state: .guest, action: .guest, whenMissing: .ignore) { Meter() }
            Reduce<Session.State, Session.Action> { state, action in if case .become(let new) = action { state = new } }
        }
        for comesAgain in [false, true] {
            let store = Store(initialState: Session.State.guest(Meter.State()), reducer: reducer)
            let held = HeldEffect()
            try await store.dispatch(.guest(.start(held.effect())))
            await held.waitUntilBegun()
            try await store.dispatch(.become(.closed))
            if comesAgain { try await store.dispatch(.become(.guest(Meter.State(reading: 1)))) }
            await held.finish()
            #expect(await store.state == (comesAgain ? .guest(Meter.State(reading: 1_001)) : .closed))
            #expect(held.wasCancelled.elements == [false] && store.statistics.lateActions == 0)
        }
    }
}

extension CasePath where Root == ScopeTests.House.Action, Value == Meter.Action {
    static let main = CasePath(ScopeTests.House.Action.main)
    static let spare = CasePath(ScopeTests.House.Action.spare)
    static let first = CasePath(ScopeTests.House.Action.first)
}

extension CasePath where Root == ScopeTests.Lamp, Value == Meter.State {
    static let on = CasePath(ScopeTests.Lamp.on)
    static let off = CasePath(ScopeTests.Lamp.off)
}

extension CasePath where Root == ScopeTests.LampAction, Value == Meter.Action {
    static let on = CasePath(ScopeTests.LampAction.on)
    static let off = CasePath(ScopeTests.LampAction.off)
}

extension CasePath where Root == ScopeTests.ScreenAction, Value == ScopeTests.ViewAction {
    static let view = CasePath(ScopeTests.ScreenAction.view)
}
