import ActorStore
import Dispatch
import Foundation
import Testing

@testable import TestFixtures

/// The follow-ups of an effect's end belong to the effect: a shutdown that finishes effects waits for them.
@Suite("Follow-ups of ending effects", .timeLimit(.minutes(10)))
struct ShutdownFollowUpTests {
    /// Blocks the thread that reports the end of an effect, so that a shutdown comes in between.
    private struct SlowEnd: StoreInstrument {
        let entered: Signal

        func record(_ event: InstrumentEvent) {
            switch event {
            case .effectEnded, .effectFailed:
                entered.fire()
                usleep(20_000)
            default: break
            }
        }
    }

    private struct Oops: Error {}

    private struct Feature: Reducer {
        struct State: Equatable, Sendable { var done = 0 }
        enum Action: Sendable { case start, startGroup, fail, done }

        func reduce(into state: inout State, action: Action) -> Effect<Action> {
            switch action {
            case .start: return .concatenate(.run { _ in }, .send(.done))
            case .startGroup: return .merge(.run { _ in }, .concatenate(.run { _ in }, .send(.done))).cancellable(id: 1)
            case .fail: return .run { _ in throw Oops() }
            case .done:
                state.done += 1
                return .none
            }
        }
    }

    private func store(signalling entered: Signal) -> Store<Feature.State, Feature.Action> {
        let store = Store(initialState: Feature.State(), reducer: Feature())
        store.use(SlowEnd(entered: entered))
        return store
    }

    @Test("A shutdown waits for the continuation of an ending effect", arguments: [false, true])
    func continuation(inGroup: Bool) async throws {
        let entered = Signal()
        let store = store(signalling: entered)
        try await store.dispatch(inGroup ? .startGroup : .start)
        await entered.wait()
        await store.shutdown(drain: .finishEffects)
        #expect(store.snapshot.done == 1)
    }

    @Test("A shutdown waits until the error of an ending effect has reached its observers and the task")
    func failure() async throws {
        let entered = Signal()
        let store = store(signalling: entered)
        let errors = store.errors
        let task = try await store.dispatch(.fail)
        await entered.wait()
        await store.shutdown(drain: .finishEffects)
        #expect(try await errors.all().contains { $0.error is Oops })
        await #expect(throws: Oops.self) { try await task.finish() }
    }

    @Test("Shutdowns at any moment lose neither continuations nor errors")
    func atAnyMoment() async throws {
        for round in 0..<2_000 {
            let store = Store(initialState: Feature.State(), reducer: Feature())
            let errors = store.errors
            let isFailing = round.isMultiple(of: 2)
            try await store.dispatch(isFailing ? .fail : .start)
            for _ in 0..<(round % 200) { _ = store.revision }
            await store.shutdown(drain: .finishEffects)
            if isFailing {
                #expect(try await errors.all().count == 1)
            } else {
                #expect(store.snapshot.done == 1)
            }
        }
    }
}
