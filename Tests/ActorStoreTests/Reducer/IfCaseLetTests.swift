import ActorStore
import Testing

@Suite("ifCaseLet: children that are cases of an enum", .timeLimit(.minutes(10)))
struct IfCaseLetTests {
    struct Session: Reducer {
        enum State: Equatable, Sendable {
            case guest(Meter.State)
            case member(NumberedMeter.State)
            case closed
        }

        enum Action: Sendable {
            case guest(Meter.Action)
            case member(Meter.Action)
            case become(State)
        }

        var body: some Reducer<State, Action> {
            Reduce { state, action in
                if case .become(let new) = action { state = new }
                return .none
            }
            .ifCaseLet(.guest, action: .guest) { Meter() }
            .ifCaseLet(.member, action: .member, whenMissing: .ignore) { NumberedMeter() }
        }
    }

    static func store() -> Store<Session.State, Session.Action> {
        Store(initialState: .guest(Meter.State()), reducer: Session())
    }

    @Test("The child of the case that the state is of sees its actions")
    func present() async throws {
        let store = Self.store()
        try await store.dispatch(.guest(.record(3)))
        #expect(store.snapshot == .guest(Meter.State(reading: 3)))
        try await store.dispatch(.become(.member(NumberedMeter.State(id: 1))))
        try await store.dispatch(.member(.record(4)))
        #expect(store.snapshot == .member(NumberedMeter.State(id: 1, reading: 4)))
    }

    @Test("An action for another case is reported or ignored, and never crashes")
    func missing() async throws {
        let store = Self.store()
        try await store.dispatch(.member(.record(4)))
        try await store.dispatch(.become(.closed))
        try await store.dispatch(.guest(.record(4)))
        await store.shutdown(drain: .finishEffects)
        let failures = try await store.errors.all()
        #expect(failures.count == 1)
        #expect((failures.first?.error as? MissingChild)?.reason == .isOtherCase)
    }

    @Test("When the case changes the effects of its child are cancelled")
    func caseChanges() async throws {
        let store = Self.store()
        let held = HeldEffect()
        try await store.dispatch(.guest(.start(held.effect())))
        await held.waitUntilBegun()
        try await store.dispatch(.become(.guest(Meter.State(reading: 1))))
        #expect(held.wasCancelled.elements.isEmpty)
        try await store.dispatch(.become(.closed))
        await held.finish()
        await store.shutdown(drain: .finishEffects)
        #expect(held.wasCancelled.elements == [true] && store.statistics.lateActions == 1)
    }

    @Test(
        "When a child with another identity takes the place of one of the same case, the effects of that are cancelled"
    )
    func otherIdentity() async throws {
        let store = Self.store()
        try await store.dispatch(.become(.member(NumberedMeter.State(id: 1))))
        let held = HeldEffect()
        try await store.dispatch(.member(.start(held.effect())))
        await held.waitUntilBegun()
        try await store.dispatch(.become(.member(NumberedMeter.State(id: 2))))
        await held.finish()
        await store.shutdown(drain: .finishEffects)
        #expect(held.wasCancelled.elements == [true])
        #expect(store.snapshot == .member(NumberedMeter.State(id: 2)))
    }
}

extension CasePath where Root == IfCaseLetTests.Session.State, Value == Meter.State {
    static let guest = CasePath(IfCaseLetTests.Session.State.guest)
}

extension CasePath where Root == IfCaseLetTests.Session.State, Value == NumberedMeter.State {
    static let member = CasePath(IfCaseLetTests.Session.State.member)
}

extension CasePath where Root == IfCaseLetTests.Session.Action, Value == Meter.Action {
    static let guest = CasePath(IfCaseLetTests.Session.Action.guest)
    static let member = CasePath(IfCaseLetTests.Session.Action.member)
}
