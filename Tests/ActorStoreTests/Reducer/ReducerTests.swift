import ActorStore
import Testing

@Suite("Reducers", .timeLimit(.minutes(10)))
struct ReducerTests {
    struct Step: Reducer {
        let name: String
        func reduce(into state: inout [String], action: String) -> Effect<String> {
            state.append("\(name) \(action)")
            return action == "effect" ? .send("from \(name)") : .none
        }
    }

    struct Composed: Reducer {
        let withExtra: Bool
        let isLoud: Bool
        var body: some Reducer<[String], String> {
            Step(name: "first")
            if withExtra { Step(name: "extra") }
            if isLoud { Step(name: "LOUD") } else { Step(name: "quiet") }
            for number in 1...2 { Step(name: "\(number)") }
            Reduce { state, action in state.append("closure \(action)") }
        }
    }

    @Test("A reducer can be called directly, without a store")
    func directly() {
        var state: [String] = []
        let effect = Step(name: "a").reduce(into: &state, action: "x")
        #expect(state == ["a x"])
        #expect(effect.isNone)
    }

    @Test("A body runs its reducers in order, with conditions and loops")
    func bodies() {
        var state: [String] = []
        _ = Composed(withExtra: true, isLoud: false).reduce(into: &state, action: "x")
        #expect(state == ["first x", "extra x", "quiet x", "1 x", "2 x", "closure x"])
        state = []
        _ = Composed(withExtra: false, isLoud: true).reduce(into: &state, action: "x")
        #expect(state == ["first x", "LOUD x", "1 x", "2 x", "closure x"])
    }

    @Test("Combine runs its reducers in order, and merges their effects")
    func combine() async throws {
        let store = Store(
            initialState: [String](),
            reducer: Combine {
                Step(name: "a")
                Step(name: "b")
                EmptyReducer()
            }
        )
        try await store.dispatch("effect")
        #expect(await store.state == ["a effect", "b effect", "a from a", "b from a", "a from b", "b from b"])
    }

    @Test("A closure is a reducer, with or without effects")
    func closures() async throws {
        let silent = Reduce<Int, Int> { count, step in count += step }
        let echoing = Reduce<Int, Int> { count, step -> Effect<Int> in
            count += step
            return step > 1 ? .send(step - 1) : .none
        }
        let first = Store(initialState: 0, reducer: silent)
        let second = Store(initialState: 0, reducer: echoing)
        let third = Store(initialState: 0) { (count: inout Int, step: Int) in count += step }
        try await first.dispatch(3)
        try await second.dispatch(3)
        try await third.dispatch(3)
        #expect(await first.state == 3)
        #expect(await second.state == 6)
        #expect(await third.state == 3)
    }

    @Test("An empty reducer does not change the state")
    func empty() async throws {
        let store = Store(initialState: 7, reducer: EmptyReducer<Int, String>())
        try await store.dispatch("x")
        #expect(store.snapshot == 7)
        #expect(store.revision == 1)
    }
}
