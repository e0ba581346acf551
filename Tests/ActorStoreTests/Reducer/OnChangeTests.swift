import ActorStore
import ActorStoreCommands
import Testing

@Suite("onChange: reducers and effects of changes", .timeLimit(.minutes(10)))
struct OnChangeTests {
    struct Desk: Reducer {
        struct State: Equatable, Sendable {
            var amount = 0
            var log: [String] = []
            var isEven: Bool { amount.isMultiple(of: 2) }
        }

        enum Action: Sendable { case add(Int), note(String) }

        var body: some Reducer<State, Action> {
            Reduce { state, action in
                switch action {
                case .add(let number): state.amount += number
                case .note(let text): state.log.append(text)
                }
                return .none
            }
            .onChange(of: \.amount) { oldValue, newValue in
                Reduce { state, action in
                    state.log.append("from \(oldValue) to \(newValue) by \(action)")
                    // A change of its own does not make it run again.
                    if newValue == 100 { state.amount = 0 }
                    return .none
                }
                if newValue > 50 { Reduce { state, _ in state.log.append("much") } }
            }
            .effect(onChange: \.isEven) { oldValue, newValue in .send(.note("even \(newValue)")) }
        }
    }

    @Test("A reducer of a change runs after the others in the same action, with the values before and after")
    func reducer() {
        var state = Desk.State()
        _ = Desk().reduce(into: &state, action: .add(2))
        _ = Desk().reduce(into: &state, action: .note("x"))
        _ = Desk().reduce(into: &state, action: .add(0))
        #expect(state.log == ["from 0 to 2 by add(2)", "x"])
        _ = Desk().reduce(into: &state, action: .add(98))
        #expect(state.log.suffix(2) == ["from 2 to 100 by add(98)", "much"])
        #expect(state.amount == 0)
    }

    @Test("An effect of a change is requested when the value, stored or computed, has changed, and only then")
    func effect() async throws {
        let store = Store(initialState: Desk.State(), reducer: Desk())
        for amount in [2, 1, 2, 1] { try await store.dispatch(.add(amount)) }
        let notes = await store.state.log.filter { $0.hasPrefix("even") }
        #expect(notes == ["even false", "even true"])
    }
}
