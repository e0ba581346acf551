import ActorStore
import Testing

/// For a store that follows another one: the cancellations of an effect, without its beginnings.
@Suite("The cancellations of an effect", .timeLimit(.minutes(10)))
struct EffectCancellationsTests {
    enum Action: Sendable, Equatable {
        case begin
        case replace(Int)
        case sent
    }

    /// Effects that each cancel the operation "work", and begin another one.
    static let replacements: [Effect<Action>] = [
        .run(id: "work", policy: .cancelInFlight) { send in send(.sent) },
        .run(id: "work", policy: .newest(1)) { send in send(.sent) },
        .concatenate(.send(.sent), .cancel(id: "work"), .run { send in send(.sent) }),
        .merge(.run { send in send(.sent) }, .cancel(id: "work").map { $0 }),
        Effect.run { send in send(.sent) }.cancellable(id: "work", policy: .cancelInFlight),
    ]

    @Test(
        "Cancelled operations are the only result of a cancellation: nothing begins and nothing is sent",
        arguments: replacements.indices
    )
    func cancelling(index: Int) async throws {
        let began = AsyncStream.makeStream(of: Void.self)
        let ended = AsyncStream.makeStream(of: Void.self)
        let store = Store<[Action], Action>(
            initialState: [],
            reducer: PreparedReducer { state, action in
                state.append(action)
                switch action {
                case .begin:
                    return .run(id: "work") { _ in
                        began.continuation.yield()
                        try? await Task.sleep(for: .seconds(100_000))
                        if Task.isCancelled { ended.continuation.yield() }
                    }
                case .replace(let index): return Self.replacements[index].cancellations
                case .sent: return .none
                }
            }
        )
        try await store.dispatch(.begin)
        for await _ in began.stream { break }
        try await store.dispatch(.replace(index))
        for await _ in ended.stream { break }
        await store.shutdown(drain: .finishEffects)
        #expect(store.snapshot == [.begin, .replace(index)])
    }

    @Test("A cancellation of nothing is an empty effect")
    func nothing() {
        let effects: [Effect<Action>] = [
            .none, .send(.sent), .run { _ in }, .run(id: "work") { _ in },
            .run(id: "work", policy: .newest(2)) { _ in },
            .merge(.send(.sent), .run { _ in }), .merge([]),
        ]
        #expect(effects.filter { !$0.cancellations.isNone }.isEmpty)
    }
}
