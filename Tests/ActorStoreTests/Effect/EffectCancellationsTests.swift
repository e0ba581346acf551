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

    @Test("The instant part of an effect ends at its first work, and the rest begins there")
    func parts() {
        let (cancel, send) = (Effect<Action>.cancel(id: "work"), Effect<Action>.send(.sent))
        let work = Effect<Action>.run(id: "work", policy: .cancelInFlight) { _ in }
        let instant: [Effect<Action>] = [
            cancel, send, .merge(send, cancel), .concatenate(send, cancel), .concatenate(.merge(send, cancel), send),
        ]
        #expect(instant.filter { $0.parts.instant.isNone || !$0.parts.work.isNone }.isEmpty)
        let works: [Effect<Action>] = [
            work, .concatenate(work, cancel), cancel.delay(for: .seconds(1)), send.cancellable(id: "group"),
            .concatenate(.concatenate(work, send), cancel), .merge(work, work),
        ]
        #expect(works.filter { !$0.parts.instant.isNone || $0.parts.work.isNone }.isEmpty)
        let both: [Effect<Action>] = [
            .merge(work, send), .concatenate(send, work, cancel), .concatenate(.merge(send, work), cancel),
        ]
        #expect(both.filter { $0.parts.instant.isNone || $0.parts.work.isNone }.isEmpty)
        // The cancellation behind the work stays there.
        #expect(!Effect<Action>.concatenate(send, work, cancel).parts.work.cancellations.isNone)
        #expect(Effect<Action>.concatenate(send, work, cancel).parts.instant.cancellations.isNone)
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
