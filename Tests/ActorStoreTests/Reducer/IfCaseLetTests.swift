import ActorStore
import Testing

@testable import TestFixtures

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

    @Test("The child of the current case reduces its actions")
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

    @Test("A change of the case cancels the effects of its child")
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
        "A child with another identity that replaces one of the same case cancels the effects of that one"
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

    /// A lamp with cases composed in a loop: all at one place of the code, or each with its own column.
    struct Lamp: Reducer {
        enum Color: CaseIterable, Sendable { case red, green }
        struct Light: Sendable {
            var color: Color?
            var meter = Meter.State()
        }
        enum Action: Sendable {
            case light(Color, Meter.Action)
            case become(Color?)
        }

        let hasColumns: Bool
        let isScope: Bool

        var body: some Reducer<Light, Action> {
            let base = Reduce<Light, Action> { light, action in
                if case .become(let color) = action { light.color = color }
            }
            // Red continues after its departure, to show what the end of green does to it.
            composed(.green, with: composed(.red, with: base.prepared(), .outliveChild), .endWithChild)
        }

        private func composed(
            _ color: Color,
            with base: PreparedReducer<Light, Action>,
            _ effects: ChildEffects
        ) -> PreparedReducer<Light, Action> {
            let state = CasePath<Light, Meter.State>(embed: { Light(color: color, meter: $0) }) { light in
                light.color == color ? light.meter : nil
            }
            let action = CasePath<Action, Meter.Action>(embed: { .light(color, $0) }) { action in
                if case .light(color, let action) = action { action } else { nil }
            }
            let column: UInt = hasColumns && color == .green ? 2 : 1
            if isScope {
                return Combine {
                    Scope(state: state, action: action, whenMissing: .ignore, column: column) { Meter() }
                    base
                }
                .prepared()
            }
            return base.ifCaseLet(state, action: action, whenMissing: .ignore, effects: effects, column: column) {
                Meter()
            }
        }
    }

    @Test(
        "Cases composed at one place share effect identities, unless each has its own column",
        arguments: [false, true],
        [false, true]
    )
    func sharedIdentities(hasColumns: Bool, isScope: Bool) async throws {
        let reducer = Lamp(hasColumns: hasColumns, isScope: isScope)
        let store = Store(initialState: Lamp.Light(color: .red), reducer: reducer)
        let held = HeldEffect()
        try await store.dispatch(.light(.red, .start(held.effect(id: "work"))))
        await held.waitUntilBegun()
        try await store.dispatch(.become(.green))
        try await store.dispatch(.light(.green, .start(.cancel(id: "work"))))
        await held.finish()
        #expect(held.wasCancelled.elements == [!hasColumns])
    }

    @Test(
        "Cases composed at one place end together, unless each has its own column",
        arguments: [false, true]
    )
    func sharedEnd(hasColumns: Bool) async throws {
        let reducer = Lamp(hasColumns: hasColumns, isScope: false)
        let store = Store(initialState: Lamp.Light(color: .red), reducer: reducer)
        let held = HeldEffect()
        try await store.dispatch(.light(.red, .start(held.effect())))
        await held.waitUntilBegun()
        for color in [.green, nil] as [Lamp.Color?] { try await store.dispatch(.become(color)) }
        await held.finish()
        #expect(held.wasCancelled.elements == [!hasColumns])
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
