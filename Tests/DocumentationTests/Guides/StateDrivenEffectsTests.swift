import ActorStore
import ActorStoreCommands
import Testing

@testable import TestFixtures

/// The example of `StateDrivenEffects.md`.
@Suite("The guide to state-driven effects", .timeLimit(.minutes(10)))
struct StateDrivenEffectsTests {
    struct Upload: Reducer {
        struct State: Equatable, Sendable {
            var file = ""
            var isOnline = true
            var progress = EffectState<EffectFailure>()
        }

        enum Action: Sendable {
            case start(String), cancel
            case uploaded, failed(EffectFailure)
            case wentOnline(Bool)
        }

        func reduce(into state: inout State, action: Action) -> Effect<Action> {
            switch action {
            case .start(let file):
                state.file = file
                state.progress.restart(maxAttempts: 3)
            case .cancel:
                state.progress.cancel()
            case .uploaded:
                state.progress.succeed()
            case .failed(let failure):
                state.progress.retryOrFail(with: failure)
            case .wentOnline(let isOnline):
                state.isOnline = isOnline
            }
            return .none
        }
    }

    private struct Broken: Error {}

    @Test("The upload waits for a connection, then succeeds")
    func upload() async throws {
        let uploaded = Collector<String>()
        let upload: @Sendable (String) async throws -> Void = { uploaded.append($0) }

        let store = Store(initialState: Upload.State(), reducer: Upload())
            .withEffects { store in
                store.effect(on: \.progress) { state in
                    guard state.isOnline else { return .postpone(until: \.isOnline) }
                    let file = state.file
                    return .run { context in
                        try await upload(file)
                        context.send(.uploaded)
                    } catch: { error in
                        .failed(EffectFailure(error))
                    }
                }
            }

        try await store.dispatch(.wentOnline(false))
        try await store.dispatch(.start("one"))
        #expect(store.statistics.runningEffects == 0)
        try await store.dispatch(.wentOnline(true))
        await until { store.snapshot.progress.isSucceeded }
        #expect(uploaded.elements == ["one"])
    }

    @Test("The short form tries three times, with delays that a test can skip")
    func retries() async throws {
        let clock = ManualClock()
        let upload: @Sendable (String) async throws -> Void = { _ in throw Broken() }
        let store = Store(initialState: Upload.State(), reducer: Upload())

        store.effect(on: \.progress, clock: clock) { state, context in
            try await upload(state.file)
            context.send(.uploaded)
        } catch: { error in
            .failed(EffectFailure(error))
        }

        try await store.dispatch(.start("one"))
        for delay in [2, 4] {
            await clock.waitForSleepers()
            clock.advance(by: .seconds(delay))
            await clock.waitForSleepers(0)
        }
        await until { store.snapshot.progress.isFailed }
        #expect(store.snapshot.progress.failure == EffectFailure(Broken()))
    }

    @Test("Attempts and delays are parts of the state")
    func delays() {
        var state = Upload.State()

        // At once, then after 2, 4 and 8 s.
        state.progress.run(maxAttempts: 4)
        // After 1 s, then every 5 s.
        state.progress.restart(maxAttempts: 4, delay: .seconds(1), backoff: .constant(.seconds(5)))

        #expect(state.progress.runs == 2 && state.progress.delay == .seconds(1))
        state.progress.retryOrFail(with: EffectFailure(Broken()))
        #expect(state.progress.delay == .seconds(5))
    }
}
